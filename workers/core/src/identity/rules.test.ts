import { NO_COMMITMENT } from '@svc/protocol/chain/commitment'
import { expect, it } from 'vitest'
import { checkKey, type IdentityRecord } from './rules.ts'

const CURRENT = 'a1'.repeat(48)
const FORMER = 'b2'.repeat(48)
const record: IdentityRecord = {
  did: `did:svc:${'PDw8'.repeat(8)}`,
  scope: '3c'.repeat(48),
  createdAt: 1_790_000_000_000,
  current: { epoch: 1, userId: CURRENT, publicKey: new Uint8Array(1952), activatedAt: 1_790_000_100_000 },
  commitment: NO_COMMITMENT,
  deactivatedAt: null,
}
const known = (userId: string) => userId === CURRENT || userId === FORMER
const refused = (reason: string) => ({ ok: false, error: { reason } })

it('lets only the current root key act', () => {
  expect(checkKey(record, CURRENT, known)).toEqual({ ok: true, value: record })
  expect(checkKey(record, FORMER, known)).toEqual(refused('superseded'))
  expect(checkKey(record, 'c3'.repeat(48), known)).toEqual(refused('unknown_key'))
})

it('lets no key act for an identity that is deactivated, or that there is not', () => {
  for (const userId of [CURRENT, FORMER, 'c3'.repeat(48)]) {
    expect(checkKey({ ...record, deactivatedAt: 0 }, userId, known)).toEqual(refused('deactivated'))
    expect(checkKey(null, userId, known)).toEqual(refused('unknown_key'))
  }
})
