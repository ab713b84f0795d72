import { env } from 'cloudflare:workers'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { describe, expect, it } from 'vitest'
import { call, freshCaller, nextBlock, sendWith } from '../harness.ts'

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
