import { describe, expect, it } from 'vitest'
import { firstKey, REALM, secondKey } from '../merkle/rolled-log.fixture.ts'
import {
  anchorAttestationsHash,
  anchorBodyHash,
  anchorEntry,
  anchorEntrySchema,
  verifyExtension,
} from './anchor-log.ts'
import { anchorRecordSchema, type SignedCheckpoint } from './anchors.ts'
import { at, checkpointOf, log, MAX_SIZE, SIZES, stranger } from './bundle/anchor-bundle.fixture.ts'
import { anchorLeafOfLine } from './withheld.ts'

describe('the entry of an anchor', () => {
  it('is one line that commits to all of the anchor', () => {
    const record = at(1)
    const bodyHash = anchorBodyHash(record)
    const attestationsHash = anchorAttestationsHash(record)
    const entry = { kind: 'anchor', bodyHash, attestationsHash }
    expect(anchorEntrySchema.parse(JSON.parse(anchorEntry(record)))).toEqual(entry)
    const [own] = record.attestations
    for (const change of [
      { salt: 'A'.repeat(22) },
      { anchorId: 'A'.repeat(32) },
      { root: 'a7'.repeat(48) },
      { epoch: 'epoch-2' },
      { owner: stranger.did },
      { attestations: [] },
      { attestations: [own!, own!] },
      { attestations: [{ ...own!, signedAt: '2026-01-01T00:00:00Z' }] },
      { createdAt: '2020-01-01T00:00:00.000Z' },
    ]) {
      expect(anchorEntry({ ...record, ...change })).not.toBe(anchorEntry(record))
    }
  })

  it('has nothing of the anchor in the clear', () => {
    const record = at(1)
    for (const { salt, anchorId, root, epoch, owner, createdAt, attestations } of [record]) {
      const line = anchorEntry(record)
      for (const text of [salt, anchorId, root, epoch, owner, createdAt, attestations[0]!.publicKeyB64u])
        expect(line).not.toContain(text)
    }
  })

  it('is refused in the form that had the anchor in the clear', () => {
    const { anchorId, root, epoch, hashAlg, createdAt, ...body } = at(1)
    const bodyHash = anchorBodyHash(at(1))
    const former = { kind: 'anchor', anchorId, root, epoch, hashAlg, createdAt, bodyHash }
    expect(anchorEntrySchema.safeParse(former).success).toBe(false)
    expect(() => anchorLeafOfLine(JSON.stringify(former))).toThrow('Unrecognized')
    const { salt: _, ...unsalted } = { anchorId, root, epoch, hashAlg, createdAt, ...body }
    expect(anchorRecordSchema.safeParse(at(1)).success).toBe(true)
    expect(anchorRecordSchema.safeParse(unsalted).success).toBe(false)
    expect(anchorRecordSchema.safeParse({ ...at(1), salt: 'A'.repeat(21) }).success).toBe(false)
  })

  it('does not depend on what changes later', () => {
    const later = { ...at(1), status: 'confirmed', position: null, chains: [{ chain: 'example-ledger' }] } as const
    expect(anchorEntry(later)).toBe(anchorEntry(at(1)))
  })
})

describe('verifyExtension', () => {
  const extension = (earlier: SignedCheckpoint, later: SignedCheckpoint, proof: readonly string[]) =>
    verifyExtension(earlier, later, proof, firstKey.ownerPublicKey)
  const proofOf = (first: number, second: number) => (first === 0 ? [] : log.consistency(first, second))

  it.each([0, 1, ...SIZES])('accepts every extension of a log of %i', async (first) => {
    for (let second = first; second <= MAX_SIZE; second++) {
      const [earlier, later] = [await checkpointOf(first), await checkpointOf(second)]
      expect(extension(earlier, later, proofOf(first, second))).toBe(true)
    }
  })

  it('refuses a log that is shorter or has changed entries', async () => {
    const [three, seven] = [await checkpointOf(3), await checkpointOf(7)]
    expect(extension(seven, three, proofOf(3, 7))).toBe(false)
    expect(extension(three, await checkpointOf(7, { root: 'a7'.repeat(48) }), proofOf(3, 7))).toBe(false)
    expect(extension(await checkpointOf(3, { root: 'a7'.repeat(48) }), seven, proofOf(3, 7))).toBe(false)
    expect(extension(seven, await checkpointOf(7, { root: 'a7'.repeat(48) }), [])).toBe(false)
  })

  it('refuses a proof that was truncated, extended, reordered or is for other sizes', async () => {
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
      expect(extension(three, seven, forged)).toBe(false)
    }
    expect(extension(await checkpointOf(0), seven, proof)).toBe(false)
    expect(extension(seven, seven, proof)).toBe(false)
  })

  it('refuses checkpoints of different logs', async () => {
    const three = await checkpointOf(3)
    const elsewhere = await checkpointOf(7, { log: `${REALM}/anchors/2027b` })
    expect(extension(three, elsewhere, proofOf(3, 7))).toBe(false)
    expect(extension(three, await checkpointOf(7, {}, secondKey), proofOf(3, 7))).toBe(false)
  })
})
