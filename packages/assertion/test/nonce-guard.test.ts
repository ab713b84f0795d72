import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { NonceGuard } from '../src/worker/index.ts'
import { NonceGuardClient } from '../src/worker/nonce-guard-client.ts'

const guards = (env as unknown as { NONCES: DurableObjectNamespace<NonceGuard> }).NONCES
const MINUTE = 60_000
const SWEEP_DELAY = 60_000

let signers = 0
/** A guard not used by any other test, and the name of its signer. */
function freshGuard() {
  signers += 1
  const signer = signers.toString(16).padStart(96, '0')
  return { signer, guard: guards.getByName(signer) }
}
type Guard = ReturnType<typeof freshGuard>['guard']

const soon = () => Date.now() + MINUTE
const at = (time: number) => vi.useFakeTimers({ toFake: ['Date'], now: time })
const rowsOf = (guard: Guard) =>
  runInDurableObject(guard, (_, { storage }) =>
    storage.sql.exec<{ nonce: string }>('SELECT nonce FROM nonces ORDER BY nonce').toArray(),
  )
const tablesOf = (guard: Guard) =>
  runInDurableObject(guard, (_, { storage }) =>
    storage.sql
      .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE name LIKE 'nonces%'")
      .toArray()
      .map(({ name }) => name),
  )
const alarmOf = (guard: Guard) => runInDurableObject(guard, (_, { storage }) => storage.getAlarm())

afterEach(() => {
  vi.useRealTimers()
})

describe('spending', () => {
  it('accepts a nonce once', async () => {
    const { guard, signer } = freshGuard()
    expect(await guard.spend(signer, 'n', soon())).toBe('spent')
    expect(await guard.spend(signer, 'n', soon())).toBe('replay')
    expect(await guard.spend(signer, 'm', soon())).toBe('spent')
  })

  it('lets exactly one of twenty concurrent calls win', async () => {
    const { guard, signer } = freshGuard()
    const keepUntil = soon()
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => guard.spend(signer, 'n', keepUntil)))
    expect(outcomes.filter((outcome) => outcome === 'spent')).toHaveLength(1)
    expect(outcomes.filter((outcome) => outcome === 'replay')).toHaveLength(19)
  })

  it('accepts twenty different nonces at once', async () => {
    const { guard, signer } = freshGuard()
    const keepUntil = soon()
    const outcomes = await Promise.all(Array.from({ length: 20 }, (_, i) => guard.spend(signer, `n${i}`, keepUntil)))
    expect(new Set(outcomes)).toEqual(new Set(['spent']))
    expect(await rowsOf(guard)).toHaveLength(20)
  })

  it('keeps signers apart: one cannot use up another’s nonce', async () => {
    const { guard, signer } = freshGuard()
    expect(await guard.spend('another', 'n', soon())).toBe('spent')
    expect(await guard.spend(signer, 'n', soon())).toBe('spent')
    expect(await guard.spend('another', 'n', soon())).toBe('replay')
  })

  it('distinguishes nonces by every character', async () => {
    const { guard, signer } = freshGuard()
    for (const nonce of ['n', 'N', 'n!', "n'; DROP TABLE nonces; --", 'n'.repeat(256)]) {
      expect(await guard.spend(signer, nonce, soon())).toBe('spent')
      expect(await guard.spend(signer, nonce, soon())).toBe('replay')
    }
  })

  it('refuses a spent nonce with an earlier or later expiry', async () => {
    const { guard, signer } = freshGuard()
    expect(await guard.spend(signer, 'n', soon())).toBe('spent')
    expect(await guard.spend(signer, 'n', soon() + MINUTE)).toBe('replay')
    expect(await guard.spend(signer, 'n', Date.now() + 1000)).toBe('replay')
  })

  it('remembers after an eviction', async () => {
    const { guard, signer } = freshGuard()
    await guard.spend(signer, 'n', soon())
    await evictDurableObject(guard)
    expect(await guard.spend(signer, 'n', soon())).toBe('replay')
    expect(await guard.spend(signer, 'm', soon())).toBe('spent')
  })
})

describe('expiry', () => {
  // A day ahead of the clock of alarms, so that none fires by itself.
  const NOW = Date.now() + 86_400_000

  it('is refused from that millisecond on', async () => {
    const { guard, signer } = freshGuard()
    at(NOW)
    expect(await guard.spend(signer, 'a', NOW - 1)).toBe('expired')
    expect(await guard.spend(signer, 'a', NOW)).toBe('expired')
    expect(await guard.spend(signer, 'a', NOW + 1)).toBe('spent')
  })

  it('leaves nothing behind in an object without nonces', async () => {
    const { guard, signer } = freshGuard()
    expect(await guard.spend(signer, 'n', Date.now() - 1)).toBe('expired')
    expect(await tablesOf(guard)).toEqual([])
    expect(await alarmOf(guard)).toBeNull()
  })

  it('prevents replay between expiry and expiry plus skew, swept or not', async () => {
    const { guard, signer } = freshGuard()
    const [expiresAt, skew] = [NOW + MINUTE, 2 * MINUTE]
    at(NOW)
    expect(await guard.spend(signer, 'n', expiresAt + skew)).toBe('spent')
    for (const time of [expiresAt - 1, expiresAt, expiresAt + 1, expiresAt + skew - 1]) {
      at(time)
      expect(await guard.spend(signer, 'n', expiresAt + skew)).toBe('replay')
      await runDurableObjectAlarm(guard)
      expect(await guard.spend(signer, 'n', expiresAt + skew)).toBe('replay')
    }
    at(expiresAt + skew)
    expect(await guard.spend(signer, 'n', expiresAt + skew)).toBe('expired')
    await runDurableObjectAlarm(guard)
    expect(await guard.spend(signer, 'n', expiresAt + skew)).toBe('expired')
  })
})

describe('the alarm', () => {
  it('is set to a minute after the first expiry and not moved by later ones', async () => {
    const { guard, signer } = freshGuard()
    const first = soon()
    await guard.spend(signer, 'a', first)
    expect(await alarmOf(guard)).toBe(first + SWEEP_DELAY)
    await guard.spend(signer, 'b', first + 10 * MINUTE)
    expect(await alarmOf(guard)).toBe(first + SWEEP_DELAY)
  })

  it('is not set again after eviction', async () => {
    const { guard, signer } = freshGuard()
    const first = soon()
    await guard.spend(signer, 'a', first)
    await evictDurableObject(guard)
    await guard.spend(signer, 'b', first + 10 * MINUTE)
    expect(await alarmOf(guard)).toBe(first + SWEEP_DELAY)
  })

  it('deletes expired nonces, keeps the rest and schedules the next alarm', async () => {
    const { guard, signer } = freshGuard()
    const now = Date.now()
    await guard.spend(signer, 'early', now + MINUTE)
    await guard.spend(signer, 'edge', now + 5 * MINUTE)
    await guard.spend(signer, 'late', now + 5 * MINUTE + 1)
    at(now + 5 * MINUTE)
    expect(await runDurableObjectAlarm(guard)).toBe(true)
    expect(await rowsOf(guard)).toEqual([{ nonce: 'late' }])
    expect(await guard.spend(signer, 'late', now + 5 * MINUTE + 1)).toBe('replay')
    expect(await alarmOf(guard)).toBe(now + 5 * MINUTE + 1 + SWEEP_DELAY)
  })

  it('deletes nothing if it fires early or twice', async () => {
    const { guard, signer } = freshGuard()
    const keepUntil = soon()
    await guard.spend(signer, 'n', keepUntil)
    for (let i = 0; i < 2; i++) {
      expect(await runDurableObjectAlarm(guard)).toBe(true)
      expect(await guard.spend(signer, 'n', keepUntil)).toBe('replay')
      expect(await alarmOf(guard)).toBe(keepUntil + SWEEP_DELAY)
    }
  })

  it('sweeps after an eviction', async () => {
    const { guard, signer } = freshGuard()
    const now = Date.now()
    await guard.spend(signer, 'early', now + MINUTE)
    await guard.spend(signer, 'late', now + 9 * MINUTE)
    await evictDurableObject(guard)
    at(now + 5 * MINUTE)
    expect(await runDurableObjectAlarm(guard)).toBe(true)
    expect(await rowsOf(guard)).toEqual([{ nonce: 'late' }])
  })

  it('empties the storage when nothing is left, and the guard keeps working', async () => {
    const { guard, signer } = freshGuard()
    const now = Date.now()
    await guard.spend(signer, 'n', now + MINUTE)
    expect(await tablesOf(guard)).toContain('nonces')
    at(now + 5 * MINUTE)
    expect(await runDurableObjectAlarm(guard)).toBe(true)
    expect(await tablesOf(guard)).toEqual([])
    expect(await alarmOf(guard)).toBeNull()
    expect(await runDurableObjectAlarm(guard)).toBe(false)
    const keepUntil = now + 10 * MINUTE
    expect(await guard.spend(signer, 'm', keepUntil)).toBe('spent')
    expect(await guard.spend(signer, 'm', keepUntil)).toBe('replay')
    expect(await alarmOf(guard)).toBe(keepUntil + SWEEP_DELAY)
  })

  it('leaves a guard that still lets exactly one of twenty callers win', async () => {
    const { guard, signer } = freshGuard()
    const now = Date.now()
    await guard.spend(signer, 'n', now + MINUTE)
    at(now + 5 * MINUTE)
    await runDurableObjectAlarm(guard)
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => guard.spend(signer, 'm', now + 9 * MINUTE)))
    expect(outcomes.filter((outcome) => outcome === 'spent')).toHaveLength(1)
  })
})

describe('NonceGuardClient', () => {
  const verified = (userId: string, nonce: string) => ({
    userId,
    keyDid: `did:svc:${'PDw8'.repeat(8)}`,
    publicKeyB64u: 'x',
    signer: userId,
    device: null,
    requiredCapability: 'root' as const,
    nonce,
    keepUntil: soon(),
  })

  it('spends at the guard of the signing key', async () => {
    const { guard, signer } = freshGuard()
    const client = new NonceGuardClient(guards)
    expect(await client.spend(verified(signer, 'n'))).toBe('spent')
    expect(await client.spend(verified(signer, 'n'))).toBe('replay')
    expect(await client.spend(verified(freshGuard().signer, 'n'))).toBe('spent')
    expect(await guard.spend(signer, 'n', soon())).toBe('replay')
  })

  it('reports an unreachable guard as unavailable, never a nonce as spent', async () => {
    const broken = {
      getByName: () => ({ spend: () => Promise.reject(new Error('Network connection lost.')) }),
    } as unknown as DurableObjectNamespace<NonceGuard>
    expect(await new NonceGuardClient(broken).spend(verified(freshGuard().signer, 'n'))).toBe('unavailable')
  })
})
