import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { TIER_BUDGETS } from '@svc/protocol/pay/tiers'
import type { TestCaller } from '@svc/testing'
import type { KeptKind, Room } from '../../src/storage/rules.ts'

export const FREE = TIER_BUDGETS.notes

export const identityOf = ({ identity }: TestCaller) => env.IDENTITIES.getByName(identity.did)

/** What the identity keeps, in all or of a kind. */
export async function kept(caller: TestCaller, kind?: KeptKind): Promise<Room> {
  const byKind = (await identityOf(caller).kept())?.byKind
  if (!byKind) throw new Error('no identity')
  const counted = kind === undefined ? Object.values(byKind) : [byKind[kind]]
  return {
    bytes: counted.reduce((sum, { bytes }) => sum + bytes, 0),
    rows: counted.reduce((sum, { rows }) => sum + rows, 0),
  }
}

/** Leaves this much of the free budget. */
export async function leave(caller: TestCaller, left: Partial<Room>): Promise<void> {
  const { bytes, rows } = await kept(caller)
  await runInDurableObject(identityOf(caller), ({ transaction }) => {
    transaction.storage.countAnyway('chain', {
      bytes: FREE.storedBytes - (left.bytes ?? FREE.storedBytes - bytes) - bytes,
      rows: FREE.storedRows - (left.rows ?? FREE.storedRows - rows) - rows,
    })
  })
}
