import { headsEntry } from '@svc/protocol/merkle/beacon'
import type { ListedBeaconKey } from '@svc/protocol/merkle/listed-keys'
import { checkpointText } from '@svc/tlog/checkpoint'
import { inclusionOverTiles } from '@svc/tlog/edge'
import { signingKeyOf } from '@svc/tlog/note-keys'
import { formatNote, SIGNATURE_TYPES, signNote } from '@svc/tlog/signed-note'
import { type TlogProof, tlogProofText } from '@svc/tlog/tlog-proof'
import { SHA256_TREE } from '@svc/tlog/tree'
import { describe, expect, it } from 'vitest'
import { detectFile } from './detect/detect.ts'
import { judge } from './judge.ts'
import { MALFORMED, namesOf, OFFLINE, text } from './means.fixture.ts'
import type { Means } from './means.ts'

const ORIGIN = 'svc.example/beacon/2027a'
const key = await signingKeyOf(ORIGIN, SIGNATURE_TYPES.ed25519, new Uint8Array(32).fill(1))
const other = await signingKeyOf(ORIGIN, SIGNATURE_TYPES.ed25519, new Uint8Array(32).fill(2))
const AT = 1_790_000_000_000
const leaf = (at: number) => new TextEncoder().encode(headsEntry(at, []))
const entries = [5, 4, 3, 2, 1, 0].map((before) => leaf(AT - 1 - before)).concat([leaf(AT)])
const hashes = entries.map(SHA256_TREE.leafHash)
const head = checkpointText({ origin: ORIGIN, size: 7, root: SHA256_TREE.merkleRoot(hashes) })
const note = formatNote(await signNote(head, [key], 0))
/** As svc directory beacon --out writes it. */
const proof: TlogProof = {
  extra: leaf(AT),
  index: 6,
  path: await inclusionOverTiles(6, 7, async () => hashes),
  checkpoint: note,
}
const dated = tlogProofText(proof)
const listedKey = (validFrom: number, validUntil: number | null): ListedBeaconKey => {
  return { verifierKey: key.verifierKey, alg: 'ed25519', validFrom, validUntil }
}
const knownWith = (...beacon: readonly ListedBeaconKey[]) => ({ services: [], logs: null, beacon })

const judgeFile = (content: string, means: Partial<Means>) => {
  const bytes = text(content)
  return judge(detectFile(bytes), bytes, { ...OFFLINE, ...means })
}

describe('a checkpoint of the beacon, as svc directory beacon keeps it', () => {
  it('is valid by a key from another source, without a network', async () => {
    const verdict = await judgeFile(note, { logKeyB64u: key.verifierKey })
    expect(verdict).toMatchObject({ kind: 'beacon', verdict: 'valid' })
    expect(namesOf(verdict)).toEqual(['beacon ok', 'one_checkpoint unchecked'])
    expect(verdict.checks[0]?.found).toEqual({ log: ORIGIN, size: 7, count: 1 })
  })

  it('by keys of the list counts undated only for a key without an end', async () => {
    const open = { known: knownWith(listedKey(0, null)) }
    expect(namesOf(await judgeFile(note, open))).toEqual(['beacon ok', 'one_checkpoint unchecked'])
    const ended = await judgeFile(note, { known: knownWith(listedKey(0, AT + 1)) })
    expect(ended).toMatchObject({ verdict: 'undecided', needs: 'whole' })
    expect(namesOf(ended)).toEqual(['beacon_date unchecked'])
  })

  it('with its newest leaf counts by the keys of that time alone', async () => {
    const read = (from: number, until: number | null) => judgeFile(dated, { known: knownWith(listedKey(from, until)) })
    for (const verdict of [await read(0, null), await read(AT, AT + 1)]) {
      expect(verdict).toMatchObject({ kind: 'beacon', verdict: 'valid', at: AT })
      expect(namesOf(verdict)).toEqual(['beacon ok', 'beacon_leaf ok', 'one_checkpoint unchecked'])
    }
    for (const [from, until] of [
      [0, AT],
      [AT + 1, null],
    ] as const)
      await expect(read(from, until)).rejects.toMatchObject({ subject: 'beacon', reason: 'wrong_key' })
  })

  it('is invalid with another leaf than its newest one, or another time in it', async () => {
    const means = { known: knownWith(listedKey(0, null)) }
    const forged = (changes: Partial<TlogProof>) => judgeFile(tlogProofText({ ...proof, ...changes }), means)
    for (const changes of [{ extra: leaf(AT + 1) }, { index: 1 }, { path: [] }, { extra: leaf(AT - 1), index: 1 }])
      await expect(forged(changes)).rejects.toMatchObject({ subject: 'beacon', reason: 'not_included' })
  })

  it('is undecided without a key', async () => {
    expect(await judgeFile(note, {})).toMatchObject({ verdict: 'undecided', needs: 'log_key' })
  })

  it('is invalid by another key, and if it was changed', async () => {
    const means = { logKeyB64u: key.verifierKey }
    await expect(judgeFile(note, { logKeyB64u: other.verifierKey })).rejects.toMatchObject({ reason: 'wrong_key' })
    await expect(judgeFile(note, { logKeyB64u: 'AAAA' })).rejects.toMatchObject({ reason: 'wrong_key' })
    const changed = note.replace('\n7\n', '\n8\n')
    await expect(judgeFile(changed, means)).rejects.toMatchObject({ subject: 'beacon', reason: 'invalid_signature' })
  })

  it('that is cut does not have its form', async () => {
    await expect(judgeFile(note.replace('\n7\n', '\n07\n'), {})).rejects.toMatchObject(MALFORMED)
    expect(detectFile(text(note.slice(0, 70))).kind).toBe('content')
  })
})
