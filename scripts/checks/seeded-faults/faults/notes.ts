import { defineFaults } from '../fault.ts'

/** Core: note vaults and their blobs. */
export const NOTES_FAULTS = defineFaults([
  {
    id: 'note-quota',
    about: 'A vault can exceed its quota',
    find: 'return usage.bytes + bytes <= quotaBytes && usage.refs < MAX_RECORDS',
    replace: 'return bytes <= quotaBytes && usage.refs < MAX_RECORDS',
    tests: ['src/notes/rules.test'],
  },
  {
    id: 'note-upload-hash',
    about: 'An attachment is stored under a hash that does not match its bytes',
    find: "const refusal = actual === cipherHash ? await this.#standing(identities, caller) : 'hash_mismatch'",
    replace: "const refusal = actual === '' ? 'hash_mismatch' : await this.#standing(identities, caller)",
    tests: ['test/notes/attachments.test'],
  },
  {
    id: 'note-blob-kept-alive',
    about: 'A blob is collected although something refers to it again',
    find: 'SET refs = refs + 1, unreferenced_since = NULL WHERE',
    replace: 'SET refs = refs + 1 WHERE',
    tests: ['test/notes/vault/collection.test'],
  },
  {
    id: 'note-blob-recount',
    about: 'The collector trusts a stored reference count',
    find: 'const refs = transaction.blobs.countRefs(blob.cipherHash)',
    replace: 'const refs = blob.refs',
    tests: ['test/notes/vault/rebuild.test'],
  },
  {
    id: 'note-release',
    about: 'Deleting a note does not release its blobs',
    find: 'this.blobs.releaseNote(noteId, now)',
    replace: '',
    tests: ['test/notes/vault/collection.test'],
  },
  {
    id: 'note-aad',
    about: 'A note with mismatched additional data is stored',
    find: "if (noteAad(header) !== statement.aadB64u) return { reason: 'aad_mismatch' }",
    replace: '',
    tests: ['test/notes/append.test'],
  },
])
