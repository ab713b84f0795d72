import { capsuleHash } from '@svc/protocol/provenance/capsules'
import { commitmentHash, commitmentIdOf } from '@svc/protocol/provenance/commitments'
import { describe, expect, it } from 'vitest'
import { fetchOf } from '../../test/fetch.ts'
import { Client } from '../client.ts'
import { Identity } from '../identity/identity.ts'
import { safeVerifyOpening } from './verify-proof.ts'

const NOW = 1_790_000_000_000
const alice = await Identity.fromSeeds({ signing: new Uint8Array(32).fill(1), kem: new Uint8Array(32).fill(2) })
const bob = await Identity.fromSeeds({ signing: new Uint8Array(32).fill(3), kem: new Uint8Array(32).fill(4) })
const FILE = new TextEncoder().encode('canary-of-the-file')
const FACTS = { kind: 'image', mime: 'image/png' } as const

/** Provenance as it answers everything. */
function answering(answer: (body: unknown) => unknown, identity: Identity | null = alice) {
  const sent: string[] = []
  const fetch = async (request: Request) => {
    const text = await request.text()
    sent.push(`${request.method} ${request.url} ${text}`)
    return Response.json({
      success: true,
      data: answer(text ? JSON.parse(text) : null),
      timestamp: NOW,
      requestId: 'r',
    })
  }
  const places = { core: 'https://core.test', did: 'https://did.test', provenance: 'https://provenance.test' }
  const client = new Client({ ...places, ...(identity ? { identity } : {}), fetch: fetchOf(fetch), now: () => NOW })
  return { sent, provenance: client.provenance }
}

const { provenance: signer } = answering(() => null)
const signed = await signer.sign(FILE, FACTS)
const hash = capsuleHash(signed.capsule)
const registration = {
  assetId: signed.capsule.assetId,
  did: alice.did,
  kind: 'image',
  capsuleHash: hash,
  position: 1,
  registeredAt: NOW,
}
const record = {
  ...registration,
  capsule: signed.capsule,
  signature: signed.signature,
  signer: { kind: 'root', scope: alice.scope, userId: alice.userId, epoch: 0, deviceId: null },
  chain: null,
  claims: [{ did: alice.did, capsuleHash: hash, position: 1, registeredAt: NOW }],
  claimCount: 1,
}

describe('a client without the place of provenance, or without an identity', () => {
  it('says so', async () => {
    const lost = new Client({ core: 'https://core.test', did: 'https://did.test', identity: alice })
    expect(() => lost.provenance).toThrow(TypeError)
    const { provenance } = answering(() => record, null)
    await expect(provenance.sign(FILE, FACTS)).rejects.toThrow(TypeError)
    expect((await provenance.capsule(record.assetId)).did).toBe(alice.did)
  })
})

describe('registering', () => {
  it('sends the hash of the file and nothing of its bytes', async () => {
    const { sent, provenance } = answering(() => ({ ...registration, duplicate: false, chain: null }))
    await provenance.register(signed)
    expect(sent).toHaveLength(1)
    expect(sent[0]).toContain(signed.capsule.assetId)
    for (const form of [String.fromCharCode(...FILE), btoa(String.fromCharCode(...FILE)).replace(/=+$/, '')])
      expect(sent[0]).not.toContain(form)
  })

  it('sends a video where videos are registered', async () => {
    const video = await signer.sign(FILE, { kind: 'video', mime: 'video/mp4' })
    const own = { ...registration, kind: 'video', capsuleHash: capsuleHash(video.capsule) }
    const { sent, provenance } = answering(() => ({ ...own, duplicate: false, chain: null }))
    await provenance.register(video)
    expect(sent[0]).toMatch(/^POST https:\/\/provenance\.test\/api\/register\/video /)
  })

  it.each([{ assetId: `asset:sha3-384:${'0'.repeat(96)}` }, { did: bob.did }, { capsuleHash: '0'.repeat(96) }])(
    'does not believe an answer about %j',
    async (members) => {
      const { provenance } = answering(() => ({ ...registration, duplicate: false, chain: null, ...members }))
      await expect(provenance.register(signed)).rejects.toThrow('Provenance answered for a different capsule')
    },
  )
})

describe('reading a capsule', () => {
  it('takes one that holds', async () => {
    const { provenance } = answering(() => record)
    expect(await provenance.capsule(record.assetId, alice.did)).toEqual(record)
  })

  it.each<[string, object]>([
    ['of another asset', { assetId: `asset:sha3-384:${'0'.repeat(96)}` }],
    ['of another identity', { did: bob.did }],
    ['under another hash', { capsuleHash: '0'.repeat(96) }],
    ['that was changed', { capsule: { ...signed.capsule, issuedAt: NOW + 1 } }],
    ['signed by another key', { signature: { ...signed.signature, publicKeyB64u: bob.publicKeyB64u } }],
  ])('refuses one %s', async (_, members) => {
    const { provenance } = answering(() => ({ ...record, ...members }))
    await expect(provenance.capsule(record.assetId, alice.did)).rejects.toThrow('The capsule is invalid')
  })
})

describe('a commitment', () => {
  const own = (body: unknown) => {
    const { commitment_hash: made } = body as { commitment_hash: string }
    const verification = { verifiable: true, rule: 'r', reason: null }
    return {
      id: commitmentIdOf(alice.did, made),
      commitment_hash: made,
      algorithm: 'sha3-384',
      did: alice.did,
      created_at_ms: NOW,
      profile: 'native',
      verification,
      duplicate: false,
    }
  }

  it('sends a salted hash, another one each time, and neither salt nor content', async () => {
    const { sent, provenance } = answering(own)
    const [first, second] = [await provenance.commit(FILE), await provenance.commit(FILE)]
    expect(first.commitment.commitment_hash).not.toBe(second.commitment.commitment_hash)
    expect(sent.join()).not.toContain(first.saltB64u)
    expect(sent.join()).not.toContain('canary')
    expect((await safeVerifyOpening(first.commitment, first.saltB64u, FILE)).ok).toBe(true)
    expect((await safeVerifyOpening(first.commitment, second.saltB64u, FILE)).ok).toBe(false)
  })

  it.each([{ id: `commitment-${'0'.repeat(32)}` }, { commitment_hash: '0'.repeat(96) }])(
    'does not believe an answer about %j',
    async (members) => {
      const { provenance } = answering((body) => ({ ...own(body), ...members }))
      await expect(provenance.commit(FILE)).rejects.toThrow('Provenance answered for a different commitment')
    },
  )

  it('is read only under the name that its owner and hash make', async () => {
    const made = commitmentHash(new Uint8Array(32), FILE)
    const { duplicate: _, ...kept } = own({ commitment_hash: made })
    expect(await answering(() => kept).provenance.commitment(kept.id)).toEqual(kept)
    await expect(answering(() => ({ ...kept, did: bob.did })).provenance.commitment(kept.id)).rejects.toThrow()
    await expect(answering(() => kept).provenance.commitment(`commitment-${'0'.repeat(32)}`)).rejects.toThrow()
  })

  it('has a hash that separates domain, salt and content', () => {
    expect(commitmentHash(new Uint8Array(32).fill(7), new TextEncoder().encode('hello'))).toBe(
      '8c9644a18efba920bcd8894bb8d498be17eda40bebc651c4cd17a4301fa28d3ad571115bb2aae0dc6586d0da9ce660e7',
    )
    expect(() => commitmentHash(new Uint8Array(31), FILE)).toThrow(TypeError)
  })
})

describe('verification', () => {
  it('makes a nonce for each request', async () => {
    const { sent, provenance } = answering(() => ({ items: [], valid: 0, invalid: 0 }))
    const request = { publicKeyB64u: 'k', messageB64u: 'm', signatureB64u: 's' }
    await provenance.verifyBatch([request, request, { ...request, nonce: 'mine' }])
    const { items } = JSON.parse(sent[0]?.split(' ').slice(2).join(' ') ?? '') as { items: { nonce: string }[] }
    expect(items.map(({ nonce }) => nonce)).toEqual([expect.any(String), expect.any(String), 'mine'])
    expect(new Set(items.map(({ nonce }) => nonce)).size).toBe(3)
  })
})
