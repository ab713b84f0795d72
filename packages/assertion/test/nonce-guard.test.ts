import { evictDurableObject, runDurableObjectAlarm } from 'cloudflare:test'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { NonceGuard } from '../src/worker/index.ts'
import { NonceGuardClient } from '../src/worker/nonce-guard-client.ts'
import {
  alarmOf,
  at,
  endOf,
  freshGuard,
  GRACE,
  guards,
  HOUR,
  hoursOf,
  MINUTE,
  namesOf,
  soon,
  tablesOf,
} from './guards.fixture.ts'

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
    const names = await namesOf(guard)
    expect(names.map(({ name }) => name.byteLength)).toEqual(Array(20).fill(16))
  })

  it('keeps signers apart: one cannot use up another’s nonce', async () => {
    const { guard, signer } = freshGuard()
    expect(await guard.spend('another', 'n', soon())).toBe('spent')
    expect(await guard.spend(signer, 'n', soon())).toBe('spent')
    expect(await guard.spend('another', 'n', soon())).toBe('replay')
  })

  it('does not take the end of a signer for the beginning of a nonce', async () => {
    const { guard } = freshGuard()
    for (const [signer, nonce] of [
      ['1', '12'],
      ['11', '2'],
      ['1:1', '2'],
      ['1', ':12'],
    ] as const)
      expect(await guard.spend(signer, nonce, soon())).toBe('spent')
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
  it('is set to an hour after the last hour and not moved by later nonces', async () => {
    const { guard, signer } = freshGuard()
    const first = soon()
    await guard.spend(signer, 'a', first)
    expect(await alarmOf(guard)).toBe(endOf(first) + GRACE)
    for (const later of [1, 10 * MINUTE, 70 * MINUTE]) await guard.spend(signer, `b${later}`, first + later)
    expect(await alarmOf(guard)).toBe(endOf(first) + GRACE)
  })

  it('is not set again after eviction', async () => {
    const { guard, signer } = freshGuard()
    const first = soon()
    await guard.spend(signer, 'a', first)
    await evictDurableObject(guard)
    await guard.spend(signer, 'b', first + 70 * MINUTE)
    expect(await alarmOf(guard)).toBe(endOf(first) + GRACE)
  })

  it('drops the hours that are over, keeps the rest and schedules the next alarm', async () => {
    const { guard, signer } = freshGuard()
    const now = endOf(Date.now())
    at(now)
    const late = now + 3 * HOUR + MINUTE
    await guard.spend(signer, 'early', now + MINUTE)
    await guard.spend(signer, 'edge', now + 2 * HOUR - 1)
    at(now + 2 * HOUR)
    await guard.spend(signer, 'late', late)
    expect(await runDurableObjectAlarm(guard)).toBe(true)
    expect(await hoursOf(guard, now)).toEqual([3])
    expect(await guard.spend(signer, 'late', late)).toBe('replay')
    expect(await alarmOf(guard)).toBe(endOf(late) + GRACE)
  })

  it('drops nothing if it fires early or twice', async () => {
    const { guard, signer } = freshGuard()
    const keepUntil = soon()
    await guard.spend(signer, 'n', keepUntil)
    for (let i = 0; i < 2; i++) {
      expect(await runDurableObjectAlarm(guard)).toBe(true)
      expect(await guard.spend(signer, 'n', keepUntil)).toBe('replay')
      expect(await alarmOf(guard)).toBe(endOf(keepUntil) + GRACE)
    }
  })

  it('works after an eviction', async () => {
    const { guard, signer } = freshGuard()
    const now = endOf(Date.now())
    at(now)
    await guard.spend(signer, 'early', now + MINUTE)
    await guard.spend(signer, 'late', now + 2 * HOUR)
    await evictDurableObject(guard)
    at(now + HOUR)
    expect(await runDurableObjectAlarm(guard)).toBe(true)
    expect(await hoursOf(guard, now)).toEqual([2])
  })

  it('empties the storage when nothing is left, and the guard keeps working', async () => {
    const { guard, signer } = freshGuard()
    const now = Date.now()
    await guard.spend(signer, 'n', now + MINUTE)
    at(endOf(now + MINUTE) + GRACE)
    expect(await runDurableObjectAlarm(guard)).toBe(true)
    expect(await tablesOf(guard)).toEqual([])
    expect(await alarmOf(guard)).toBeNull()
    expect(await runDurableObjectAlarm(guard)).toBe(false)
    const keepUntil = soon()
    expect(await guard.spend(signer, 'm', keepUntil)).toBe('spent')
    expect(await guard.spend(signer, 'm', keepUntil)).toBe('replay')
    expect(await alarmOf(guard)).toBe(endOf(keepUntil) + GRACE)
  })

  it('leaves a guard that still lets exactly one of twenty callers win', async () => {
    const { guard, signer } = freshGuard()
    const now = Date.now()
    await guard.spend(signer, 'n', now + MINUTE)
    at(endOf(now + MINUTE) + GRACE)
    await runDurableObjectAlarm(guard)
    const keepUntil = soon()
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => guard.spend(signer, 'm', keepUntil)))
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
