import { NO_COMMITMENT } from '@svc/protocol/chain/commitment'
import { describe, expect, it } from 'vitest'
import { agreeAgain, checkKey, type IdentityRecord, MAX_KEY_AGREEMENTS } from './rules.ts'

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

describe('a key agreement', () => {
  const NOW = 1_790_000_000_000
  const DAY = 24 * 3_600_000
  const times = (count: number, first: number) => Array.from({ length: count }, (_, i) => first + i)

  it('is newer than the last one, whichever root key signed that', () => {
    expect(agreeAgain(null, { epoch: 0, issuedAt: 5 }, NOW)).toEqual({ ok: true, value: [NOW] })
    const last = { epoch: 0, issuedAt: 5, acceptedAt: [NOW - 1] }
    expect(agreeAgain(last, { epoch: 0, issuedAt: 5 }, NOW)).toEqual(refused('stale'))
    expect(agreeAgain(last, { epoch: 1, issuedAt: 4 }, NOW)).toEqual(refused('stale'))
    expect(agreeAgain(last, { epoch: 0, issuedAt: 6 }, NOW)).toEqual({ ok: true, value: [NOW - 1, NOW] })
  })

  it('is one of 32 in any 24 hours', () => {
    const full = { epoch: 0, issuedAt: 5, acceptedAt: times(MAX_KEY_AGREEMENTS, NOW - DAY + 1) }
    const next = { epoch: 0, issuedAt: 6 }
    expect(agreeAgain(full, next, NOW)).toEqual(refused('agreement_limit'))
    const later = agreeAgain(full, next, NOW + 1)
    expect(later).toEqual({ ok: true, value: [...full.acceptedAt.slice(1), NOW + 1] })
  })

  it('of a new root key is not counted with those of the former one', () => {
    const full = { epoch: 0, issuedAt: 5, acceptedAt: times(MAX_KEY_AGREEMENTS, NOW - MAX_KEY_AGREEMENTS) }
    expect(agreeAgain(full, { epoch: 1, issuedAt: 6 }, NOW)).toEqual({ ok: true, value: [NOW] })
  })
})
