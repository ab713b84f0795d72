import { env } from 'cloudflare:workers'
import type { SignedCapsule } from '@svc/client'
import { safeVerifyProof, verifyProof } from '@svc/client/verify'
import type { ProvenancePath } from '@svc/protocol/provenance/path'
import type { ProofBundle } from '@svc/protocol/provenance/proof-bundle'
import { coreAnswering, expectRefusal } from '@svc/service/testing'
import type { TestCaller } from '@svc/testing'
import { REALMS } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { caller } from '../harness.ts'
import { bucketsLosing } from './buckets.fixture.ts'
import { freshFile, get, register, signed, units } from './capsules.fixture.ts'

const OFF = { CHAIN_BINDING: 'off' }

/** A capsule with a block on the head of its owner's chain. */
async function bound(by: TestCaller, sent?: SignedCapsule) {
  return by.client.provenance.bind(sent ?? (await signed(by)), await by.client.chain.head())
}

describe('where nothing is bound to chains', () => {
  it('both routes are 501 for everything', async () => {
    const by = await caller()
    const { assetId } = await by.client.provenance.register(await signed(by))
    for (const id of [assetId, `asset:sha3-384:${'0'.repeat(96)}`, `text-${'0'.repeat(32)}`, 'x', '%00', '..%2f']) {
      for (const suffix of ['', '/path', '?did=x', '/path?no=such']) {
        expectRefusal(await get(`/api/provenance/${id}${suffix}`, OFF), 'canonical_chain_binding_unavailable')
      }
    }
  })
})

describe('where registration appends to the chain of its owner', () => {
  it('an id that names nothing is 404, whatever it looks like, and a query is looked at', async () => {
    for (const id of [`asset:sha3-384:${'0'.repeat(96)}`, `text-${'0'.repeat(32)}`, 'x']) {
      for (const suffix of ['', '/path']) expectRefusal(await get(`/api/provenance/${id}${suffix}`), 'not_found')
    }
    expectRefusal(await get(`/api/provenance/text-${'0'.repeat(32)}?did=x`), 'invalid_request')
  })

  it('the block is in the chain, and both routes lead to it', async () => {
    const by = await caller()
    const sent = await bound(by)
    const { assetId } = sent.capsule
    const { status, body } = await register(by, sent)
    expect(status).toBe(200)
    const head = await by.client.chain.head()
    expect(body).toMatchObject({ data: { chain: { index: '1', hash: head.hash } } })
    const { data } = (await get(`/api/provenance/${assetId}`)).body as { data: object }
    expect(data).toMatchObject({ assetId, did: by.identity.did, chain: { index: '1', hash: head.hash } })
    const path = (await get(`/api/provenance/${assetId}/path`)).body as { data: ProvenancePath }
    expect(path.data).toMatchObject({ ...data, block: sent.block, capsule: sent.capsule, epoch: 0 })
    expect(path.data.steps).toHaveLength(5)
  })

  it('the proof verifies the block offline', async () => {
    const by = await caller()
    const sent = await bound(by)
    await register(by, sent)
    const { body } = await get(`/api/provenance/${sent.capsule.assetId}/proof`)
    const bundle = (body as { data: ProofBundle }).data
    expect(bundle.gaps.map(({ gap }) => gap)).not.toContain('no_chain_binding')
    const verdict = await verifyProof(bundle, { realms: REALMS })
    expect(verdict.verified).toContain('chain_block')
    const other = await bound(await caller())
    const swapped = { ...bundle, chain: { ...bundle.chain, block: other.block } }
    expect(await safeVerifyProof(swapped, { realms: REALMS })).toMatchObject({
      ok: false,
      error: { evidence: { faults: ['block_mismatch'] } },
    })
    const moved = { ...bundle, chain: { ...bundle.chain, index: '2' } }
    expect(await safeVerifyProof(moved, { realms: REALMS })).toMatchObject({
      ok: false,
      error: { evidence: { faults: ['block_mismatch'] } },
    })
  })

  it('without a block a capsule is registered, bound to nothing', async () => {
    const by = await caller()
    const sent = await signed(by)
    expect((await register(by, sent)).body).toMatchObject({ data: { chain: null } })
    expectRefusal(await get(`/api/provenance/${sent.capsule.assetId}`), 'not_found')
    expect((await by.client.chain.head()).index).toBe('0')
  })

  it('a block on a stale head is refused with the head, and costs nothing', async () => {
    const by = await caller()
    const sent = await bound(by)
    await by.client.chain.append({})
    const refused = await register(by, sent)
    expectRefusal(refused, 'stale_head')
    const head = await by.client.chain.head()
    expect(refused.body).toMatchObject({ details: { head: { index: head.index, hash: head.hash } } })
    expect(await units(by)).toEqual({ used: 0, reserved: 0 })
    const { block: _, ...capsule } = sent
    expect((await register(by, await by.client.provenance.bind(capsule, head))).status).toBe(200)
  })

  it.each<[string, object, 'invalid_request' | 'invalid_signature']>([
    ['of another content type', { contentType: 'text/plain' }, 'invalid_request'],
    ['for other data', { dataHash: '0'.repeat(96) }, 'invalid_request'],
    ['changed after it was signed', { timestamp: '1' }, 'invalid_signature'],
    ['without a signature', { signature: undefined }, 'invalid_signature'],
  ])('a block %s is refused', async (_, members, error) => {
    const by = await caller()
    const sent = await bound(by)
    expectRefusal(await register(by, { ...sent, block: { ...sent.block, ...members } }), error)
    expect(await units(by)).toEqual({ used: 0, reserved: 0 })
    expect((await by.client.chain.head()).index).toBe('0')
  })

  it('a block of somebody else is refused', async () => {
    const [by, other] = [await caller(), await caller()]
    const sent = await signed(by)
    const { block } = await other.client.provenance.bind(sent, await other.client.chain.head())
    expectRefusal(await register(by, { ...sent, block }), 'owner_mismatch')
    expect((await other.client.chain.head()).index).toBe('0')
  })

  it('nothing is appended under a hold', async () => {
    const by = await caller()
    const sent = await bound(by)
    await by.client.security.placeHold()
    expectRefusal(await register(by, sent), 'security_hold')
    expect(await units(by)).toEqual({ used: 0, reserved: 0 })
  })
})

describe('a registration with a block that is cut off', () => {
  const lost = (when: 'before' | 'after') => ({
    CORE: coreAnswering(async (request) => {
      const isIt = request.url.endsWith('/chain/append')
      if (isIt && when === 'before') throw new Error('gone')
      const answer = await env.CORE.fetch(request)
      if (isIt) throw new Error('gone')
      return answer
    }),
  })
  const failingComplete = bucketsLosing('complete', 'before')

  it.each<[string, object]>([
    ['before it is appended', lost('before')],
    ['once it is appended', lost('after')],
    ['once its unit counts', failingComplete],
  ])('%s is completed by the same again, for one block and one unit', async (_, replaced) => {
    const by = await caller()
    const file = freshFile()
    const sent = await bound(by, await signed(by, file))
    expectRefusal(await register(by, sent, { replaced }), 'dependency_unavailable')
    expectRefusal(await get(`/api/provenance/${sent.capsule.assetId}`), 'not_found')
    const again = await register(by, sent)
    expect(again).toMatchObject({ status: 200, body: { data: { duplicate: false, chain: { index: '1' } } } })
    expect((await by.client.chain.head()).index).toBe('1')
    expect(await units(by)).toEqual({ used: 1, reserved: 0 })
  })

  it('twenty at once are one block, one registration and one unit', async () => {
    const by = await caller()
    const sent = await bound(by)
    const answers = await Promise.all(Array.from({ length: 20 }, () => register(by, sent)))
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
    expect((await by.client.chain.head()).index).toBe('1')
    expect(await units(by)).toEqual({ used: 1, reserved: 0 })
  }, 30_000)
})
