import { mlDsa65 } from '@svc/pqc'
import { describe, expect, it } from 'vitest'
import { REALM, REALMS } from '../../test/realm.fixture.ts'
import { encodeBase64url } from '../base/base64url.ts'
import { deviceIdOf } from '../base/device.ts'
import { didOf, userIdOf } from '../base/identity.ts'
import { signStatement } from '../base/statement.ts'
import { blockHash, type ChainBlockV4, signBlock } from '../chain/chain.ts'
import { assetIdOf, CAPSULE_CONTENT_TYPE, type Capsule, capsuleHash } from './capsules.ts'
import { type ProofBundle, proofBundleSchema, verifyProofBundle } from './proof-bundle.ts'

const T = 1_790_000_000_000
const keyOf = async (fill: number) => {
  const seed = new Uint8Array(32).fill(fill)
  const publicKey = await mlDsa65.publicKeyOf(seed)
  const sign = (message: Uint8Array) => mlDsa65.sign(seed, message)
  return { publicKeyB64u: encodeBase64url(publicKey), userId: userIdOf(publicKey), sign }
}
const [genesis, later, stranger] = [await keyOf(1), await keyOf(2), await keyOf(3)]
const scope = genesis.userId
const did = didOf(scope)
const file = new TextEncoder().encode('a file')
const rootKeys = [genesis, later].map(({ userId, publicKeyB64u }, epoch) => ({ epoch, userId, publicKeyB64u }))

const capsule: Capsule = {
  type: 'svc/capsule/v1',
  realm: REALM,
  did,
  kind: 'image',
  assetId: assetIdOf(file),
  media: { mime: 'image/png', bytes: 6 },
  inception: { sequence: 0, hash: '0'.repeat(96) },
  issuedAt: T,
}

async function bundleBy(key: typeof genesis, epoch: number, kind: 'root' | 'device' = 'root'): Promise<ProofBundle> {
  const { signatureB64u } = await signStatement(capsule, key.sign)
  return proofBundleSchema.parse({
    format: 'svc-proof-bundle/1',
    assetId: capsule.assetId,
    did,
    capsule,
    capsuleHash: capsuleHash(capsule),
    signature: { algorithm: 'ml-dsa-65', publicKeyB64u: key.publicKeyB64u, signatureB64u },
    signer: { kind, scope, userId: key.userId, epoch, deviceId: null },
    registration: { position: 1, registeredAt: T, claimCount: 1 },
    keyStatus: null,
    chain: null,
    evidence: [{ kind: 'key_of_did', strength: 'authority', says: 'Core said so' }],
    gaps: [{ gap: 'no_ledger_anchor', says: 'None' }],
    anchor: null,
    anchorReason: 'None',
    issuedAt: T,
  })
}

async function boundBy(key: typeof genesis, epoch: number, members: Partial<ChainBlockV4> = {}): Promise<ProofBundle> {
  const block = await signBlock<ChainBlockV4>(
    {
      index: '7',
      timestamp: String(T),
      previousHash: '0'.repeat(96),
      dataHash: capsuleHash(capsule),
      metadataHash: '0'.repeat(96),
      signatureAlg: 'ml-dsa-65',
      ownerPublicKey: key.publicKeyB64u,
      contentType: CAPSULE_CONTENT_TYPE,
      version: 4,
      scope,
      epoch,
      ...members,
    },
    key.sign,
  )
  return { ...(await bundleBy(genesis, 0)), chain: { index: '7', hash: blockHash(block), acceptedAt: T, block } }
}

describe('the key of a bundle', () => {
  it('is the DID’s by derivation if it is the genesis key', async () => {
    expect((await verifyProofBundle(await bundleBy(genesis, 0), { realms: REALMS })).verified).toContain('key_of_did')
  })

  it('is the DID’s only by the key history after a rotation', async () => {
    const bundle = await bundleBy(later, 1)
    expect(await verifyProofBundle(bundle, { realms: REALMS })).toMatchObject({
      holds: true,
      unverified: [{ kind: 'key_of_did', strength: 'authority' }],
    })
    expect(await verifyProofBundle(bundle, { realms: REALMS, rootKeys })).toMatchObject({ holds: true, unverified: [] })
  })

  it('is not the DID’s if the history lacks it or has it at another epoch', async () => {
    for (const bundle of [await bundleBy(stranger, 1), await bundleBy(later, 0)]) {
      expect(await verifyProofBundle(bundle, { realms: REALMS, rootKeys })).toMatchObject({
        holds: false,
        faults: ['signer_mismatch'],
      })
    }
  })

  it('of a device cannot be derived', async () => {
    const { verified, holds } = await verifyProofBundle(await bundleBy(stranger, 0, 'device'), {
      realms: REALMS,
      rootKeys,
    })
    expect(holds).toBe(true)
    expect(verified).not.toContain('key_of_did')
    expect((await verifyProofBundle(await bundleBy(genesis, 0, 'device'), { realms: REALMS })).verified).not.toContain(
      'key_of_did',
    )
  })
})

describe('the capsule of a bundle', () => {
  it('must be for one of the expected realms, whether it is signed or not', async () => {
    const bundle = await bundleBy(genesis, 0)
    const elsewhere = await verifyProofBundle(bundle, { realms: ['https://core.other.test'] })
    expect(elsewhere).toMatchObject({ holds: false, faults: ['realm_mismatch'] })
    const both = await verifyProofBundle(bundle, { realms: ['https://core.other.test', REALM] })
    expect(both).toMatchObject({ holds: true, faults: [] })
  })
})

describe('a key of a bundle that has ended', () => {
  const expected = { realms: REALMS, rootKeys }
  const stateOf = (state: 'current' | 'superseded' | 'revoked') =>
    ({ state, kind: 'device', did: null, scope: null, epoch: null }) as const

  it('counts as a root key only with a block of the chain', async () => {
    expect(await verifyProofBundle(await bundleBy(later, 1), expected)).toMatchObject({ signer: 'active' })
    expect(await verifyProofBundle(await bundleBy(genesis, 0), expected)).toMatchObject({
      holds: false,
      faults: ['unordered'],
    })
    const bound = await boundBy(genesis, 0)
    expect(await verifyProofBundle(bound, expected)).toMatchObject({
      holds: true,
      signer: 'superseded',
      order: 'chain',
    })
    // Nobody said whether the key was replaced.
    expect(await verifyProofBundle(bound, { realms: REALMS })).toMatchObject({ signer: null, order: 'unknown' })
  })

  it('counts for a reader who had the bundle before the end', async () => {
    const bundle = await bundleBy(genesis, 0)
    const place = (epoch: number) => ({ ...expected, followedAt: { epoch, sequence: null, before: null } })
    expect(await verifyProofBundle(bundle, place(0))).toMatchObject({ holds: true, signer: 'superseded' })
    expect(await verifyProofBundle(bundle, place(1))).toMatchObject({ holds: false, faults: ['unordered'] })
  })

  it.each(['superseded', 'revoked'] as const)('counts as a %s device only with a block of the chain', async (state) => {
    const bundle = { ...(await bundleBy(stranger, 1, 'device')), keyStatus: stateOf(state) }
    expect(await verifyProofBundle(bundle, expected)).toMatchObject({ holds: false, faults: ['unordered'] })
    const { chain } = await boundBy(later, 1)
    expect(await verifyProofBundle({ ...bundle, chain }, expected)).toMatchObject({ signer: state, order: 'chain' })
    const active = { ...bundle, keyStatus: stateOf('current') }
    expect(await verifyProofBundle(active, expected)).toMatchObject({ holds: true, signer: 'active' })
  })

  it('is that of a device in the log, for a reader who sees it', async () => {
    const [first, second] = ['0'.repeat(96), 'ab'.repeat(48)]
    const deviceId = deviceIdOf(stranger.publicKeyB64u)
    const device = {
      deviceId,
      publicKeyB64u: stranger.publicKeyB64u,
      rootEpoch: 1,
      origin: 'app:test',
      capabilities: ['provenance:write' as const],
      expiresAt: null,
      status: 'active' as const,
    }
    const genesisStep = { hash: first, rootEpoch: 0, issuedAt: 0, device: null }
    const bundle = { ...(await bundleBy(stranger, 1, 'device')), keyStatus: null }
    // The capsule names the genesis block, before which there was no device.
    const steps = [genesisStep, { hash: second, rootEpoch: 1, issuedAt: 1, device }]
    expect(await verifyProofBundle(bundle, { ...expected, steps })).toMatchObject({ faults: ['not_entitled'] })
    expect(await verifyProofBundle(bundle, { ...expected, steps: [{ ...genesisStep, hash: second }] })).toMatchObject({
      faults: ['unknown_head'],
    })
    const since = [{ ...genesisStep, rootEpoch: 1, device }]
    expect(await verifyProofBundle(bundle, { ...expected, steps: since })).toMatchObject({
      holds: true,
      signer: 'active',
      order: 'inception',
    })
  })
})

describe('the block of a bundle', () => {
  it('is verified with only the genesis key, and with the history after a rotation', async () => {
    expect((await verifyProofBundle(await boundBy(genesis, 0), { realms: REALMS })).verified).toContain('chain_block')
    const rotated = await boundBy(later, 1)
    expect((await verifyProofBundle(rotated, { realms: REALMS })).verified).not.toContain('chain_block')
    expect((await verifyProofBundle(rotated, { realms: REALMS, rootKeys })).verified).toContain('chain_block')
  })

  it.each<[string, Partial<ChainBlockV4>]>([
    ['of other data', { dataHash: '0'.repeat(96) }],
    ['of another content type', { contentType: 'text/plain' }],
    ['of another scope', { scope: stranger.userId }],
  ])('%s is not valid', async (_, members) => {
    expect(await verifyProofBundle(await boundBy(genesis, 0, members), { realms: REALMS })).toMatchObject({
      holds: false,
      faults: ['block_mismatch'],
    })
  })

  it('by a stranger or a root key at another epoch is not valid', async () => {
    for (const bundle of [await boundBy(stranger, 1), await boundBy(later, 0), await boundBy(genesis, 1)]) {
      expect(await verifyProofBundle(bundle, { realms: REALMS, rootKeys })).toMatchObject({
        faults: ['block_mismatch', 'unordered'],
      })
    }
  })
})
