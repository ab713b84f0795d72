import { ML_DSA_LOG_CHECKPOINT, ML_DSA_LOG_KEY } from '@svc/tlog/ml-dsa-44.fixture'
import { signingKeyOf } from '@svc/tlog/note-keys'
import { formatNote, SIGNATURE_TYPES, signNote } from '@svc/tlog/signed-note'
import { COSIGNED, MIRRORED, SPEC_KEY, SPEC_NOTE } from '@svc/tlog/vectors.fixture'
import { describe, expect, it } from 'vitest'
import { entriesOf, rootOf, signersOf } from './note-verifier.ts'

describe('a verifier with Node’s cryptography only', () => {
  it.each([
    [SPEC_KEY, SPEC_NOTE],
    [COSIGNED[0].key, COSIGNED[0].note],
    [COSIGNED[1].key, COSIGNED[1].note],
    [MIRRORED.key, MIRRORED.note],
    [ML_DSA_LOG_KEY, ML_DSA_LOG_CHECKPOINT],
  ])('agrees with what is published: %#', (key, note) => {
    expect(signersOf(note, [key])).toEqual([key])
    expect(() => signersOf(note.replace(/^./, 'X'), [key])).toThrow()
  })

  it('agrees with every kind of signature that the beacon and the witness make', async () => {
    const seed = new Uint8Array(32).fill(5)
    const types = Object.values(SIGNATURE_TYPES)
    const keys = await Promise.all(types.map((type) => signingKeyOf('a.example/b', type, seed)))
    const text = MIRRORED.note.split('\n\n')[0] ?? ''
    const note = formatNote(await signNote(`${text}\n`, keys, 1_800_000_000_000))
    const verifierKeys = keys.map(({ verifierKey }) => verifierKey)
    expect(signersOf(note, verifierKeys)).toEqual(verifierKeys)
    expect(signersOf(note, [SPEC_KEY])).toEqual([])
    for (const key of verifierKeys) expect(() => signersOf(note.replace('300', '301'), [key])).toThrow('has not signed')
  })

  it('reduces entries to the published root', () => {
    const records = Array.from({ length: 300 }, (_, i) => Buffer.from(`record ${i}`))
    expect(rootOf(records).toString('base64')).toBe(MIRRORED.note.split('\n')[2])
    expect(entriesOf(Buffer.from([0, 1, 7, 0, 0]))).toEqual([Buffer.from([7]), Buffer.alloc(0)])
  })
})
