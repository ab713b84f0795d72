import { checkpointText } from '@svc/tlog/checkpoint'
import { signingKeyOf } from '@svc/tlog/note-keys'
import { formatNote, SIGNATURE_TYPES, signNote } from '@svc/tlog/signed-note'
import { describe, expect, it } from 'vitest'
import { detectFile } from './detect/detect.ts'
import { judge } from './judge.ts'
import { MALFORMED, namesOf, OFFLINE, text } from './means.fixture.ts'
import type { Means } from './means.ts'

const ORIGIN = 'svc.example/beacon/2027a'
const key = await signingKeyOf(ORIGIN, SIGNATURE_TYPES.ed25519, new Uint8Array(32).fill(1))
const other = await signingKeyOf(ORIGIN, SIGNATURE_TYPES.ed25519, new Uint8Array(32).fill(2))
const head = checkpointText({ origin: ORIGIN, size: 7, root: new Uint8Array(32).fill(3) })
const note = formatNote(await signNote(head, [key], 0))

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

  it('by the key that the service shows says so', async () => {
    const verdict = await judgeFile(note, { beaconKeys: async () => [other.verifierKey, key.verifierKey] })
    expect(namesOf(verdict)).toEqual(['beacon ok', 'shown_key unchecked', 'one_checkpoint unchecked'])
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
