/**
 * The law of an identity's keys: which key may act for it now.
 *
 * @module
 */
import { err, ok, type Result } from '@svc/protocol/result'

/** One root key of an identity. Epoch 0 is the genesis key. */
export interface RootKey {
  readonly epoch: number
  readonly userId: string
  readonly publicKey: Uint8Array
  readonly activatedAt: number
}

export interface IdentityRecord {
  readonly did: string
  readonly scope: string
  readonly createdAt: number
  readonly current: RootKey
  /** When the root key ended the identity; null while it lives. */
  readonly deactivatedAt: number | null
}

/**
 * That a key belongs to another object: the DID that the key alone would have is taken by an alias, so that it can
 * never be an identity of its own. The object of `did` stays authoritative.
 */
export interface Alias {
  readonly kind: 'root' | 'device'
  /** SHA3-384 of the key. The object's name holds half of it, and all of it is compared. */
  readonly userId: string
  readonly did: string
  readonly scope: string
}

export type KeyRefusal = { readonly reason: 'unknown_key' | 'superseded' | 'deactivated' }

/** Not a refusal: ask the object of `did`. */
export interface Elsewhere {
  readonly reason: 'elsewhere'
  readonly did: string
}

/** Whether a key speaks for the identity. `known` says whether it ever did. */
export function checkKey(
  record: IdentityRecord | null,
  userId: string,
  known: (userId: string) => boolean,
): Result<IdentityRecord, KeyRefusal> {
  if (!record) return err({ reason: 'unknown_key' })
  if (record.deactivatedAt !== null) return err({ reason: 'deactivated' })
  if (record.current.userId === userId) return ok(record)
  return err({ reason: known(userId) ? 'superseded' : 'unknown_key' })
}
