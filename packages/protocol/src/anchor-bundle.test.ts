import { beforeAll, describe, expect, it } from 'vitest'
import {
  type AnchorBundle,
  type AnchorRecord,
  anchorBundleSchema,
  anchorIdOf,
  anchorLeafHash,
  type SignedCheckpoint,
  submissionBytes,
  verifyBundle,
  verifyExtension,
} from './anchors.ts'
import { bytesOf, encodeBase64url } from './base64url.ts'
import { signerOf } from './chain.fixture.ts'
import type { GovernanceAttestation } from './governance.ts'
import { hashTextHex, toHex } from './hash.ts'
import { consistencyProof, inclusionProof, merkleRoot } from './merkle.ts'
import { signStatement } from './statement.ts'

const SIZES = [0, 1, 2, 3, 4, 5, 7, 8, 9]
const MAX_SIZE = 9

const [logKey, otherKey, owner, stranger] = await Promise.all([signerOf(1), signerOf(2), signerOf(3), signerOf(4)])
let records: AnchorRecord[] = []

async function attestation(by: typeof owner, root: string, epoch: string): Promise<GovernanceAttestation> {
  const signatureB64u = encodeBase64url(await by.sign(submissionBytes(root, epoch)))
  return { alg: 'ml-dsa-65', publicKeyB64u: by.ownerPublicKey, signatureB64u }
}

async function recordAt(index: number): Promise<AnchorRecord> {
  const [root, epoch] = [hashTextHex(`root ${index}`), `epoch-${index}`]
  return {
    anchorId: anchorIdOf(owner.did, root, epoch),
    root,
    epoch,
    hashAlg: 'sha3-384',
    createdAt: new Date(1_790_000_000_000 + index).toISOString(),
    attestations: [await attestation(owner, root, epoch)],
    status: 'submitted',
    owner: owner.did,
    index,
  }
}

const leaves = (size: number) => records.slice(0, size).map(anchorLeafHash)

async function checkpointOf(size: number, members: object = {}, by = logKey): Promise<SignedCheckpoint> {
  const statement = {
    type: 'svc/anchor-checkpoint/v1' as const,
    log: 'https://core.test',
    size,
    root: toHex(merkleRoot(leaves(size))),
    issuedAt: 1_790_000_005_000,
    ...members,
  }
  return { ...(await signStatement(statement, by.sign)), publicKeyB64u: by.ownerPublicKey }
}

async function bundleOf(index: number, size: number): Promise<AnchorBundle> {
  return {
    format: 'svc/anchor-bundle/v1',
    record: records[index]!,
    proof: inclusionProof(leaves(size), index).map(toHex),
    checkpoint: await checkpointOf(size),
  }
}

const verify = (bundle: AnchorBundle, key = logKey.ownerPublicKey) => verifyBundle(bundle, key, bytesOf(key))
const refused = (reason: string) => ({ ok: false, error: { reason } })

beforeAll(async () => {
  records = await Promise.all(Array.from({ length: MAX_SIZE }, (_, i) => recordAt(i)))
})

describe('verifyBundle', () => {
  it.each(SIZES.slice(1))('accepts every anchor of a log of %i', async (size) => {
    for (let index = 0; index < size; index++) {
      const bundle = await bundleOf(index, size)
      expect(anchorBundleSchema.parse(bundle)).toEqual(bundle)
      expect(await verify(bundle)).toEqual({ ok: true, value: undefined })
    }
  })

  it('refuses a log of another key, also when its signature is good', async () => {
    const bundle = await bundleOf(4, 7)
    expect(await verify(bundle, otherKey.ownerPublicKey)).toEqual(refused('wrong_log'))
    const theirs = { ...bundle, checkpoint: await checkpointOf(7, {}, otherKey) }
    expect(await verify(theirs)).toEqual(refused('wrong_log'))
    expect(await verify(theirs, otherKey.ownerPublicKey)).toMatchObject({ ok: true })
  })

  it.each([{ size: 8 }, { root: 'a7'.repeat(48) }, { issuedAt: 1 }, { log: 'https://core.example' }])(
    'refuses a checkpoint whose statement was changed to %o',
    async (members) => {
      const bundle = await bundleOf(4, 7)
      const statement = { ...bundle.checkpoint.statement, ...members }
      const forged = { ...bundle, checkpoint: { ...bundle.checkpoint, statement } }
      expect(await verify(forged)).toEqual(refused('invalid_signature'))
    },
  )

  it('refuses a checkpoint that another key has signed in the name of this one', async () => {
    const forged = { ...(await checkpointOf(7, {}, otherKey)), publicKeyB64u: logKey.ownerPublicKey }
    expect(await verify({ ...(await bundleOf(4, 7)), checkpoint: forged })).toEqual(refused('invalid_signature'))
  })

  it.each<[Partial<AnchorRecord>, string]>([
    [{ createdAt: '2020-01-01T00:00:00.000Z' }, 'not_included'],
    [{ index: 3 }, 'not_included'],
    [{ index: 7 }, 'not_included'],
    [{ index: -1 }, 'not_included'],
    [{ index: 4.5 }, 'not_included'],
    [{ owner: stranger.did }, 'wrong_owner'],
    [{ root: 'a7'.repeat(48) }, 'wrong_owner'],
    [{ epoch: 'epoch-5' }, 'wrong_owner'],
    [{ anchorId: 'A'.repeat(32) }, 'wrong_owner'],
  ])('refuses a record with %o', async (change, reason) => {
    const bundle = await bundleOf(4, 7)
    expect(await verify({ ...bundle, record: { ...bundle.record, ...change } })).toEqual(refused(reason))
  })

  it('refuses a record that was renamed to fit another owner', async () => {
    const bundle = await bundleOf(4, 7)
    const { root, epoch } = bundle.record
    const record = { ...bundle.record, owner: stranger.did, anchorId: anchorIdOf(stranger.did, root, epoch) }
    expect(await verify({ ...bundle, record })).toEqual(refused('not_included'))
  })

  it('refuses an attestation of anything else, and one key twice', async () => {
    const bundle = await bundleOf(4, 7)
    const [own] = bundle.record.attestations
    const { root } = bundle.record
    for (const attestations of [
      [await attestation(owner, root, 'epoch-5')],
      [{ ...own!, publicKeyB64u: stranger.ownerPublicKey }],
      [{ ...own!, signatureB64u: `${own!.signatureB64u.slice(0, -8)}AAAAAAAA` }],
      [{ ...own!, signatureB64u: 'AAAA' }],
      [own!, own!],
    ]) {
      expect(await verify({ ...bundle, record: { ...bundle.record, attestations } })).toEqual(
        refused('invalid_attestation'),
      )
    }
  })

  it('refuses a proof that was cut, lengthened, reordered or changed', async () => {
    const bundle = await bundleOf(4, 7)
    const { proof } = bundle
    expect(proof).toHaveLength(3)
    for (const forged of [
      [],
      proof.slice(1),
      proof.slice(0, 2),
      [...proof, proof[0]!],
      proof.toReversed(),
      [proof[0]!, proof[0]!, proof[2]!],
      ['a7'.repeat(48), ...proof.slice(1)],
    ]) {
      expect(await verify({ ...bundle, proof: forged })).toEqual(refused('not_included'))
    }
  })

  it('refuses another anchor’s proof and a proof to another size', async () => {
    const bundle = await bundleOf(4, 7)
    expect(await verify({ ...bundle, proof: (await bundleOf(5, 7)).proof })).toEqual(refused('not_included'))
    expect(await verify({ ...bundle, proof: (await bundleOf(4, 8)).proof })).toEqual(refused('not_included'))
    expect(await verify({ ...bundle, checkpoint: await checkpointOf(8) })).toEqual(refused('not_included'))
    expect(await verify({ ...bundle, checkpoint: await checkpointOf(3) })).toEqual(refused('not_included'))
  })

  it('says nothing of what the publisher reports, which changes after the fact', async () => {
    const bundle = await bundleOf(4, 7)
    const record = {
      ...bundle.record,
      status: 'confirmed' as const,
      chains: [{ chain: 'example-ledger', tx: '0xabc' }],
    }
    expect(await verify({ ...bundle, record })).toMatchObject({ ok: true })
  })
})

describe('verifyExtension', () => {
  const proofOf = (first: number, second: number) =>
    first === 0 ? [] : consistencyProof(leaves(second), first).map(toHex)

  it.each(SIZES)('accepts every later log than one of %i', async (first) => {
    for (let second = first; second <= MAX_SIZE; second++) {
      const [earlier, later] = [await checkpointOf(first), await checkpointOf(second)]
      expect(verifyExtension(earlier, later, proofOf(first, second))).toBe(true)
    }
  })

  it('refuses a log that is shorter, or that changed what it held', async () => {
    const [three, seven] = [await checkpointOf(3), await checkpointOf(7)]
    expect(verifyExtension(seven, three, proofOf(3, 7))).toBe(false)
    expect(verifyExtension(three, await checkpointOf(7, { root: 'a7'.repeat(48) }), proofOf(3, 7))).toBe(false)
    expect(verifyExtension(await checkpointOf(3, { root: 'a7'.repeat(48) }), seven, proofOf(3, 7))).toBe(false)
    expect(verifyExtension(seven, await checkpointOf(7, { root: 'a7'.repeat(48) }), [])).toBe(false)
  })

  it('refuses a proof that was cut, lengthened, reordered or of other sizes', async () => {
    const [three, seven] = [await checkpointOf(3), await checkpointOf(7)]
    const proof = proofOf(3, 7)
    for (const forged of [
      [],
      proof.slice(1),
      proof.slice(0, -1),
      [...proof, proof[0]!],
      proof.toReversed(),
      proofOf(4, 7),
      proofOf(3, 8),
    ]) {
      expect(verifyExtension(three, seven, forged)).toBe(false)
    }
    expect(verifyExtension(await checkpointOf(0), seven, proof)).toBe(false)
    expect(verifyExtension(seven, seven, proof)).toBe(false)
  })

  it('refuses checkpoints of two logs', async () => {
    const three = await checkpointOf(3)
    const elsewhere = await checkpointOf(7, { log: 'https://core.example' })
    expect(verifyExtension(three, elsewhere, proofOf(3, 7))).toBe(false)
    expect(verifyExtension(three, await checkpointOf(7, {}, otherKey), proofOf(3, 7))).toBe(false)
  })
})
