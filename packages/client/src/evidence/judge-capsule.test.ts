import { blockHash, isSigned } from '@svc/protocol/chain/chain'
import { capsuleHash } from '@svc/protocol/provenance/capsules'
import { describe, expect, it } from 'vitest'
import { fetchOf } from '../../test/fetch.ts'
import { REALM } from '../../test/realm.ts'
import { alice, heirOfAlice, mallory } from '../../test/sides.ts'
import { Client } from '../client.ts'
import type { Identity } from '../identity/identity.ts'
import { historyOfAlice, judged, MALFORMED, namesOf, text } from './means.fixture.ts'

const NOW = 1_790_000_000_000
const FILE = text('a picture')
const PLACES = { core: REALM, did: 'https://did.test', provenance: 'https://provenance.test', now: () => NOW }
const HEAD = { index: '0', hash: 'a7'.repeat(48) }
const { heir, keys } = await heirOfAlice()
/** Why a key that was replaced does not count. */
const UNORDERED = { subject: 'capsule', reason: 'unordered' }
const UNREGISTERED = ['registration unchecked', 'no_ledger_anchor unchecked', 'no_trusted_time unchecked']

const { provenance } = new Client({ ...PLACES, identity: alice })
const signed = await provenance.sign(FILE, { kind: 'image', mime: 'image/png' })
const { capsule } = signed

/** The same capsule, signed by another key under the name of Alice. */
async function signedBy(key: Identity) {
  const { signerOf } = await import('../../test/signer.ts')
  const { signStatement } = await import('@svc/protocol/base/statement')
  const { signatureB64u } = await signStatement(capsule, signerOf(key))
  return { capsule, signature: { ...signed.signature, publicKeyB64u: key.publicKeyB64u, signatureB64u } }
}

/** Core with the keys of Alice, and provenance with this bundle or none. */
function services(bundle: object | null = null) {
  const fetch = fetchOf(async ({ url }) => {
    if (url.includes('/history')) return Response.json({ success: true, data: historyOfAlice(url, keys) })
    if (bundle) return Response.json({ success: true, data: bundle })
    return Response.json({ success: false, error: 'not_found', timestamp: NOW }, { status: 404 })
  })
  return new Client({ ...PLACES, fetch, retries: false })
}

const bundle = {
  format: 'svc-proof-bundle/1',
  assetId: capsule.assetId,
  did: alice.did,
  capsule,
  capsuleHash: capsuleHash(capsule),
  signature: signed.signature,
  signer: { kind: 'root', scope: alice.scope, userId: alice.userId, epoch: 0, deviceId: null },
  registration: { position: 1, registeredAt: NOW, claimCount: 1 },
  keyStatus: null,
  chain: null,
  evidence: [{ kind: 'registration', strength: 'service', says: 'Provenance said so' }],
  gaps: [{ gap: 'no_ledger_anchor', says: 'None' }],
  anchor: null,
  anchorReason: 'None',
  issuedAt: NOW,
}

/** The same bundle with a block of the chain. */
async function boundBundle() {
  const { block } = await provenance.bind(signed, HEAD)
  if (!block || !isSigned(block)) throw new TypeError('no block')
  return { ...bundle, chain: { index: block.index, hash: blockHash(block), acceptedAt: NOW, block } }
}

describe('a capsule without its bundle', () => {
  it('is valid by the key in the DID for its file, and says what it does not prove', async () => {
    const verdict = await judged('capsule', signed, { file: FILE })
    expect(verdict).toMatchObject({ verdict: 'valid', did: alice.did, subject: capsule.assetId, at: capsule.issuedAt })
    expect(namesOf(verdict)).toEqual([
      'capsule_signature ok',
      'content_hash ok',
      'key_of_did ok',
      'order unchecked',
      ...UNREGISTERED,
    ])
  })

  it('is undecided without its file', async () => {
    const verdict = await judged('capsule', signed)
    expect(verdict).toMatchObject({ verdict: 'undecided', needs: 'file' })
    expect(namesOf(verdict)).toEqual([
      'capsule_signature ok',
      'key_of_did ok',
      'order unchecked',
      ...UNREGISTERED,
      'file unchecked',
    ])
  })

  it('is about the file that it must be about', async () => {
    expect(namesOf(await judged('capsule', signed, { file: FILE }))).toContain('content_hash ok')
    await expect(judged('capsule', signed, { file: text('another') })).rejects.toMatchObject({
      subject: 'capsule',
      reason: 'content_mismatch',
    })
  })

  it('can carry the block of the chain that binds it', async () => {
    const { block } = await provenance.bind(signed, HEAD)
    expect(namesOf(await judged('capsule', { ...signed, block }))).toContain('chain_block ok')
    const other = { ...block, dataHash: 'ab'.repeat(48) }
    await expect(judged('capsule', { ...signed, block: other })).rejects.toMatchObject({ reason: 'block_mismatch' })
  })

  it.each<[string, object, string]>([
    ['was changed', { capsule: { ...capsule, issuedAt: NOW + 1 } }, 'invalid_signature'],
    [
      'has another key',
      { signature: { ...signed.signature, publicKeyB64u: mallory.publicKeyB64u } },
      'invalid_signature',
    ],
    ['is of another deployment', { capsule: { ...capsule, realm: 'https://other.test' } }, 'realm_mismatch'],
    ['is recorded under another hash', { capsuleHash: 'ab'.repeat(48) }, 'capsule_hash'],
  ])('that %s is invalid', async (_, members, reason) => {
    await expect(judged('capsule', { ...signed, ...members })).rejects.toMatchObject({ subject: 'capsule', reason })
  })

  it('of somebody else is invalid for the DID that it must be of', async () => {
    const expected = { expectedDid: mallory.did }
    await expect(judged('capsule', signed, expected)).rejects.toMatchObject({ reason: 'did_mismatch' })
  })

  it('that is cut does not have its form', async () => {
    const { assetId: _, ...cut } = capsule
    await expect(judged('capsule', { ...signed, capsule: cut })).rejects.toMatchObject(MALFORMED)
  })
})

describe('a capsule by another key than the first', () => {
  it('is undecided without the history of the keys', async () => {
    const verdict = await judged('capsule', await signedBy(heir))
    expect(verdict).toMatchObject({ verdict: 'undecided', needs: 'key_history' })
    expect(namesOf(verdict)).toEqual([
      'capsule_signature ok',
      'capsule_key unchecked',
      'order unchecked',
      ...UNREGISTERED,
      'file unchecked',
    ])
  })

  it('is valid by a later root key', async () => {
    const verdict = await judged('capsule', await signedBy(heir), { client: services() })
    expect(verdict).toMatchObject({ signer: 'active', order: 'unknown' })
    expect(namesOf(verdict)).toEqual([
      'capsule_signature ok',
      'key_of_did ok',
      'signer ok',
      ...UNREGISTERED,
      'file unchecked',
    ])
  })

  it('is refused by a root key that was replaced, with a block of that key too', async () => {
    await expect(judged('capsule', signed, { client: services() })).rejects.toMatchObject(UNORDERED)
    const bound = await provenance.bind(signed, HEAD)
    await expect(judged('capsule', bound, { client: services() })).rejects.toMatchObject(UNORDERED)
  })

  it('counts by a root key that was replaced if a block of the next one follows it', async () => {
    const { block } = await new Client({ ...PLACES, identity: heir }).provenance.bind(signed, HEAD)
    const verdict = await judged('capsule', { ...signed, block }, { client: services() })
    expect(verdict).toMatchObject({ signer: 'superseded', order: 'chain' })
    expect(namesOf(verdict)).toContain('chain_block ok')
  })

  it('may be by a device, which only the service can say', async () => {
    const verdict = await judged('capsule', await signedBy(mallory), { client: services() })
    expect(namesOf(verdict)).toEqual([
      'capsule_signature ok',
      'device_key unchecked',
      'order unchecked',
      ...UNREGISTERED,
      'file unchecked',
    ])
  })
})

describe('a capsule that is registered', () => {
  it('proves as much as the bundle of its registration', async () => {
    const verdict = await judged('capsule', signed, { client: services(await boundBundle()), file: FILE })
    expect(verdict).toMatchObject({ kind: 'capsule', verdict: 'valid', did: alice.did })
    expect(verdict).toMatchObject({ signer: 'superseded', order: 'chain' })
    expect(namesOf(verdict)).toEqual([
      'capsule_hash ok',
      'capsule_signature ok',
      'content_hash ok',
      'key_of_did ok',
      'chain_block ok',
      'registration unchecked',
      'no_ledger_anchor unchecked',
      'signer ok',
    ])
  })

  it('is refused by a root key that was replaced if no block follows it', async () => {
    const known = { client: services(bundle), file: FILE }
    await expect(judged('capsule', signed, known)).rejects.toMatchObject(UNORDERED)
  })

  it('is by itself where another capsule of the same content was registered', async () => {
    const byHeir = new Client({ ...PLACES, identity: heir }).provenance
    const other = await byHeir.sign(FILE, { kind: 'image', mime: 'image/png', width: 1 })
    const verdict = await judged('capsule', other, { client: services(bundle) })
    expect(namesOf(verdict)).toEqual([
      'capsule_signature ok',
      'key_of_did ok',
      'signer ok',
      ...UNREGISTERED,
      'file unchecked',
    ])
  })

  it('is recognized in the record that provenance has of it', async () => {
    const record = { ...bundle, format: undefined, claims: [], claimCount: 1 }
    expect((await judged('capsule', record, { file: FILE })).verdict).toBe('valid')
  })
})
