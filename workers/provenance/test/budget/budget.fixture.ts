import { env } from 'cloudflare:workers'
import { type Budget, TIER_BUDGETS } from '@svc/protocol/pay/tiers'
import type { TestCaller } from '@svc/testing'

/** What an identity keeps of a budget, as the triggers have counted it. */
export async function kept({ identity }: TestCaller, budget: Budget): Promise<number> {
  const select = env.DB.prepare('SELECT amount FROM kept WHERE did = ? AND budget = ?').bind(identity.did, budget)
  return (await select.first<{ amount: number }>())?.amount ?? 0
}

/** Leaves this much of the free budget. */
export async function leave({ identity }: TestCaller, budget: Budget, left: number): Promise<void> {
  await env.DB.prepare('INSERT OR REPLACE INTO kept (did, budget, amount) VALUES (?, ?, ?)')
    .bind(identity.did, budget, TIER_BUDGETS.notes[budget] - left)
    .run()
}
