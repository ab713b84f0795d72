import type { SignedKeyAgreement } from '@svc/protocol/base/key-agreement'
import { statementHash } from '@svc/protocol/base/statement'
import type { AccountAnswer } from '@svc/protocol/keys/transparency'
import { describe, expect, it } from 'vitest'
import { REALM } from '../../test/realm.ts'
import { alice, mallory } from '../../test/sides.ts'
import { KnownLogs } from '../memory/known-logs.ts'
import { markMirrored } from '../mirrors/from-mirror.ts'
import { unverified } from '../verification/verification-error.ts'
import { LoggedAgreements } from './logged-agreements.ts'

const NOW = 1_790_000_000_000
const DAY_MS = 24 * 3_600_000
const agreed = (now: number, changes: object = {}) => alice.keyAgreement({ realm: REALM, now, ...changes })
const [older, newer, other] = await Promise.all([agreed(NOW - 1), agreed(NOW), agreed(NOW, { sheets: [mallory] })])
const shown = (signed: SignedKeyAgreement | null, since = 0) => ({ signed, since })
/** The part of a proved account that is compared. */
const accountOf = (signed: SignedKeyAgreement | null) =>
  ({
    agreement: signed && { hash: statementHash(signed.statement), issuedAt: signed.statement.issuedAt },
  }) as AccountAnswer
const mirrored = (signed: SignedKeyAgreement | null) =>
  markMirrored(accountOf(signed), { mirror: 'https://m.test', signedAt: NOW, ageMs: 0, isRefusing: false }, DAY_MS)

function checking(account: () => AccountAnswer, { memory = new KnownLogs(), now = NOW } = {}) {
  const transparency = () => Promise.resolve({ account: async () => account() })
  const logged = new LoggedAgreements(transparency, memory, () => now)
  return { memory, check: (...args: Parameters<typeof shown>) => logged.check(alice.did, shown(...args)) }
}
const unavailable = (): never => {
  throw new Error('offline')
}

describe('a key agreement', () => {
  it('is proved if it is the newest in the log', async () => {
    expect(await checking(() => accountOf(newer)).check(newer)).toBe('proved')
  })

  it('is claimed for a day while it is newer than those in the log', async () => {
    for (const known of [null, older]) {
      const account = () => accountOf(known)
      expect(await checking(account).check(newer)).toBe('claimed')
      expect(await checking(account, { now: NOW + DAY_MS - 1 }).check(newer)).toBe('claimed')
      await expect(checking(account, { now: NOW + DAY_MS }).check(newer)).rejects.toMatchObject({
        subject: 'agreement',
        reason: 'left_out',
        where: { position: NOW },
        evidence: { shown: newer, account: accountOf(known) },
      })
    }
  })

  it('is refused if the log has a newer one, or another one of its time', async () => {
    const { check } = checking(() => accountOf(newer))
    await expect(check(older)).rejects.toMatchObject({
      name: 'RollbackError',
      reason: 'rollback',
      where: { position: NOW - 1 },
      remembered: { position: NOW, signed: accountOf(newer) },
      received: { position: NOW - 1, signed: older },
    })
    await expect(check(other)).rejects.toMatchObject({ reason: 'left_out', where: { position: NOW } })
  })

  it('is claimed while the directory is unavailable, or has no map that is recent by this clock', async () => {
    const expired = (): never => {
      throw unverified('account', 'expired', 'The map of accounts is too old')
    }
    for (const account of [unavailable, expired]) {
      const { check } = checking(account, { now: NOW + 9 * DAY_MS })
      expect([await check(newer), await check(null)]).toEqual(['claimed', 'claimed'])
    }
  })

  it('is not taken from a directory that proves something false', async () => {
    const { check } = checking(() => {
      throw unverified('account', 'wrong_map', 'The proof of the account is invalid')
    })
    await expect(check(newer)).rejects.toMatchObject({ subject: 'account', reason: 'wrong_map' })
  })

  it('is compared with a mirror, which may lack the newest ones', async () => {
    const now = NOW + 9 * DAY_MS
    expect(await checking(() => mirrored(newer), { now }).check(newer)).toBe('proved')
    expect(await checking(() => mirrored(older), { now }).check(newer)).toBe('claimed')
    expect(await checking(() => mirrored(null), { now }).check(null)).toBe('claimed')
    await expect(checking(() => mirrored(newer), { now }).check(older)).rejects.toMatchObject({ reason: 'rollback' })
  })
})

describe('an identity without a key agreement', () => {
  it('has none in the log, or one of a former root key', async () => {
    expect(await checking(() => accountOf(null)).check(null)).toBe('proved')
    expect(await checking(() => accountOf(newer)).check(null, NOW + 1)).toBe('proved')
  })

  it('is refused if its root key has stated one', async () => {
    const { check } = checking(() => accountOf(newer))
    for (const since of [0, NOW])
      await expect(check(null, since)).rejects.toMatchObject({ reason: 'left_out', where: { position: 0 } })
  })
})

describe('what the log has proved once', () => {
  it('is remembered: no later answer goes behind it', async () => {
    const { memory } = checking(() => accountOf(newer))
    // It was proved while an older one was shown.
    await expect(checking(() => accountOf(newer), { memory }).check(older)).rejects.toThrow()
    for (const account of [unavailable, () => accountOf(older), () => accountOf(null), () => mirrored(older)]) {
      const { check } = checking(account, { memory })
      await expect(check(older)).rejects.toMatchObject({ reason: 'rollback', remembered: { signed: accountOf(newer) } })
      await expect(check(other)).rejects.toMatchObject({ reason: 'left_out' })
      await expect(check(null)).rejects.toMatchObject({ reason: 'left_out' })
      expect(await check(newer)).toBe('proved')
    }
  })

  it('is replaced by a newer one', async () => {
    const memory = new KnownLogs()
    expect(await checking(() => accountOf(older), { memory }).check(older)).toBe('proved')
    expect(await checking(() => accountOf(newer), { memory }).check(newer)).toBe('proved')
    const kept = await memory.recall({ kind: 'account', of: alice.did })
    expect(kept.map(({ position }) => position)).toEqual([NOW])
  })
})
