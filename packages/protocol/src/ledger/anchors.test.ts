import { describe, expect, it } from 'vitest'
import { REALM } from '../../test/realm.fixture.ts'
import { toHex } from '../base/hash.ts'
import { isSubmissionFresh, submissionBytes, submitAnchorSchema } from './anchor-submission.ts'
import {
  type AnchorLeaf,
  anchorIdOf,
  anchorLeafHash,
  publicationSchema,
  type StateProof,
  stateProofSchema,
  verifyStateProof,
} from './anchors.ts'

const OWNER = `did:svc:${'A'.repeat(32)}`
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

/** Three anchors of OWNER with their leaves and roots, computed with OpenSSL's SHA3-384. */
const ANCHORS: readonly AnchorLeaf[] = [
  {
    anchorId: 'e_jwHFkWVEcQ1ubFdAbw8bK7pMD3ETED',
    root: 'a7'.repeat(48),
    epoch: '2026-11-21',
    hashAlg: 'sha3-384',
    createdAt: '2026-11-21T12:00:00.000Z',
    owner: OWNER,
    salt: 'AQIDAQIDAQIDAQIDAQIDAA',
    attestationsHash: '1d'.repeat(48),
  },
  {
    anchorId: 'LmQ0KyaSqxrtcWCFc8y6dRATE-EaIz8P',
    root: 'b8'.repeat(48),
    epoch: '2026-11-22',
    hashAlg: 'sha3-384',
    createdAt: '2026-11-22T12:00:00.000Z',
    owner: OWNER,
    salt: 'AQIDAQIDAQIDAQIDAQIDAA',
    attestationsHash: '2e'.repeat(48),
  },
  {
    anchorId: 'BiCZyi3Aq77MZtldie8rbFeUyRUGCbH8',
    root: 'c9'.repeat(48),
    epoch: '2026-11-23',
    hashAlg: 'sha3-384',
    createdAt: '2026-11-23T12:00:00.000Z',
    owner: OWNER,
    salt: 'AQIDAQIDAQIDAQIDAQIDAA',
    attestationsHash: '3f'.repeat(48),
  },
]
const LEAVES = [
  '9193bcf8cb0d4e6c3a74321834c24b0f62624090bf6a4fbc328307fa734d70997a2ce5639e04b566660ec2fd8e5f22aa',
  '4b6fbba6af4fdb45e8b81d652632a25e91d0f3e9ef19b1237ae83f8587591ef810acc9e17017fa399295481dec67acd2',
  '2ca277581c04c950de7c1bebda73951e5b79fa6900abd534fd72b630ea606a1ec582a9a7048a9edcdf60bea48cd71362',
]
const ROOT_OF_NONE = '0c63a75b845e4f7d01107d852e4c2485c51a50aaaa94fc61995e71bbee983a2ac3713831264adb47fb6bd1e058d5f004'
const ROOT_OF_TWO = '5df0bca3ccadb7e6c16a925720d7f1cf888d186e59a8d42d52aa9ddb29a39238e1a03070e60378de2bc0cd493c2ec1c5'
const ROOT_OF_THREE = '8a95dcdb8e379abf6aebc7be85769b932e6207e6eaee23d38f415041d33bd79a14e212d900ef4b67821ad87b9e7e1d7c'

const proofOf = (count: number, root: string): StateProof => ({
  window: 256,
  count,
  root,
  leaves: LEAVES.slice(0, count),
  createdAt: '2026-11-24T12:00:00.000Z',
  hashAlg: 'sha3-384',
  anchors: ANCHORS.slice(0, count),
  withheld: [],
})
const changed = <T>(list: readonly T[], at: number, item: T) => list.map((old, i) => (i === at ? item : old))

describe('anchorIdOf', () => {
  it.each(ANCHORS)('matches an independent implementation for $epoch', ({ anchorId, root, epoch }) => {
    expect(anchorIdOf(OWNER, root, epoch)).toBe(anchorId)
  })

  it('differs with each of owner, root and epoch', () => {
    const ids = [
      anchorIdOf(OWNER, 'a7'.repeat(48), '1'),
      anchorIdOf(`did:svc:${'B'.repeat(32)}`, 'a7'.repeat(48), '1'),
      anchorIdOf(OWNER, 'a8'.repeat(48), '1'),
      anchorIdOf(OWNER, 'a7'.repeat(48), '2'),
    ]
    expect(new Set(ids).size).toBe(4)
  })
})

describe('submissionBytes', () => {
  it('is canonical JSON with realm, owner, root, epoch and time', () => {
    const subject = { owner: OWNER, root: 'a7'.repeat(48), epoch: '2026-11-21' }
    expect(text(submissionBytes(subject, REALM, 1_790_000_000_000))).toBe(
      `{"epoch":"2026-11-21","hashAlg":"sha3-384","issuedAt":1790000000000,"owner":"${OWNER}","realm":"${REALM}",` +
        `"root":"${'a7'.repeat(48)}","type":"svc/anchor-submission/v1"}`,
    )
  })
})

describe('isSubmissionFresh', () => {
  const NOW = 1_790_000_000_000
  const attestedAgo = (...ages: number[]) =>
    ages.map((age) => ({
      alg: 'ml-dsa-65' as const,
      publicKeyB64u: 'AA',
      signatureB64u: 'AA',
      signedAt: new Date(NOW - age).toISOString(),
    }))

  it.each([[[0]], [[86_400_000]], [[-300_000]], [[0, 3_600_000, 86_400_000]]])('holds at the ages %j', (ages) => {
    expect(isSubmissionFresh(attestedAgo(...ages), NOW)).toBe(true)
  })

  it.each([[[86_400_001]], [[-300_001]], [[0, 86_400_001]]])('does not hold at the ages %j', (ages) => {
    expect(isSubmissionFresh(attestedAgo(...ages), NOW)).toBe(false)
  })
})

describe('anchorLeafHash', () => {
  it('hashes the line of the log like an independent implementation', () => {
    expect(ANCHORS.map((anchor) => toHex(anchorLeafHash(anchor)))).toEqual(LEAVES)
  })

  it('depends on no other member of a record', () => {
    const record = { status: 'confirmed', position: null, attestations: [], ...ANCHORS[0]! }
    expect(toHex(anchorLeafHash(record))).toBe(LEAVES[0])
  })

  it.each<Partial<AnchorLeaf>>([
    { anchorId: 'A'.repeat(32) },
    { root: 'a8'.repeat(48) },
    { epoch: '2026-11-22' },
    { createdAt: '2026-11-21T12:00:00.001Z' },
    { owner: `did:svc:${'B'.repeat(32)}` },
    { salt: 'A'.repeat(22) },
    { attestationsHash: '1e'.repeat(48) },
  ])('differs with %o', (change) => {
    expect(toHex(anchorLeafHash({ ...ANCHORS[0]!, ...change }))).not.toBe(LEAVES[0])
  })
})

describe('verifyStateProof', () => {
  it.each([
    [0, ROOT_OF_NONE],
    [1, LEAVES[0]!],
    [2, ROOT_OF_TWO],
    [3, ROOT_OF_THREE],
  ])('accepts %i anchors under an independently computed root', (count, root) => {
    const proof = proofOf(count, root)
    expect(stateProofSchema.parse(proof)).toEqual(proof)
    expect(verifyStateProof(proof)).toBe(true)
    expect(verifyStateProof({ ...proof, window: Math.max(1, count) })).toBe(true)
  })

  const good = proofOf(3, ROOT_OF_THREE)
  it.each<[string, Partial<StateProof>]>([
    ['another root', { root: ROOT_OF_TWO }],
    ['the root of no anchors', { root: ROOT_OF_NONE }],
    ['a changed leaf', { leaves: changed(good.leaves, 1, 'a7'.repeat(48)) }],
    ['leaves in another order', { leaves: good.leaves.toReversed() }],
    ['anchors in another order', { anchors: good.anchors.toReversed() }],
    ['both in another order', { leaves: good.leaves.toReversed(), anchors: good.anchors.toReversed() }],
    ['a changed anchor', { anchors: changed(good.anchors, 2, { ...ANCHORS[2]!, root: 'a7'.repeat(48) }) }],
    [
      'a backdated anchor',
      { anchors: changed(good.anchors, 0, { ...ANCHORS[0]!, createdAt: '2020-01-01T00:00:00Z' }) },
    ],
    ['a missing leaf', { leaves: good.leaves.slice(1) }],
    ['a missing anchor', { anchors: good.anchors.slice(0, 2) }],
    ['a dropped anchor', { leaves: good.leaves.slice(1), anchors: good.anchors.slice(1), count: 2 }],
    ['an anchor twice', { leaves: [...good.leaves, LEAVES[2]!], anchors: [...good.anchors, ANCHORS[2]!], count: 4 }],
    ['another count', { count: 2 }],
    ['more leaves than its window', { window: 2 }],
    ['no leaves at all', { leaves: [], anchors: [], count: 0 }],
  ])('refuses %s', (_, change) => {
    expect(verifyStateProof(good)).toBe(true)
    expect(verifyStateProof({ ...good, ...change })).toBe(false)
  })
})

describe('submitAnchorSchema', () => {
  const attestation = { alg: 'ml-dsa-65', publicKeyB64u: 'AA', signatureB64u: 'AA' }
  const good = { root: 'a7'.repeat(48), epoch: '2026-11-21', attestations: [attestation] }
  const accepts = (change: object) => submitAnchorSchema.safeParse({ ...good, ...change }).success

  it.each([
    {},
    { hashAlg: 'sha3-384' },
    { epoch: 'a' },
    { epoch: 'A-Z_a.z:0' },
    { epoch: 'e'.repeat(64) },
    { attestations: Array.from({ length: 64 }, () => attestation) },
  ])('accepts %o', (change) => {
    expect(accepts(change)).toBe(true)
  })

  it.each([
    { hashAlg: 'sha2-256' },
    { epoch: '' },
    { epoch: 'e'.repeat(65) },
    { epoch: 'a b' },
    { epoch: 'é' },
    { epoch: 7 },
    { root: 'A7'.repeat(48) },
    { root: 'a7'.repeat(47) },
    { attestations: [] },
    { attestations: Array.from({ length: 65 }, () => attestation) },
    { attestations: [{ ...attestation, alg: 'ML-DSA-65' }] },
    { attestations: [{ ...attestation, role: 'x' }] },
    { owner: OWNER },
    { createdAt: '2026-11-21T12:00:00.000Z' },
  ])('refuses %o', (change) => {
    expect(accepts(change)).toBe(false)
  })
})

describe('publicationSchema', () => {
  const good = {
    type: 'svc/anchor-publication/v2',
    realm: REALM,
    leaf: 'a7'.repeat(48),
    chain: 'example-ledger',
    tx: '0xabc',
    state: 'published',
    nonce: 'n'.repeat(16),
    issuedAt: 1_790_000_000_000,
  }
  const accepts = (change: object) => publicationSchema.safeParse({ ...good, ...change }).success

  it.each([{}, { chain: 'a' }, { chain: '1:b-c' }, { tx: '!~' }, { tx: 't'.repeat(128) }, { state: 'confirmed' }])(
    'accepts %o',
    (change) => {
      expect(accepts(change)).toBe(true)
    },
  )

  it.each([
    { chain: '' },
    { chain: 'Upper' },
    { chain: '-a' },
    { chain: 'c'.repeat(65) },
    { tx: '' },
    { tx: 'a b' },
    { tx: 't'.repeat(129) },
    { state: 'submitted' },
    { leaf: 'short' },
    { type: 'svc/anchor-publication/v1' },
    { anchorId: ANCHORS[0]!.anchorId },
    { nonce: 'n'.repeat(15) },
    { issuedAt: 1.5 },
    { owner: OWNER },
  ])('refuses %o', (change) => {
    expect(accepts(change)).toBe(false)
  })
})
