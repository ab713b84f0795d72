/** Leaves, ids and state proofs of anchors against OpenSSL's SHA3-384 and JSON sorted in this file. */
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { anchorAttestationsHash, anchorBodyHash, anchorEntry } from '../src/ledger/anchor-log.ts'
import { submissionBytes } from '../src/ledger/anchor-submission.ts'
import { type AnchorLeaf, anchorIdOf, anchorLeafHash, verifyStateProof } from '../src/ledger/anchors.ts'
import { entryHash } from '../src/merkle/entries.ts'
import { REALM } from './realm.fixture.ts'

const H = (...parts: (Uint8Array | string)[]): Buffer => {
  const hash = createHash('sha3-384')
  for (const part of parts) hash.update(part)
  return hash.digest()
}
/** All of RFC 8785 that flat objects of ASCII text need. */
const canonical = (flat: Record<string, string | number>) => JSON.stringify(flat, Object.keys(flat).toSorted())
function leafOf({ attestationsHash, ...body }: AnchorLeaf): Buffer {
  const bodyHash = H(canonical({ ...body, type: 'svc/anchor-body/v1' })).toString('hex')
  return H(new Uint8Array([0]), canonical({ kind: 'anchor', bodyHash, attestationsHash }))
}

/** RFC 9162 section 2.1.1, recursive as specified. */
function mth(hashes: readonly Buffer[]): Buffer {
  const n = hashes.length
  if (n === 0) return H()
  if (n === 1) return hashes[0]!
  let k = 1
  while (k * 2 < n) k *= 2
  return H(new Uint8Array([1]), mth(hashes.slice(0, k)), mth(hashes.slice(k)))
}

const anchors: AnchorLeaf[] = Array.from({ length: 260 }, (_, i) => {
  const [root, epoch] = [H(`root ${i}`).toString('hex'), `epoch.${i}`]
  return {
    anchorId: anchorIdOf(`did:svc:${'A'.repeat(32)}`, root, epoch),
    root,
    epoch,
    hashAlg: 'sha3-384',
    createdAt: new Date(1_790_000_000_000 + i).toISOString(),
    owner: `did:svc:${'A'.repeat(32)}`,
    salt: H(`salt ${i}`).subarray(0, 16).toString('base64url'),
    attestationsHash: H(`attestations ${i}`).toString('hex'),
  }
})

describe('anchors', () => {
  it('have the id and signed bytes of their canonical JSON', () => {
    const owner = `did:svc:${'A'.repeat(32)}`
    for (const { anchorId, root, epoch, hashAlg } of anchors.slice(0, 20)) {
      const digest = H(canonical({ type: 'svc/anchor-id/v1', owner, root, epoch, hashAlg }))
      expect(anchorId).toBe(digest.subarray(0, 24).toString('base64url'))
      const issuedAt = 1_790_000_000_000
      const signed = { type: 'svc/anchor-submission/v1', realm: REALM, owner, root, epoch, hashAlg, issuedAt }
      expect(Buffer.from(submissionBytes({ owner, root, epoch }, REALM, issuedAt)).toString()).toBe(canonical(signed))
    }
  })

  it('have in the log the hashes of their canonical JSON with a salt, and nothing else', () => {
    for (const [i, anchor] of anchors.slice(0, 20).entries()) {
      const { attestationsHash: _, ...body } = anchor
      const attestation = { alg: 'ml-dsa-65' as const, publicKeyB64u: `K${i}`, signatureB64u: `S${i}` }
      const attestations =
        i % 2 === 0 ? [attestation] : [attestation, { ...attestation, signedAt: '2026-11-21T12:00:00Z' }]
      const listed = attestations.map((one) => canonical(one)).join(',')
      const bodyHash = H(canonical({ ...body, type: 'svc/anchor-body/v1' })).toString('hex')
      expect(anchorBodyHash(body)).toBe(bodyHash)
      const attested = `{"attestations":[${listed}],"salt":"${body.salt}","type":"svc/anchor-attestations/v1"}`
      const attestationsHash = H(attested).toString('hex')
      expect(anchorAttestationsHash({ salt: body.salt, attestations })).toBe(attestationsHash)
      const line = `{"attestationsHash":"${attestationsHash}","bodyHash":"${bodyHash}","kind":"anchor"}`
      expect(anchorEntry({ ...body, attestations })).toBe(line)
      expect(Buffer.from(entryHash(line))).toEqual(H(new Uint8Array([0]), line))
    }
  })

  it('hash 0x00 and their line as leaf', () => {
    for (const anchor of anchors) expect(Buffer.from(anchorLeafHash(anchor))).toEqual(leafOf(anchor))
  })

  it.each([0, 1, 2, 3, 4, 7, 8, 9, 255, 256, 257, 260])('verify in a window of %i', (count) => {
    const window = anchors.slice(0, count)
    const leaves = window.map(leafOf)
    const proof = {
      window: 2048,
      count,
      root: mth(leaves).toString('hex'),
      leaves: leaves.map((leaf) => leaf.toString('hex')),
      createdAt: '2026-11-24T12:00:00.000Z',
      hashAlg: 'sha3-384' as const,
      anchors: window,
      withheld: [],
    }
    expect(verifyStateProof(proof)).toBe(true)
    expect(verifyStateProof({ ...proof, root: H(proof.root).toString('hex') })).toBe(false)
  })
})
