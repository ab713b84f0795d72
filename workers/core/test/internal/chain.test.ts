import { env } from 'cloudflare:workers'
import { SIGNATURE_ALG } from '@svc/protocol/base/labels'
import { type ChainBlockV4, type ChainHead, signBlock } from '@svc/protocol/chain/chain'
import { CAPSULE_CONTENT_TYPE } from '@svc/protocol/provenance/capsules'
import { INTERNAL_HEADER } from '@svc/service'
import type { TestCaller } from '@svc/testing'
import { signerOf } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { internalService } from '../../src/app.ts'
import { freshCaller } from '../harness.ts'

const SECRET = 'internal-secret-of-the-tests-only'

async function bind(did: string, block: unknown, caller = 'provenance', replaced = {}) {
  const request = new Request('https://internal/api/internal/chain/append', {
    method: 'POST',
    headers: { 'content-type': 'application/json', [INTERNAL_HEADER]: SECRET },
    body: JSON.stringify({ did, block }),
  })
  const context = { props: { caller }, waitUntil: () => {}, passThroughOnException: () => {} }
  const response = await internalService.app.fetch(request, { ...env, ...replaced }, context)
  return { status: response.status, body: await response.json<Record<string, unknown>>() }
}

/** A capsule's block of the caller on a head; members override what a good one would say. */
function blockOf({ identity }: TestCaller, head: ChainHead, members: Partial<ChainBlockV4> = {}) {
  return signBlock<ChainBlockV4>(
    {
      index: String(Number(head.index) + 1),
      timestamp: '1790000000000',
      previousHash: head.hash,
      dataHash: 'c0'.repeat(48),
      metadataHash: 'c1'.repeat(48),
      signatureAlg: SIGNATURE_ALG,
      ownerPublicKey: identity.publicKeyB64u,
      contentType: CAPSULE_CONTENT_TYPE,
      version: 4,
      scope: identity.scope,
      epoch: 0,
      ...members,
    },
    signerOf(identity),
  )
}

describe('a block that provenance carries', () => {
  it('is appended once, and is the same the second time', async () => {
    const by = await freshCaller()
    const block = await blockOf(by, await by.client.chain.head())
    const first = await bind(by.identity.did, block)
    expect(first).toEqual({
      status: 200,
      body: { state: 'appended', index: '1', hash: expect.any(String), acceptedAt: expect.any(Number) },
    })
    expect(await bind(by.identity.did, block)).toEqual(first)
    expect(await by.client.chain.head()).toMatchObject({ index: '1', hash: first.body['hash'] })
  })

  it.each(['did', 'keys', 'pay', 'stranger'])('is refused of %s', async (sibling) => {
    const by = await freshCaller()
    const block = await blockOf(by, await by.client.chain.head())
    expect(await bind(by.identity.did, block, sibling)).toMatchObject({ status: 403, body: { error: 'forbidden' } })
    expect((await by.client.chain.head()).index).toBe('0')
  })

  it.each<[string, Partial<ChainBlockV4>, object]>([
    ['owner_mismatch', { contentType: 'application/json' }, {}],
    ['owner_mismatch', { scope: 'f'.repeat(96) }, {}],
    ['stale_epoch', { epoch: 1 }, {}],
    ['stale_head', { index: '5' }, {}],
    ['stale_head', { previousHash: 'f'.repeat(96) }, {}],
    ['profile_not_accepted', {}, { CHAIN_V4: 'off' }],
  ])('is %s with %j', async (state, members, replaced) => {
    const by = await freshCaller()
    const block = await blockOf(by, await by.client.chain.head(), members)
    expect((await bind(by.identity.did, block, 'provenance', replaced)).body).toMatchObject({ state })
    expect((await by.client.chain.head()).index).toBe('0')
  })

  it('is refused for another identity than its own, and by a key that is not a root key of it', async () => {
    const [by, other] = [await freshCaller(), await freshCaller()]
    const head = await by.client.chain.head()
    expect((await bind(other.identity.did, await blockOf(by, head))).body).toEqual({ state: 'owner_mismatch' })
    const posing = await blockOf(other, head, { scope: by.identity.scope })
    expect((await bind(by.identity.did, posing)).body).toEqual({ state: 'owner_mismatch' })
    const { signature } = await blockOf(other, head)
    const forged = { ...(await blockOf(by, head)), signature }
    expect((await bind(by.identity.did, forged)).body).toEqual({ state: 'invalid_signature' })
    expect((await by.client.chain.head()).index).toBe('0')
  })

  it('is refused under a hold and after the end of the identity', async () => {
    const by = await freshCaller()
    const block = await blockOf(by, await by.client.chain.head())
    await by.client.security.placeHold()
    expect((await bind(by.identity.did, block)).body).toEqual({ state: 'security_hold' })
    await by.client.security.liftHold()
    await by.client.security.deactivate()
    expect((await bind(by.identity.did, block)).body).toEqual({ state: 'owner_mismatch' })
  })

  it('is taken once of twenty that follow one head', async () => {
    const by = await freshCaller()
    const head = await by.client.chain.head()
    const blocks = await Promise.all(
      Array.from({ length: 20 }, (_, i) => blockOf(by, head, { timestamp: String(1_790_000_000_000 + i) })),
    )
    const states = (await Promise.all(blocks.map((block) => bind(by.identity.did, block)))).map(
      ({ body }) => body['state'],
    )
    expect(states.filter((state) => state === 'appended')).toHaveLength(1)
    expect(states.filter((state) => state === 'stale_head')).toHaveLength(19)
  })
})
