/**
 * The law of writes: what a write does to a record as it stands (document 2 section 3, readings 29). Whose key signs is
 * decided elsewhere, after this.
 *
 * @module
 */
import { type ConsentAct, MAX_ACTS } from '@svc/protocol/consent'

/** A record as the law sees it. */
export interface Standing {
  /** Null on an ownerless record. */
  readonly creatorDid: string | null
  readonly status: 'published' | 'revoked'
  readonly version: number
  /** The act that left it as it is. */
  readonly lastAct: string | null
  /** Whether the act in question was taken before. */
  readonly remembersAct: boolean
}

export interface Write {
  readonly action: ConsentAct['action']
  readonly actHash: string
  /** Whom a creation is for; the other writes are for the creator of the record. */
  readonly creatorDid: string
}

export type WriteRefusal =
  | 'not_found'
  | 'non_native_consent_record'
  | 'consent_held'
  | 'consent_exists'
  | 'consent_replay'
  | 'consent_limit'

/** `unchanged`: the very act that left the record as it is, so that there is nothing to do. */
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
  // The first publisher keeps the identifier, revoked or not: else whoever watches for a deletion declares next.
  if (record.creatorDid !== write.creatorDid) return refused('consent_held')
  if (record.lastAct === write.actHash) return UNCHANGED
  if (write.action !== 'create' && record.status === 'revoked') return refused('not_found')
  // What was signed once is public, and must not bring back what was declared then.
  if (record.remembersAct) return refused('consent_replay')
  if (write.action === 'create' && record.status === 'published') return refused('consent_exists')
  // A declaration can always be revoked.
  if (write.action !== 'delete' && record.version >= MAX_ACTS) return refused('consent_limit')
  return PROCEED
}
