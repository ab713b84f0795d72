import { encodeBase64url } from '#protocol/base/base64url'
import { type AnchorStamp, anchorStampSchema, NO_LABEL, withNonce } from '#protocol/ledger/anchor-stamp'
import { anchorIdOf } from '#protocol/ledger/anchors'
import { type KeptBundle, rootOfFile, STAMP_NONCE_BYTES } from '#protocol/ledger/blind-root'
import type { AnchorBundle } from '#protocol/ledger/bundle/anchor-bundle'
import { checkForm } from '../arguments/check-form.ts'
import type { Notes } from '../notes/notes.ts'
import { ServiceError } from '../transport/service-error.ts'

import { unverified } from '../verification/verification-error.ts'
import { isStampNote, stampNoteId } from './stamp-note.ts'

/** A file that is anchored by its hash. */
export interface FileToStamp {
  /** SHA3-384, 96 hex characters: `await hashOf(file)`. */
  readonly hash: string
  /** What you call it: at most 1,024 characters, kept in the stamp and sent to nobody in the clear. */
  readonly name?: string
}

export interface StampOptions {
  /**
   * Whether everybody who has the file can find the anchor, and with it this identity: the root is then the hash of the
   * file. Default: false.
   */
  readonly isFindable?: boolean
  /** A label that everybody can read, 1 to 64 of A-Z a-z 0-9 . _ : -; default `-`. */
  readonly epoch?: string
  /** Keeps the stamp before anything is sent; default: the library of this identity, see `keep`. */
  readonly keep?: (stamp: AnchorStamp) => Promise<unknown>
}

export function newStamp(
  { hash, name }: FileToStamp,
  { isFindable = false, epoch = NO_LABEL }: StampOptions,
  { owner, realm }: { readonly owner: string; readonly realm: string },
): AnchorStamp {
  const nonceB64u = isFindable ? null : encodeBase64url(crypto.getRandomValues(new Uint8Array(STAMP_NONCE_BYTES)))
  const root = rootOfFile(hash, nonceB64u)
  const anchorId = anchorIdOf(owner, root, epoch)
  const stamp = { format: 'svc/anchor-stamp/v1', realm, anchorId, root, epoch, hash, nonceB64u, name: name ?? null }
  return checkForm('anchors.stamp', 'stamp', anchorStampSchema, stamp)
}

/** The bundle of a stamped file, with its nonce. */
export function completed(stamp: AnchorStamp, bundle: AnchorBundle): KeptBundle {
  const { root } = bundle.record
  if (root !== stamp.root || root !== rootOfFile(stamp.hash, stamp.nonceB64u))
    throw unverified('anchor', 'mismatch', 'The anchor has another root than the stamp', { evidence: bundle })
  return withNonce(bundle, stamp)
}

/** Stamps in the notes of an identity: encrypted for all its devices and sheets, and in every export of them. */
export class StampLibrary {
  readonly #notes: Notes

  constructor(notes: Notes) {
    this.#notes = notes
  }

  async keep(stamp: AnchorStamp): Promise<void> {
    const noteId = stampNoteId(stamp.anchorId)
    const text = { title: stamp.name ?? '', body: JSON.stringify(stamp) }
    await this.#notes.putAs(noteId, text).catch(async (error: unknown) => {
      const isThere = error instanceof ServiceError && error.status === 409
      if (!isThere || (await this.#notes.get(noteId)).body !== text.body) throw error
    })
  }

  /** Null if there is none. */
  async of(anchorId: string): Promise<AnchorStamp | null> {
    try {
      return stampIn((await this.#notes.get(stampNoteId(anchorId))).body)
    } catch (error) {
      if (error instanceof ServiceError && error.status === 404) return null
      throw error
    }
  }

  /** Passes over notes that have the id of a stamp and another content. */
  async *all(): AsyncGenerator<AnchorStamp> {
    for await (const { noteId, status } of this.#notes.all()) {
      if (status !== 'stored' || !isStampNote(noteId)) continue
      const stamp = stampIn((await this.#notes.get(noteId)).body)
      if (stamp) yield stamp
    }
  }
}

/** Null if the text is not a stamp. */
function stampIn(text: string): AnchorStamp | null {
  try {
    return anchorStampSchema.parse(JSON.parse(text))
  } catch {
    return null
  }
}
