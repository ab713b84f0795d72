import { signStatement } from '@svc/protocol/base/statement'
import { capsuleHash } from '@svc/protocol/provenance/capsules'
import { expectRefusal } from '@svc/service/testing'
import type { TestCaller } from '@svc/testing'
import { signerOf } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { caller } from '../harness.ts'
import { changed, freshFile, get, IMAGE, register, signed, units, VIDEO } from './capsules.fixture.ts'

/** Signed by the caller, whatever it says. */
async function resigned(by: TestCaller, members: object) {
  const { capsule, signature } = await signed(by)
  const other = { ...capsule, ...members }
  const { signatureB64u } = await signStatement(other, signerOf(by.identity))
  return { capsule: other, signature: { ...signature, signatureB64u } }
}

describe('registering the capsule of an image', () => {
  it('answers with its place, and costs one unit', async () => {
    const by = await caller()
    const sent = await signed(by)
    const { status, body, headers } = await register(by, sent)
    expect(status).toBe(200)
    expect(body).toEqual({
      success: true,
      data: {
        assetId: sent.capsule.assetId,
        did: by.identity.did,
        kind: 'image',
        capsuleHash: capsuleHash(sent.capsule),
        position: 1,
        registeredAt: expect.any(Number),
        duplicate: false,
        chain: null,
      },
      timestamp: expect.any(Number),
      requestId: headers.get('x-request-id'),
    })
    expect(await units(by)).toEqual({ used: 1, reserved: 0 })
  })

  it('of the same capsule again is a duplicate, and costs nothing', async () => {
    const by = await caller()
    const sent = await signed(by)
    const first = await by.client.provenance.register(sent)
    expect(await by.client.provenance.register(sent)).toEqual({ ...first, duplicate: true })
    expect(await units(by)).toEqual({ used: 1, reserved: 0 })
  })

  it('of another capsule of the same asset is refused, names the one that stands and costs nothing', async () => {
    const by = await caller()
    const file = freshFile()
    const first = await by.client.provenance.register(await signed(by, file))
    const other = await by.client.provenance.sign(file, { kind: 'image', mime: 'image/jpeg' })
    const refused = await register(by, other)
    expectRefusal(refused, 'capsule_exists')
    expect(refused.body).toMatchObject({ details: { capsuleHash: first.capsuleHash } })
    expect(await units(by)).toEqual({ used: 1, reserved: 0 })
  })

  it('of the same asset by somebody else is another registration, and comes after', async () => {
    const [first, second] = [await caller(), await caller()]
    const file = freshFile()
    const one = await first.client.provenance.register(await signed(first, file))
    const two = await second.client.provenance.register(await signed(second, file))
    expect(two).toMatchObject({ assetId: one.assetId, duplicate: false })
    expect([one.position, two.position]).toEqual([1, 2])
    const another = await first.client.provenance.register(await signed(first))
    expect(another.position).toBe(1)
    const record = await first.client.provenance.capsule(one.assetId)
    expect(record).toMatchObject({ did: first.identity.did, claimCount: 2 })
    expect(record.claims.map(({ did }) => did)).toEqual([first.identity.did, second.identity.did])
    const { duplicate: _, ...registration } = two
    expect(await first.client.provenance.capsule(one.assetId, second.identity.did)).toMatchObject(registration)
  })

  it('is 402 once the tier allows no more, with the body of the documents', async () => {
    const by = await caller()
    for (let i = 0; i < 20; i += 1) await by.client.provenance.register(await signed(by))
    const { status, body, headers } = await register(by, await signed(by))
    expect(status).toBe(402)
    expect(body).toEqual({
      success: false,
      error: 'quota_exhausted',
      message: expect.any(String),
      kind: 'capsule',
      used: 20,
      limit: 20,
      tier: 'notes',
      requestId: headers.get('x-request-id'),
      timestamp: expect.any(Number),
    })
  }, 30_000)
})

describe('registering the capsule of a video', () => {
  it('counts on the same meter', async () => {
    const by = await caller()
    const sent = await by.client.provenance.sign(freshFile(), VIDEO)
    expect(await by.client.provenance.register(sent)).toMatchObject({ kind: 'video', duplicate: false })
    expect(await units(by)).toEqual({ used: 1, reserved: 0 })
  })

  it('is refused where images are registered, and the other way round', async () => {
    const by = await caller()
    expectRefusal(await register(by, await by.client.provenance.sign(freshFile(), VIDEO)), 'invalid_request')
    expectRefusal(await register(by, await signed(by), { path: '/api/register/video' }), 'invalid_request')
    expect(await units(by)).toEqual({ used: 0, reserved: 0 })
  })
})

describe('a capsule is refused and costs nothing', () => {
  it.each<[string, object]>([
    ['an algorithm that is not ml-dsa-65', { algorithm: 'ml-dsa-87' }],
    ['a historical label', { algorithm: 'dilithium3' }],
    ['no algorithm', { algorithm: undefined }],
    ['a key of another length', { publicKeyB64u: 'AAAA' }],
    ['a member that nobody knows', { context: '' }],
  ])('with %s', async (_, members) => {
    const by = await caller()
    const { capsule, signature } = await signed(by)
    expectRefusal(await register(by, { capsule, signature: { ...signature, ...members } }), 'invalid_request')
    expect(await units(by)).toEqual({ used: 0, reserved: 0 })
  })

  it.each<[string, object]>([
    ['another asset id', { assetId: `asset:sha3-384:${'0'.repeat(96)}` }],
    ['another time', { issuedAt: 1 }],
    ['a member taken away', { media: { mime: 'image/png', bytes: 40 } }],
  ])('when it was signed with %s', async (_, members) => {
    const by = await caller()
    expectRefusal(await register(by, changed(await signed(by), members)), 'invalid_signature')
    expect(await units(by)).toEqual({ used: 0, reserved: 0 })
  })

  it.each<[string, object]>([
    ['of another type', { type: 'svc/capsule/v2' }],
    ['with the raw file', { file: 'AAAA' }],
    ['with a title', { title: 'A sunset' }],
    ['with an asset id of another form', { assetId: 'asset:sha256:00' }],
    ['of a video, said to be an image', { media: { mime: 'video/mp4', bytes: 1 } }],
    ['with a width of zero', { media: { mime: 'image/png', bytes: 1, width: 0 } }],
  ])('%s, though it is signed', async (_, members) => {
    const by = await caller()
    expectRefusal(await register(by, await resigned(by, members)), 'invalid_request')
  })

  it('of another DID than the caller’s, though the caller has signed it', async () => {
    const [by, other] = [await caller(), await caller()]
    expectRefusal(await register(by, await resigned(by, { did: other.identity.did })), 'owner_mismatch')
    expectRefusal(await register(by, await signed(other)), 'owner_mismatch')
  })

  it('signed by somebody else’s key for the caller', async () => {
    const [by, other] = [await caller(), await caller()]
    const { capsule } = await signed(by)
    const { signatureB64u } = await signStatement(capsule, signerOf(other.identity))
    const signature = { algorithm: 'ml-dsa-65', publicKeyB64u: other.identity.publicKeyB64u, signatureB64u }
    expectRefusal(await register(by, { capsule, signature }), 'invalid_signature')
    expect(await units(by)).toEqual({ used: 0, reserved: 0 })
  })

  it('from the future, and taken when it is old', async () => {
    const by = await caller()
    const late = await register(by, await resigned(by, { issuedAt: Date.now() + 301_000 }))
    expectRefusal(late, 'statement_expired')
    expect(late.body).toMatchObject({ serverTime: expect.any(Number) })
    expect((await register(by, await resigned(by, { issuedAt: 0 }))).status).toBe(200)
  })

  it('with more perceptual hashes of full length than its body has room for', async () => {
    const by = await caller()
    const claiming = (count: number) => {
      const hashes = Array.from({ length: count }, () => 'a'.repeat(16_384))
      return by.client.provenance.sign(freshFile(), { ...IMAGE, perceptual: { algo: 'pdq', hashes } })
    }
    expectRefusal(await register(by, await claiming(64)), 'payload_too_large')
    expect(await units(by)).toEqual({ used: 0, reserved: 0 })
    const most = await by.client.provenance.bind(await claiming(62), await by.client.chain.head())
    expect((await register(by, most)).status).toBe(200)
  })

  it('with a block where nothing is bound to chains', async () => {
    const by = await caller()
    const bound = await by.client.provenance.bind(await signed(by), await by.client.chain.head())
    const off = { CHAIN_BINDING: 'off' }
    expectRefusal(await register(by, bound, { replaced: off }), 'canonical_chain_binding_unavailable')
    expect(await units(by)).toEqual({ used: 0, reserved: 0 })
  })
})

describe('reading a capsule', () => {
  it('gives what was signed, by whom, and verifies it anew', async () => {
    const by = await caller()
    const sent = await signed(by)
    const { assetId } = await by.client.provenance.register(sent)
    const { userId, scope, did } = by.identity
    expect(await by.client.provenance.capsule(assetId)).toMatchObject({
      capsule: sent.capsule,
      signature: sent.signature,
      signer: { kind: 'root', userId, scope, epoch: 0, deviceId: null },
      chain: null,
      claimCount: 1,
    })
    expect(await by.client.provenance.verifyCapsule(assetId)).toMatchObject({
      did,
      valid: true,
      publicKeyB64u: by.identity.publicKeyB64u,
      keyStatus: { state: 'current', kind: 'root', did },
    })
  })

  it('is 404 for an unregistered asset, a text and an identity that has not registered, whatever the id looks like', async () => {
    const by = await caller()
    const { assetId } = await by.client.provenance.register(await signed(by))
    const stranger = `did:svc:${'A'.repeat(32)}`
    for (const path of [`asset:sha3-384:${'0'.repeat(96)}`, `text-${'0'.repeat(32)}`, `${assetId}?did=${stranger}`]) {
      const [id = '', query] = path.split('?')
      for (const suffix of ['', '/verify'])
        expectRefusal(await get(`/api/capsule/${id}${suffix}${query ? `?${query}` : ''}`), 'not_found')
    }
    for (const id of ['x', assetId.toUpperCase(), 'commitment-1', `text-${'0'.repeat(31)}`]) {
      expectRefusal(await get(`/api/capsule/${id}`), 'not_found')
      expectRefusal(await get(`/api/capsule/${id}/verify`), 'not_found')
      expectRefusal(await get(`/api/provenance/${id}/proof`), 'not_found')
    }
    expectRefusal(await get(`/api/capsule/${assetId}?did=x`), 'invalid_request')
  })
})
