import { defineFaults } from '../../fault.ts'

/** What clients encrypt: the keys of notes, messages of the inbox. */
export const ENCRYPTION_FAULTS = defineFaults([
  {
    id: 'note-key-hash',
    promise: 'All readers of a note read the same text.',
    find: 'if (noteKeyHash(dataKey) !== keyHash)',
    replace: "if (keyHash === '')",
    tests: ['test/two-texts'],
  },
  {
    id: 'note-wrap-place',
    promise: 'The key of one note opens no other.',
    find: 'info: jcsBytes({ type: DEK_WRAP, realm, did, noteId, kemPublicKeyB64u, x25519B64u })',
    replace: "info: jcsBytes({ type: DEK_WRAP, realm, did, noteId: noteId && '', kemPublicKeyB64u, x25519B64u })",
    tests: ['notes/cipher', 'notes/data-key'],
  },
  {
    id: 'derived-key-ciphertext',
    promise: 'A key belongs to one ciphertext, both parts of it.',
    find: 'const bound = new Uint8Array([...sha3_384(ciphertext), ...sha3_384(info)])',
    replace: 'const bound = new Uint8Array([...sha3_384(ciphertext.subarray(0, 32)), ...sha3_384(info)])',
    tests: ['identity/identity.test', 'test/node-crypto'],
  },
  {
    id: 'contact-x25519-stated',
    promise: 'A message is encrypted to keys that the owner signed, both of them.',
    find: 'const isStated = kemPublicB64u === publicKeyB64u && opened.x25519B64u === x25519B64u',
    replace: 'const isStated = kemPublicB64u === publicKeyB64u',
    tests: ['inbox/contact.test'],
  },
  {
    id: 'contact-sealed-with',
    promise: 'You are told which messages only one algorithm protects.',
    find: "sealedWith: ephemeralB64u === undefined ? 'ml-kem-768' : 'x-wing'",
    replace: "sealedWith: ephemeralB64u === '' ? 'ml-kem-768' : 'x-wing'",
    tests: ['inbox/inbox.test'],
  },
])
