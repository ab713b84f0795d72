import { runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { Prober } from '@svc/service/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { service } from '../../src/app.ts'
import { BASE, caller, internal, send } from '../harness.ts'
import { consume, meter, meterObject, quota, unitKey } from './quota.fixture.ts'

afterEach(() => vi.useRealTimers())
const someDid = `did:svc:${'A'.repeat(32)}`

describe('the internal routes of pay', () => {
  const body = { did: someDid, kind: 'capsule', key: unitKey('k'), ttlSeconds: 60 }

  it('are 404 on the public hostname', async () => {
    const prober = new Prober({ service, send, base: BASE })
    for (const name of ['reserve', 'finalize', 'release']) {
      const probe = { method: 'POST', path: `/api/internal/quota/${name}`, body: JSON.stringify(body) }
      expect((await prober.send(probe)).status).toBe(404)
    }
  })

  it.each([
    ['no secret', { secret: null }],
    ['a wrong secret', { secret: 'internal-secret-of-the-tests-onlx' }],
    ['a sibling that has no business here', { sibling: 'did' }],
    ['core', { sibling: 'core' }],
    ['an unknown caller', { sibling: 'stranger' }],
    ['no caller', { sibling: null }],
    ['a secret that the deployment does not have', { bindings: { ...env, SVC_INTERNAL_SECRET: undefined } }],
  ])('refuse %s', async (_, options) => {
    const refused = await internal('/api/internal/quota/reserve', body, options)
    expect(refused).toMatchObject({ status: 403, body: { success: false, error: 'forbidden' } })
  })

  it.each([
    { ...body, ttlSeconds: 86_401 },
    { ...body, ttlSeconds: 0 },
    { ...body, amount: 0 },
    { ...body, did: 'did:web:example.com' },
    { ...body, kind: 'image' },
    { ...body, kind: 'search' },
    { ...body, kind: 'video' },
    { ...body, kind: 'text' },
    { ...body, key: '' },
    // Names that tell pay what is registered.
    { ...body, key: `text:text-${'3c'.repeat(16)}` },
    { ...body, key: `capsule:${'a7'.repeat(48)}` },
    { ...body, earlierKeys: ['text:text-1'] },
    { ...body, more: true },
  ])('refuse the reservation %j', async (wrong) => {
    expect((await internal('/api/internal/quota/reserve', wrong)).body).toMatchObject({ error: 'invalid_request' })
  })
})

describe('a reservation whose key comes from a later version of the seed', () => {
  const earlierKeys = [unitKey('asset')]
  const [now, before] = [{ key: unitKey('asset', 2), earlierKeys }, 'asset'] as const

  it('is the one that was made under the version before', async () => {
    const by = await caller()
    const { did } = by.identity
    await quota('reserve', did, before)
    expect((await quota('reserve', did, 'asset', now)).body).toMatchObject({ state: 'reserved' })
    expect(await meter(by, 'capsule')).toMatchObject({ used: 0, reserved: 1 })
    expect((await quota('finalize', did, 'asset', now)).body).toMatchObject({ state: 'finalized' })
    expect((await quota('reserve', did, 'asset', now)).body).toMatchObject({ state: 'finalized' })
    expect(await meter(by, 'capsule')).toMatchObject({ used: 1, reserved: 0 })
  })

  it('is released under either, and held anew under the later one', async () => {
    const by = await caller()
    const { did } = by.identity
    await quota('reserve', did, before)
    expect((await quota('release', did, 'asset', now)).body).toMatchObject({ state: 'released' })
    expect((await quota('reserve', did, 'asset', now)).body).toMatchObject({ state: 'reserved' })
    // The one that ended is not in the way of the one that is held.
    expect((await quota('finalize', did, 'asset', now)).body).toMatchObject({ state: 'finalized' })
    expect((await quota('finalize', did, before)).body).toMatchObject({ error: 'reservation_ended' })
    expect(await meter(by, 'capsule')).toMatchObject({ used: 1, reserved: 0 })
  })

  it('holds one unit for twenty at once', async () => {
    const by = await caller()
    const { did } = by.identity
    await quota('reserve', did, before)
    const all = Array.from({ length: 20 }, (_, i) => quota('reserve', did, 'asset', i % 2 === 0 ? now : {}))
    for (const { body } of await Promise.all(all)) expect(body).toMatchObject({ state: 'reserved' })
    await Promise.all(Array.from({ length: 20 }, () => quota('finalize', did, 'asset', now)))
    expect(await meter(by, 'capsule')).toMatchObject({ used: 1, reserved: 0 })
  })
})

describe('a reservation', () => {
  it('counts against the limit until it is finalized, which makes it use', async () => {
    const by = await caller()
    const { did } = by.identity
    const held = await quota('reserve', did, 'a', { amount: 3 })
    expect(held).toEqual({
      status: 200,
      body: { state: 'reserved', kind: 'capsule', amount: 3, expiresAt: expect.any(Number) },
    })
    expect(await quota('reserve', did, 'a', { amount: 3 })).toEqual(held)
    expect(await meter(by, 'capsule')).toMatchObject({ used: 0, reserved: 3 })
    const finalized = await quota('finalize', did, 'a')
    expect(finalized.body).toMatchObject({ state: 'finalized', amount: 3 })
    expect(await quota('finalize', did, 'a')).toEqual(finalized)
    expect(await meter(by, 'capsule')).toMatchObject({ used: 3, reserved: 0 })
  })

  it('of what was finalized costs nothing more', async () => {
    const by = await caller()
    const { did } = by.identity
    await quota('reserve', did, 'asset')
    await quota('finalize', did, 'asset')
    expect((await quota('reserve', did, 'asset')).body).toMatchObject({ state: 'finalized' })
    expect(await meter(by, 'capsule')).toMatchObject({ used: 1, reserved: 0 })
    expect((await quota('release', did, 'asset')).body).toMatchObject({ error: 'reservation_ended' })
    expect((await quota('reserve', did, 'asset', { amount: 2 })).body).toMatchObject({ error: 'idempotency_conflict' })
  })

  it('that is released is held no more, and may be made again', async () => {
    const by = await caller()
    const { did } = by.identity
    await quota('reserve', did, 'a', { amount: 20 })
    expect((await quota('reserve', did, 'b')).body).toEqual({
      state: 'exhausted',
      kind: 'capsule',
      used: 20,
      limit: 20,
      tier: 'notes',
    })
    const released = await quota('release', did, 'a')
    expect(released.body).toMatchObject({ state: 'released' })
    expect(await quota('release', did, 'a')).toEqual(released)
    expect((await quota('finalize', did, 'a')).body).toMatchObject({ error: 'reservation_ended' })
    expect((await quota('reserve', did, 'a', { amount: 1 })).body).toMatchObject({ state: 'reserved' })
    expect(await meter(by, 'capsule')).toMatchObject({ used: 0, reserved: 1 })
  })

  it('ends by itself, before and after the alarm', async () => {
    const by = await caller()
    const { did } = by.identity
    await quota('reserve', did, 'a', { amount: 20, ttlSeconds: 60 })
    vi.setSystemTime(Date.now() + 59_000)
    expect((await meter(by, 'capsule')).reserved).toBe(20)
    vi.setSystemTime(Date.now() + 1_000)
    for (let i = 0; i < 2; i++) {
      expect(await meter(by, 'capsule')).toMatchObject({ used: 0, reserved: 0 })
      expect((await quota('finalize', did, 'a')).body).toMatchObject({ error: 'reservation_ended' })
      expect((await quota('release', did, 'a')).body).toMatchObject({ state: 'expired' })
      if (i === 0) expect(await runDurableObjectAlarm(meterObject(by))).toBe(true)
    }
    expect((await quota('reserve', did, 'a', { amount: 20 })).body).toMatchObject({ state: 'reserved' })
  })

  it('counts in the month in which it was made', async () => {
    const by = await caller()
    const { did } = by.identity
    const end = Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() + 1, 1)
    vi.setSystemTime(end - 1000)
    await quota('reserve', did, 'a', { amount: 20 })
    vi.setSystemTime(end + 1000)
    expect(await meter(by, 'capsule')).toMatchObject({ used: 0, reserved: 0 })
    expect((await quota('finalize', did, 'a')).body).toMatchObject({ state: 'finalized' })
    expect(await meter(by, 'capsule')).toMatchObject({ used: 0, reserved: 0 })
  })

  it('is known by its key, and apart from the owner’s own keys', async () => {
    const by = await caller()
    const { did } = by.identity
    expect((await quota('finalize', did, 'k')).body).toMatchObject({ error: 'not_found' })
    expect((await quota('release', did, 'k')).body).toMatchObject({ error: 'not_found' })
    await consume(by, 'text', 'k')
    expect((await quota('reserve', did, 'k')).body).toMatchObject({ state: 'reserved' })
    expect(await meter(by, 'text')).toMatchObject({ used: 1, reserved: 0 })
    expect(await meter(by, 'capsule')).toMatchObject({ used: 0, reserved: 1 })
  })
})
