/** Leaves, ids and state proofs of anchors against OpenSSL's SHA3-384 and JSON sorted in this file. */
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { anchorBodyHash, anchorEntry } from '../src/ledger/anchor-log.ts'
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
const leafOf = (anchor: AnchorLeaf) => H(new Uint8Array([0]), canonical(anchor))

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

  it('have in the log the line of their canonical JSON, with the hash of owner and attestations', () => {
    const owner = `did:svc:${'A'.repeat(32)}`
    for (const [i, anchor] of anchors.slice(0, 20).entries()) {
      const attestation = { alg: 'ml-dsa-65' as const, publicKeyB64u: `K${i}`, signatureB64u: `S${i}` }
      const attestations =
        i % 2 === 0 ? [attestation] : [attestation, { ...attestation, signedAt: '2026-11-21T12:00:00Z' }]
      const listed = attestations.map((one) => canonical(one)).join(',')
      const body = `{"attestations":[${listed}],"owner":"${owner}","type":"svc/anchor-body/v1"}`
      const bodyHash = H(body).toString('hex')
      expect(anchorBodyHash({ owner, attestations })).toBe(bodyHash)
      const line = canonical({ kind: 'anchor', ...anchor, bodyHash })
      expect(anchorEntry({ ...anchor, owner, attestations })).toBe(line)
      expect(Buffer.from(entryHash(line))).toEqual(H(new Uint8Array([0]), line))
    }
  })

  it('hash 0x00 and their canonical JSON as leaf', () => {
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
    }
    expect(verifyStateProof(proof)).toBe(true)
    expect(verifyStateProof({ ...proof, root: H(proof.root).toString('hex') })).toBe(false)
  })
})
