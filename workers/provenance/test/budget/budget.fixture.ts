import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { type Budget, TIER_BUDGETS } from '@svc/protocol/pay/tiers'
import type { TestCaller } from '@svc/testing'
import { CAPSULE_OWNER } from '../../src/capsules/owner/schema.ts'

/** How many capsules an identity keeps, as its list has them. */
export function keptCapsules({ identity }: TestCaller): Promise<number> {
  return runInDurableObject(
    env.CAPSULE_OWNERS.getByName(identity.did),
    ({ stored }) => stored.facts.get<number>('kept') ?? 0,
  )
}

/** Leaves room for so many capsules of the free budget. */
export function leaveCapsules({ identity }: TestCaller, left: number): Promise<void> {
  return runInDurableObject(env.CAPSULE_OWNERS.getByName(identity.did), ({ stored }) =>
    stored.transact(() => {
      stored.create(CAPSULE_OWNER)
      stored.facts.put('kept', TIER_BUDGETS.notes.capsules - left)
    }),
  )
}

/** What an identity keeps of another budget, as the triggers have counted it. */
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
