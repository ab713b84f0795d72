import { encodeBase64url } from '@svc/protocol/base/base64url'
import { hashHex } from '@svc/protocol/base/hash'
import { sealAttachment } from '../../../src/notes/attachment-cipher.ts'
import { paddedFileLength } from '../../../src/notes/padding.ts'
import { alice, mallory } from '../../sides.ts'
import { type Lie, NOW, OTHER_REALM, verifying } from '../situation.ts'
import { change, honest, type Noted, ofNote, resigned } from './written.ts'

const rolledBack: Lie<Noted> = {
  ...ofNote('shows an older version than before', 'rollback', (s) => void s.versions.pop()),
  where: { position: 1 },
  afterTruth: true,
}
const forked: Lie<Noted> = {
  ...ofNote('shows another version under the number than before', 'fork', (s) => resigned(s, { issuedAt: NOW + 1 })),
  where: { position: 2 },
  afterTruth: true,
}

const FILE = new TextEncoder().encode('a file')
const KEY = new Uint8Array(32).fill(7)
async function attachment() {
  const padded = new Uint8Array(paddedFileLength(FILE.length))
  padded.set(FILE)
  const sealed = await sealAttachment(padded, KEY)
  const [noteId, attachmentId] = ['n'.repeat(24), 'a'.repeat(24)]
  const facts = { attachmentId, name: 'a.txt', type: 'text/plain', bytes: FILE.length }
  const file = { ...facts, keyB64u: encodeBase64url(KEY), cipherHash: hashHex(sealed) }
  const situation = {
    sealed: sealed,
    options: { identity: alice },
    args: () => [noteId, file],
    answers: () => ({ [`/api/notes/${alice.did}/${noteId}/attachments/${attachmentId}`]: situation.sealed }),
  }
  return situation
}
const falseFile = (
  lie: string,
  tell: Lie<Awaited<ReturnType<typeof attachment>>>['tell'],
): Lie<Awaited<ReturnType<typeof attachment>>> => ({ lie, tell, subject: 'attachment', reason: 'hash_mismatch' })

/** Invalid versions of a note. */
const falseNotes: readonly Lie<Noted>[] = [
  ofNote('changes the ciphertext', 'mismatch', (s) => change(s, { ciphertextB64u: 'AAAA' })),
  ofNote('names another hash of the record', 'mismatch', (s) => change(s, { recordHash: 'a7'.repeat(48) })),
  ofNote('shows the note of another identity', 'mismatch', (s) => resigned(s, { did: mallory.did })),
  ofNote('shows a note for another deployment', 'invalid_signature', (s) => resigned(s, { realm: OTHER_REALM })),
  ofNote('shows a note signed by another key', 'invalid_signature', (s) => resigned(s, {}, mallory)),
  ofNote('shows a note that somebody else signed as themselves', 'wrong_owner', (s) =>
    resigned(s, { keyId: mallory.userId }, mallory),
  ),
]

export const NOTES = [
  verifying({
    name: 'client.notes.get',
    honest,
    lies: [
      ofNote('answers with another note', 'different_answer', (s) => change(s, { noteId: 'n'.repeat(24) })),
      ...falseNotes,
      rolledBack,
      forked,
    ],
  }),
  verifying({
    name: 'client.notes.get',
    given: 'with a version',
    honest: async () => {
      const situation = await honest()
      return Object.assign(situation, { args: () => [situation.versions[0]!.noteId, 2] })
    },
    lies: [
      ofNote('answers with another version', 'different_answer', (s) => change(s, { version: 1 })),
      ...falseNotes,
      forked,
    ],
  }),
  verifying({
    name: 'client.notes.list',
    honest: async () => Object.assign(await honest(), { args: () => [] }),
    lies: [
      { ...rolledBack, lie: 'lists an older version than before' },
      { ...forked, lie: 'lists another version under the number than before' },
      {
        ...ofNote('does not list a note that was there before', 'rollback', (s) => {
          s.listed = false
        }),
        where: { position: 0 },
        afterTruth: true,
      },
    ],
  }),
  verifying({
    name: 'client.notes.history',
    honest,
    lies: [
      rolledBack,
      forked,
      ofNote('repeats pages endlessly', 'repeated', (s) => {
        s.next = 1
      }),
    ],
  }),
  verifying({
    name: 'client.notes.attachment',
    honest: attachment,
    lies: [
      falseFile('changes the ciphertext', (s) => {
        s.sealed = new Uint8Array(s.sealed)
        s.sealed[0]! ^= 1
      }),
      falseFile('cuts the ciphertext', (s) => {
        s.sealed = s.sealed.slice(1)
      }),
    ],
  }),
]
