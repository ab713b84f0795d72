import { defineFaults } from '../fault.ts'

/** Core: note vaults and their blobs. */
export const NOTES_FAULTS = defineFaults([
  {
    id: 'note-upload-hash',
    promise: 'An attachment is what its hash says.',
    find: "const refusal = actual === cipherHash ? await this.#standing(identities, caller) : 'hash_mismatch'",
    replace: "const refusal = actual === '' ? 'hash_mismatch' : await this.#standing(identities, caller)",
    tests: ['test/notes/attachments.test'],
  },
  {
    id: 'note-blob-kept-alive',
    promise: 'What a note refers to is never collected.',
    find: 'SET refs = refs + 1, unreferenced_since = NULL WHERE',
    replace: 'SET refs = refs + 1 WHERE',
    tests: ['test/notes/vault/collection.test'],
  },
  {
    id: 'note-release',
    promise: 'What you delete is deleted.',
    find: 'this.blobs.releaseNote(noteId, now)',
    replace: '',
    tests: ['test/notes/vault/collection.test'],
  },
  {
    id: 'note-aad',
    promise: 'A note cannot be stored as another note.',
    find: "if (noteAad(header) !== statement.aadB64u) return { reason: 'aad_mismatch' }",
    replace: '',
    tests: ['test/notes/append.test'],
  },
])
