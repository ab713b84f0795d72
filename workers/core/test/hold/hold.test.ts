import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { DEVICE_HOLD_PERIOD_MS } from '@svc/protocol/chain/hold'
import type { TestCaller } from '@svc/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { HOLD_MARKS } from '../../src/identity/store.ts'
import { call, freshCaller, nextBlock, sendWith } from '../harness.ts'
import { memberOf } from '../rotation/rotation.fixture.ts'
import { identityOf } from '../storage/storage.fixture.ts'

afterEach(() => {
  vi.useRealTimers()
})

/** Who placed the holds that are marked. Reads what one device placed by an index. */
const marks = (caller: TestCaller) =>
  runInDurableObject(identityOf(caller), ({ stored }) => {
    const sql = stored.tables(HOLD_MARKS)
    const since = 'SELECT 1 FROM hold_marks WHERE placed_by = ? AND placed_at > ?'
    const [plan] = sql.exec<{ detail: string }>(`EXPLAIN QUERY PLAN ${since}`, '', 0).toArray()
    expect(plan?.detail).toContain('USING COVERING INDEX hold_marks_by_device')
    return sql
      .exec<{ placed_by: string }>('SELECT placed_by FROM hold_marks')
      .toArray()
      .map((row) => row.placed_by)
  })

describe('a security hold', () => {
  it('blocks appends at once and nothing else', async () => {
    const caller = await freshCaller()
    const { client } = caller
    expect(await client.security.hold()).toEqual({ held: false, placedAt: null })
    const { placedAt } = await client.security.placeHold()
    expect(placedAt).toEqual(expect.any(Number))
    expect(await call(caller, 'POST', '/api/chain/append', await nextBlock(caller))).toMatchObject({
      status: 409,
      body: { success: false, error: 'security_hold' },
    })
    expect((await client.chain.head()).index).toBe('0')
    expect((await client.chain.safeVerify()).ok).toBe(true)
  })

  it('still tells a retry that its block was appended', async () => {
    const caller = await freshCaller()
    const block = await nextBlock(caller)
    const first = await call(caller, 'POST', '/api/chain/append', block)
    await caller.client.security.placeHold()
    expect(await call(caller, 'POST', '/api/chain/append', block)).toMatchObject({
      status: 409,
      body: { error: 'security_hold', details: { appended: first.body['data'] } },
    })
  })

  it('is placed once: repeating it keeps the first, and lifting it twice changes nothing', async () => {
    const { client } = await freshCaller()
    const first = await client.security.placeHold()
    expect(await client.security.placeHold()).toEqual(first)
    expect(await client.security.liftHold()).toEqual({ held: false, placedAt: null })
    expect(await client.security.liftHold()).toEqual({ held: false, placedAt: null })
    expect((await client.chain.append({})).index).toBe('1')
  })

  it('leaves a mark of the device that placed it, for 30 days, and none of the root key', async () => {
    const start = Date.now()
    vi.useFakeTimers({ toFake: ['Date'], now: start })
    const caller = await freshCaller()
    const { device, client } = await memberOf(caller)
    const places = async (security: typeof client.security) => {
      await security.placeHold()
      await caller.client.security.liftHold()
    }
    for (let i = 0; i < 5; i++) await places(caller.client.security)
    for (let i = 0; i < 3; i++) await places(client.security)
    await expect(client.security.placeHold()).rejects.toMatchObject({ error: 'veto_limit' })
    expect(await marks(caller)).toEqual([device.deviceId, device.deviceId, device.deviceId])
    vi.setSystemTime(start + DEVICE_HOLD_PERIOD_MS)
    await places(client.security)
    expect(await marks(caller)).toEqual([device.deviceId])
  })

  it('stops an append authorized before it was placed', async () => {
    const caller = await freshCaller()
    // The hold comes between the call that authorizes a large append and the one that writes its pointer.
    const slow = {
      put: async (...operands: Parameters<R2Bucket['put']>) => {
        await caller.client.security.placeHold()
        return env.BLOBS.put(...operands)
      },
    }
    const racing = await appendLarge(caller, slow)
    expect(racing).toMatchObject({ status: 409, body: { error: 'security_hold' } })
    expect((await caller.client.chain.head()).index).toBe('0')
  })

  it('racing twenty appends lets none through afterwards', async () => {
    const caller = await freshCaller()
    const block = await nextBlock(caller)
    const [, ...answers] = await Promise.all([
      caller.client.security.placeHold(),
      ...Array.from({ length: 20 }, () => call(caller, 'POST', '/api/chain/append', block)),
    ])
    const taken = answers.filter(({ status }) => status === 201).length
    expect((await caller.client.chain.head()).index).toBe(String(taken))
    expect((await call(caller, 'POST', '/api/chain/append', await nextBlock(caller))).status).toBe(409)
  })
})

async function appendLarge(caller: Awaited<ReturnType<typeof freshCaller>>, bucket: unknown) {
  const payload = new Uint8Array(70_000)
  const block = await caller.client.chain.makeBlock(await caller.client.chain.head(), { payload })
  const body = { ...block, payloadB64u: encodeBase64url(payload) }
  return call(caller, 'POST', '/api/chain/append', body, sendWith({ BLOBS: bucket }))
}
