import { fromHex } from '@svc/protocol/base/hash'
import { describe, expect, it } from 'vitest'
import { SIGSUM_KEY, SIGSUM_ORIGIN, sigsumNote, WITNESS_CASES, type WitnessCase } from './add-checkpoint.fixture.ts'
import { addCheckpointText, MAX_PROOF_LINES, parseAddCheckpoint } from './add-checkpoint.ts'
import { verifierOf } from './note-keys.ts'
import { base64Text, keyIdOf, SIGNATURE_TYPES, verifyNote } from './signed-note.ts'
import { SHA256_TREE } from './tree.ts'
import { decideCheckpoint, type KnownHead, NOTHING_KNOWN } from './witness-rules.ts'

const type = SIGNATURE_TYPES.ed25519
const publicKey = fromHex(SIGSUM_KEY)
const log = verifierOf({ name: SIGSUM_ORIGIN, keyId: keyIdOf(SIGSUM_ORIGIN, type, publicKey), type, publicKey })

/** In the order of the specification. */
async function answer(
  known: KnownHead,
  body: string,
): Promise<Pick<WitnessCase, 'status' | 'size'> & { known?: KnownHead }> {
  const request = parseAddCheckpoint(body)
  if (!request) return { status: 400 }
  if (request.checkpoint.origin !== SIGSUM_ORIGIN) return { status: 404 }
  if (!(await verifyNote(request.note, [log])).ok) return { status: 403 }
  const decided = decideCheckpoint(known, request)
  if (decided.ok) return { status: 200, known: decided.value }
  const { error } = decided
  if (error.reason === 'stale') return { status: 409, size: error.size }
  return { status: error.reason === 'inconsistent' ? 422 : 400 }
}

describe('add-checkpoint', () => {
  it('is answered as published', async () => {
    let known = NOTHING_KNOWN
    for (const { name, body, ...expected } of WITNESS_CASES) {
      const { known: next, ...answered } = await answer(known, body)
      expect({ name, ...answered }).toEqual({ name, ...expected })
      known = next ?? known
    }
    expect(known.size).toBe(5)
  })

  it('is written as it is read', () => {
    const [{ body }] = WITNESS_CASES as [WitnessCase]
    for (const text of [body, WITNESS_CASES[5]?.body ?? '']) {
      const request = parseAddCheckpoint(text)
      expect(request && addCheckpointText(request)).toBe(text)
    }
  })

  const line = base64Text(new Uint8Array(32))
  it.each([
    ['no old size', `\n${sigsumNote(1)}`],
    ['another first line', `new 0\n\n${sigsumNote(1)}`],
    ['a size with a leading zero', `old 00\n\n${sigsumNote(1)}`],
    ['a hash of 31 bytes', `old 1\n${base64Text(new Uint8Array(31))}\n\n${sigsumNote(1)}`],
    ['no empty line', `old 0\n${sigsumNote(1)}`],
    ['too many hashes', `old 1\n${`${line}\n`.repeat(MAX_PROOF_LINES + 1)}\n${sigsumNote(1)}`],
  ])('with %s is refused', (_, body) => {
    expect(parseAddCheckpoint(body)).toBeNull()
  })

  it('may have 63 hashes', () => {
    expect(parseAddCheckpoint(`old 1\n${`${line}\n`.repeat(MAX_PROOF_LINES)}\n${sigsumNote(1)}`)?.proof).toHaveLength(
      63,
    )
  })
})

describe('a witness', () => {
  const leaves = Array.from({ length: 8 }, (_, i) => SHA256_TREE.leafHash(new Uint8Array([i])))
  const other = leaves.map((leaf, i) => (i === 2 ? SHA256_TREE.leafHash(new Uint8Array([99])) : leaf))
  const headOf = (size: number, all = leaves) => ({ size, root: SHA256_TREE.merkleRoot(all.slice(0, size)) })
  const requestOf = (oldSize: number, size: number, all = leaves, proof?: Uint8Array[]) => ({
    oldSize,
    proof: proof ?? (oldSize > 0 && oldSize <= size ? SHA256_TREE.consistencyProof(all.slice(0, size), oldSize) : []),
    note: { text: '', signatures: [] },
    checkpoint: { origin: 'a', ...headOf(size, all), extensions: [] },
  })
  const decide = (known: KnownHead, request: ReturnType<typeof requestOf>) => {
    const decided = decideCheckpoint(known, request)
    return decided.ok ? decided.value.size : decided.error
  }

  it('goes from any size to any later one, and to no earlier one', () => {
    for (let from = 0; from <= 8; from++)
      for (let to = 0; to <= 8; to++)
        expect(decide(headOf(from), requestOf(from, to))).toEqual(to < from ? { reason: 'old_size_too_large' } : to)
  })

  it('tells its size to a log that names another one, so that nothing is rolled back', () => {
    expect(decide(headOf(5), requestOf(3, 4))).toEqual({ reason: 'stale', size: 5 })
    expect(decide(headOf(5), requestOf(0, 5))).toEqual({ reason: 'stale', size: 5 })
    expect(decide(headOf(5), requestOf(6, 7))).toEqual({ reason: 'stale', size: 5 })
  })

  it('refuses a fork, and knows one of the same size for what it is', () => {
    expect(decide(headOf(4), requestOf(4, 6, other))).toEqual({ reason: 'inconsistent', isFork: false })
    expect(decide(headOf(4), requestOf(4, 4, other))).toEqual({ reason: 'inconsistent', isFork: true })
  })

  it('refuses proofs where none are due', () => {
    const hash = new Uint8Array(32)
    expect(decide(NOTHING_KNOWN, requestOf(0, 3, leaves, [hash]))).toEqual({ reason: 'inconsistent', isFork: false })
    expect(decide(headOf(3), requestOf(3, 3, leaves, [hash]))).toEqual({ reason: 'inconsistent', isFork: false })
  })

  it('refuses an empty tree with another root', () => {
    const request = { ...requestOf(0, 0), checkpoint: { origin: 'a', size: 0, root: leaves[0]!, extensions: [] } }
    expect(decide(NOTHING_KNOWN, request)).toEqual({ reason: 'inconsistent', isFork: true })
  })
})
