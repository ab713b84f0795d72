import { safeVerifyProof, verifyProof } from '@svc/client/verify'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import type { ProofBundle } from '@svc/protocol/provenance/proof-bundle'
import { expectRefusal } from '@svc/service/testing'
import { REALMS } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { freshFile, get, IMAGE, signed } from '../capsules/capsules.fixture.ts'
import { caller, device } from '../harness.ts'

const gapsOf = (bundle: ProofBundle) => bundle.gaps.map(({ gap }) => gap)

async function proven() {
  const by = await caller()
  const file = freshFile()
  const { assetId } = await by.client.provenance.register(await signed(by, file))
  return { by, file, assetId, bundle: await by.client.provenance.proof(assetId) }
}

describe('a proof bundle', () => {
  it('labels each piece of evidence, and says what is missing', async () => {
    const { by, assetId, bundle } = await proven()
    expect(bundle).toMatchObject({ assetId, did: by.identity.did, anchor: null, chain: null })
    expect(bundle.anchorReason).toMatch(/disabled/)
    expect(Object.fromEntries(bundle.evidence.map(({ kind, strength }) => [kind, strength]))).toEqual({
      capsule_signature: 'cryptographic',
      capsule_hash: 'cryptographic',
      content_hash: 'cryptographic',
      key_of_did: 'cryptographic',
      registration: 'service',
      key_status: 'authority',
      media_facts: 'claim',
    })
    expect(gapsOf(bundle)).toEqual(['no_ledger_anchor', 'no_trusted_time', 'content_not_seen', 'no_chain_binding'])
  })

  it('is verified offline, with the file and without', async () => {
    const { by, file, bundle } = await proven()
    const kept: unknown = JSON.parse(JSON.stringify(bundle))
    expect(await verifyProof(kept, { realms: REALMS })).toEqual({
      verified: ['capsule_hash', 'capsule_signature', 'key_of_did'],
      unverified: [
        { kind: 'content_hash', strength: 'service' },
        { kind: 'registration', strength: 'service' },
        { kind: 'key_status', strength: 'authority' },
        { kind: 'media_facts', strength: 'claim' },
      ],
      gaps: gapsOf(bundle),
      signer: null,
      order: 'unknown',
    })
    const verdict = await verifyProof(kept, { realms: REALMS, file, expectedDid: by.identity.did })
    expect(verdict.verified).toContain('content_hash')
  })

  it('does not hold for another file or another identity', async () => {
    const { bundle } = await proven()
    expect(await safeVerifyProof(bundle, { realms: REALMS, file: freshFile() })).toMatchObject({
      ok: false,
      error: { evidence: { faults: ['content_mismatch'] } },
    })
    const expectedDid = (await caller()).identity.did
    expect(await safeVerifyProof(bundle, { realms: REALMS, expectedDid })).toMatchObject({
      ok: false,
      error: { evidence: { faults: ['did_mismatch'] } },
    })
  })

  it.each<[string, (bundle: ProofBundle) => unknown, string[]]>([
    ['capsule', (b) => ({ ...b, capsule: { ...b.capsule, issuedAt: 1 } }), ['capsule_hash', 'invalid_signature']],
    ['hash', (b) => ({ ...b, capsuleHash: '0'.repeat(96) }), ['capsule_hash']],
    ['DID', (b) => ({ ...b, did: `did:svc:${'A'.repeat(32)}` }), ['did_mismatch']],
    ['asset', (b) => ({ ...b, assetId: `asset:sha3-384:${'0'.repeat(96)}` }), ['asset_mismatch']],
    [
      'signature',
      (b) => ({ ...b, signature: { ...b.signature, signatureB64u: encodeBase64url(new Uint8Array(3309)) } }),
      ['invalid_signature'],
    ],
  ])('does not hold with another %s', async (_, change, faults) => {
    const { bundle } = await proven()
    expect(await safeVerifyProof(change(bundle), { realms: REALMS })).toMatchObject({
      ok: false,
      error: { subject: 'capsule', reason: faults[0], evidence: { faults } },
    })
  })

  it('is believed in nothing that it only says of itself', async () => {
    const { bundle } = await proven()
    const boasting = { ...bundle, evidence: bundle.evidence.map((one) => ({ ...one, strength: 'cryptographic' })) }
    const { unverified } = await verifyProof(boasting, { realms: REALMS })
    expect(unverified.map(({ strength }) => strength)).not.toContain('cryptographic')
    await expect(verifyProof({ ...bundle, anchor: { ledger: 'any' } }, { realms: REALMS })).rejects.toMatchObject({
      reason: 'malformed',
    })
    await expect(verifyProof({ ...bundle, gaps: [] }, { realms: REALMS })).rejects.toMatchObject({
      reason: 'malformed',
    })
  })

  it('by a device rests on core’s word for whose key it is', async () => {
    const by = await device({ capabilities: ['provenance:write'] })
    const { assetId } = await by.client.provenance.register(await by.client.provenance.sign(freshFile(), IMAGE))
    const bundle = await by.client.provenance.proof(assetId)
    expect(gapsOf(bundle)).toContain('key_by_authority')
    const verdict = await verifyProof(bundle, { realms: REALMS })
    expect(verdict).toMatchObject({ verified: ['capsule_hash', 'capsule_signature'] })
    expect(verdict.unverified).toContainEqual({ kind: 'key_of_did', strength: 'authority' })
    const rootKeys = await by.owner.client.provenance.rootKeysOf(by.owner.identity.did)
    expect((await safeVerifyProof(bundle, { realms: REALMS, rootKeys })).ok).toBe(true)
  })

  it('says when another identity came before, and when a key ended', async () => {
    const { by, file, assetId } = await proven()
    const later = await caller()
    await later.client.provenance.register(await signed(later, file))
    expect(gapsOf(await by.client.provenance.proof(assetId))).toContain('competing_claims')
    const theirs = gapsOf(await by.client.provenance.proof(assetId, later.identity.did))
    expect(theirs).toEqual(expect.arrayContaining(['competing_claims', 'earlier_claim']))
    await later.client.security.deactivate()
    expect(gapsOf(await by.client.provenance.proof(assetId, later.identity.did))).toContain('key_not_current')
  })

  it('is 404 for what was never registered', async () => {
    expectRefusal(await get(`/api/provenance/asset:sha3-384:${'0'.repeat(96)}/proof`), 'not_found')
  })
})
