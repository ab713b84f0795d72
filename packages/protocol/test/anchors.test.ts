/** Leaves, names and state proofs of anchors against OpenSSL's SHA3-384 and JSON that is sorted here. */
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type AnchorLeaf, anchorIdOf, anchorLeafHash, submissionBytes, verifyStateProof } from '../src/anchors.ts'

const H = (...parts: (Uint8Array | string)[]): Buffer => {
  const hash = createHash('sha3-384')
  for (const part of parts) hash.update(part)
  return hash.digest()
}
/** Flat objects of ASCII text need no more of RFC 8785 than this. */
const canonical = (flat: Record<string, string>) => JSON.stringify(flat, Object.keys(flat).toSorted())
const leafOf = (anchor: AnchorLeaf) => H(new Uint8Array([0]), canonical(anchor))

/** Section 2.1.1 of RFC 9162, recursive as it is written there. */
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
  it('have the name and the signed bytes of their canonical JSON', () => {
    const owner = `did:svc:${'A'.repeat(32)}`
    for (const { anchorId, root, epoch, hashAlg } of anchors.slice(0, 20)) {
      const digest = H(canonical({ type: 'svc/anchor-id/v1', owner, root, epoch, hashAlg }))
      expect(anchorId).toBe(digest.subarray(0, 24).toString('base64url'))
      expect(Buffer.from(submissionBytes(root, epoch)).toString()).toBe(
        canonical({ type: 'svc/anchor-submission/v1', root, epoch, hashAlg }),
      )
    }
  })

  it('have the leaf of 0x00 and their canonical JSON', () => {
    for (const anchor of anchors) expect(Buffer.from(anchorLeafHash(anchor))).toEqual(leafOf(anchor))
  })

  it.each([0, 1, 2, 3, 4, 7, 8, 9, 255, 256, 257, 260])('verify as a window of %i', (count) => {
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
