/**
 * Checks the bundle of an anchor in `forms.json` with OpenSSL, and the trees of RFC 9162 computed from all leaves. Imports
 * nothing of the platform, so that both cannot share a mistake.
 */
import { describe, expect, it } from 'vitest'
import vectors from './forms.json' with { type: 'json' }
import { isSigned, jcs, publicKeyOfSeed, sha3, userIdOf } from './openssl.ts'

const { realm } = vectors

/** The largest power of two below the number of leaves, where RFC 9162 section 2.1 divides a tree. */
const halfOf = (n: number) => 2 ** (31 - Math.clz32(n - 1))
function treeHash(leaves: readonly Buffer[]): Buffer {
  if (leaves.length === 1) return leaves[0] as Buffer
  const k = halfOf(leaves.length)
  return sha3(Buffer.from([1]), treeHash(leaves.slice(0, k)), treeHash(leaves.slice(k)))
}
/** Section 2.1.3.1. */
function auditPath(index: number, leaves: readonly Buffer[]): Buffer[] {
  if (leaves.length === 1) return []
  const k = halfOf(leaves.length)
  const [left, right] = [leaves.slice(0, k), leaves.slice(k)]
  return index < k ? [...auditPath(index, left), treeHash(right)] : [...auditPath(index - k, right), treeHash(left)]
}
/** Section 2.1.4.1. */
function consistencyOf(size: number, leaves: readonly Buffer[], isWhole = true): Buffer[] {
  if (size === leaves.length) return isWhole ? [] : [treeHash(leaves)]
  const k = halfOf(leaves.length)
  const [left, right] = [leaves.slice(0, k), leaves.slice(k)]
  if (size <= k) return [...consistencyOf(size, left, isWhole), treeHash(right)]
  return [...consistencyOf(size - k, right, false), treeHash(left)]
}

describe('the bundle of an anchor', () => {
  const { seedsHex, lines, bundle, seenAt } = vectors.anchorBundle
  const { record, proof, checkpoint, first, cosigned } = bundle
  const { log, index } = record.position
  const leaves = lines.map((line) => sha3(Buffer.from([0]), line))
  const rootAt = (size: number) => treeHash(leaves.slice(0, size)).toString('hex')
  const hexOf = (hashes: readonly Buffer[]) => hashes.map((hash) => hash.toString('hex'))
  const states = [first, ...cosigned]

  it('has a record whose entry is in the log at its place', () => {
    const { status: _, position: __, attestations, ...body } = record
    const bodyHash = sha3(jcs({ type: 'svc/anchor-body/v1', ...body })).toString('hex')
    const attested = { type: 'svc/anchor-attestations/v1', salt: body.salt, attestations }
    const attestationsHash = sha3(jcs(attested)).toString('hex')
    expect(lines[index]).toBe(jcs({ kind: 'anchor', bodyHash, attestationsHash }))
    expect(lines[0]).toBe(jcs({ kind: 'open', log, map: null, previous: null }))
    const { owner, root, epoch, hashAlg } = body
    const id = sha3(jcs({ type: 'svc/anchor-id/v1', owner, root, epoch, hashAlg })).subarray(0, 24)
    expect(id.toString('base64url')).toBe(body.anchorId)
    const [attestation] = attestations
    const issuedAt = Date.parse(attestation?.signedAt ?? '')
    const submission = { type: 'svc/anchor-submission/v1', realm, owner, root, epoch, hashAlg, issuedAt }
    expect(isSigned(submission, attestation?.signatureB64u ?? '', publicKeyOfSeed(seedsHex.owner))).toBe(true)
  })

  it('has a checkpoint of the key of the log, and the path to it', () => {
    const { statement, signatureB64u, publicKeyB64u } = checkpoint
    expect([publicKeyB64u, bundle.log.publicKeyB64u]).toEqual(Array(2).fill(publicKeyOfSeed(seedsHex.log)))
    expect(isSigned(statement, signatureB64u, publicKeyB64u)).toBe(true)
    expect(statement).toMatchObject({ realm, log, size: lines.length, root: rootAt(lines.length) })
    expect(proof).toEqual(hexOf(auditPath(index, leaves)))
  })

  it('has states that witnesses signed, which the checkpoint extends', () => {
    const keys = seedsHex.witnesses.map(publicKeyOfSeed)
    expect(states.map(({ cosignature }) => keys.indexOf(cosignature.publicKeyB64u))).toEqual([0, 1, 0])
    for (const { cosignature, consistency } of states) {
      const { statement, signatureB64u, publicKeyB64u } = cosignature
      const { size } = statement
      expect(isSigned(statement, signatureB64u, publicKeyB64u)).toBe(true)
      expect(statement).toMatchObject({ realm, log, root: rootAt(size), witness: userIdOf(publicKeyB64u) })
      expect(consistency).toEqual(hexOf(consistencyOf(size, leaves)))
    }
  })

  it('has the first state of the log, and of each witness the first one with the anchor', () => {
    const sizes = states.map(({ cosignature }) => cosignature.statement.size)
    expect(sizes).toEqual([2, 3, 4])
    for (const { cosignature, proof: path } of cosigned) {
      const { size } = cosignature.statement
      expect(size).toBeGreaterThan(index)
      expect(path).toEqual(hexOf(auditPath(index, leaves.slice(0, size))))
    }
    expect(cosigned.map(({ cosignature }) => cosignature.statement.issuedAt).toSorted((a, b) => a - b)).toEqual(seenAt)
  })
})
