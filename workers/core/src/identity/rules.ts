/**
 * The rules for an identity's keys: which key may act for it now.
 *
 * @module
 */
import { err, ok, type Result } from '@svc/protocol/base/result'
import type { Commitment } from '@svc/protocol/chain/commitment'

/**
 * Key agreements of one root key in 24 hours. Each is an update of the account in the log of the key directory, which
 * keeps its statement for good: some 7 kB with three sheets, so 0.2 MB a day.
 */
export const MAX_KEY_AGREEMENTS = 32
const DAY_MS = 24 * 3_600_000

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
  /** Who may follow the current key. */
  readonly commitment: Commitment
  /** When the identity was deactivated; null while it is active. */
  readonly deactivatedAt: number | null
}

/**
 * Marks a key as belonging to another identity: the object named by the DID that the key would have on its own holds
 * this alias, so that it can never become an identity. The object of `did` stays authoritative.
 */
export interface Alias {
  readonly kind: 'root' | 'device'
  /** SHA3-384 of the key. The object's name holds half of it, so all of it is compared. */
  readonly userId: string
  readonly did: string
  readonly scope: string
}

export type KeyRefusal = { readonly reason: 'unknown_key' | 'superseded' | 'deactivated' }

/** Not an error: ask the object of `did`. */
export interface Elsewhere {
  readonly reason: 'elsewhere'
  readonly did: string
}

/** Whether a key may act for the identity. `known` says whether it ever was its root key. */
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

/** The newest key agreement of an identity, and the times that count towards the limit. */
export interface KnownAgreement {
  readonly epoch: number
  readonly issuedAt: number
  /** When the root key of the epoch had its newest ones accepted, this one included. */
  readonly acceptedAt: readonly number[]
}

export type AgreementRefusal = { readonly reason: 'stale' | 'agreement_limit' }

/**
 * When the key agreements of an epoch were accepted, with one more now. It must be newer than the last one, whichever root
 * key signed that. What a former root key has registered is not counted, so a thief leaves the next one its own number.
 */
export function agreeAgain(
  known: KnownAgreement | null,
  { epoch, issuedAt }: Pick<KnownAgreement, 'epoch' | 'issuedAt'>,
  now: number,
): Result<number[], AgreementRefusal> {
  if (known && known.issuedAt >= issuedAt) return err({ reason: 'stale' })
  const before = known?.epoch === epoch ? known.acceptedAt.filter((time) => time > now - DAY_MS) : []
  return before.length < MAX_KEY_AGREEMENTS ? ok([...before, now]) : err({ reason: 'agreement_limit' })
}
