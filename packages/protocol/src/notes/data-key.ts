/**
 * The data key of a note (workers/docs/pages/developer/notes.md#encryption): what the statement commits to, and what its
 * wraps are bound to.
 *
 * AES-GCM does not commit to its key: a ciphertext can be made that opens under two keys as two texts. Each reader has a
 * wrap of their own, so without the hash one signed record could tell two readers different things.
 *
 * @module
 */
import { hashHex } from '../base/hash.ts'
import { jcsBytes } from '../base/jcs.ts'
import type { HybridKey, KeyPurpose } from '../base/key-agreement.ts'

export const DEK_WRAP = 'svc/dek-wrap/v2'

const KEY_LABEL = 'svc/note-key/v1'

/** `keyHash` of a note: SHA3-384 over the label and the 32 bytes of the data key. */
export function noteKeyHash(dataKey: Uint8Array): string {
  return hashHex(new Uint8Array([...new TextEncoder().encode(KEY_LABEL), ...dataKey]))
}

/** The note that a data key belongs to. */
export interface NotePlace {
  readonly realm: string
  readonly did: string
  readonly noteId: string
}

/** What the key that wraps a data key is derived for: this note and this reader. */
export function dekWrapPurpose({ realm, did, noteId }: NotePlace, reader: HybridKey): KeyPurpose {
  const { kemPublicKeyB64u, x25519B64u } = reader
  return { label: DEK_WRAP, info: jcsBytes({ type: DEK_WRAP, realm, did, noteId, kemPublicKeyB64u, x25519B64u }) }
}
