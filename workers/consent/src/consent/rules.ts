/**
 * What a write does to a record in its current state. Who may sign is decided elsewhere, after this.
 *
 * The rule exists twice: `WRITES` in `store.ts` repeats it as SQL conditions, because the record may change between this
 * decision and the write. `test/consent/conditional-writes.test.ts` holds the two together.
 *
 * @module
 */
import { type ConsentAct, MAX_ACTS } from '@svc/protocol/consent/consent'

/** The part of a record that the rule needs. */
export interface Standing {
  /** Null on a record without an owner. */
  readonly creatorDid: string | null
  readonly status: 'published' | 'revoked'
  readonly version: number
  /** The version at which its creator got it by a settlement; 0 for the first publisher. */
  readonly heldFrom: number
  /** The act that produced its current state. */
  readonly lastAct: string | null
  /** Whether this act was accepted before. */
  readonly remembersAct: boolean
}

export interface Write {
  readonly action: ConsentAct['action']
  readonly actHash: string
  /** The creator of a new record; other writes are for the creator of the existing one. */
  readonly creatorDid: string
}

export type WriteRefusal =
  | 'not_found'
  | 'non_native_consent_record'
  | 'consent_held'
  | 'consent_exists'
  | 'consent_replay'
  | 'consent_limit'

/** `unchanged`: this act already produced the current state, so there is nothing to do. */
export type Decision =
  | { readonly is: 'proceed' }
  | { readonly is: 'unchanged' }
  | { readonly is: 'refused'; readonly reason: WriteRefusal }

const PROCEED = { is: 'proceed' } as const
const UNCHANGED = { is: 'unchanged' } as const
const refused = (reason: WriteRefusal): Decision => ({ is: 'refused', reason })

export function decideWrite(record: Standing | null, write: Write): Decision {
  if (!record) return write.action === 'create' ? PROCEED : refused('not_found')
  if (record.creatorDid === null) return refused('non_native_consent_record')
  // The creator keeps the identifier, even if revoked: otherwise someone watching for a deletion could claim it.
  if (record.creatorDid !== write.creatorDid) return refused('consent_held')
  if (record.lastAct === write.actHash) return UNCHANGED
  if (write.action !== 'create' && record.status === 'revoked') return refused('not_found')
  // Signatures are public: an old one must not restore an old declaration.
  if (record.remembersAct) return refused('consent_replay')
  if (write.action === 'create' && record.status === 'published') return refused('consent_exists')
  // Counted per creator, so that nobody can use up the acts of the one who gets the identifier. A declaration can always
  // be revoked.
  if (write.action !== 'delete' && record.version - record.heldFrom >= MAX_ACTS) return refused('consent_limit')
  return PROCEED
}
