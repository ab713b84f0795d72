import type { VerificationReason } from '../verification/reasons.ts'
import { VerificationError } from '../verification/verification-error.ts'

/** A place in a log: the number of an entry, or the size of a tree, and the hash that commits to everything up to it. */
export interface Place {
  readonly position: number
  readonly hash: string
}

/** What was signed at a place. Null if the service showed a place without a signed piece for it. */
export interface Piece<E = unknown> extends Place {
  readonly signed: E
}

/**
 * `chain`, `genesis`, `inception`, `keys`, `label`, `account`, `vault` and `events` are named by DID, `agreement` by DID and
 * root epoch, `organization` by the organization's DID, `note` by DID and note id, `transparency` and `anchors` by the name
 * of the log.
 */
export const LOG_KINDS = [
  'chain',
  'genesis',
  'inception',
  'keys',
  'label',
  'agreement',
  'account',
  'organization',
  'note',
  'vault',
  'transparency',
  'anchors',
  'events',
] as const
export type LogKind = (typeof LOG_KINDS)[number]

export interface LogName {
  readonly kind: LogKind
  readonly of: string
}

/** Both sides of a contradiction, with the signatures that prove it. */
export interface Contradiction {
  readonly log: LogName
  readonly remembered: Piece
  readonly received: Piece
}

/**
 * A service contradicts what this client has seen or signed. `remembered` and `received` are the pieces that contradict
 * each other, each with its signed statement, block or event: keep them as evidence.
 */
export abstract class HistoryError extends VerificationError implements Contradiction {
  readonly log: LogName
  declare readonly remembered: Piece
  declare readonly received: Piece

  protected constructor(message: string, reason: VerificationReason, { log, remembered, received }: Contradiction) {
    const where = { position: received.position }
    super(message, { subject: log.kind, reason, where, evidence: { log, remembered, received } })
    this.log = log
    // Not in logs, like `evidence`.
    Object.defineProperties(this, { remembered: { value: remembered }, received: { value: received } })
  }

  /** The evidence as JSON. */
  override toJSON(): Contradiction & { readonly name: string; readonly message: string; readonly reason: string } {
    const { name, message, reason, log, remembered, received } = this
    return { name, message, reason, log, remembered, received }
  }
}

/** The service shows an older state than it has shown before. */
export class RollbackError extends HistoryError {
  override readonly name = 'RollbackError'

  constructor(evidence: Contradiction) {
    const { log, remembered, received } = evidence
    super(`The ${log.kind} log went back from ${remembered.position} to ${received.position}`, 'rollback', evidence)
  }
}

/** The service shows a history that does not contain what it has shown before. */
export class ForkError extends HistoryError {
  override readonly name = 'ForkError'

  constructor(evidence: Contradiction) {
    const { log, remembered, received } = evidence
    super(
      `The ${log.kind} log at ${received.position} contradicts what it was at ${remembered.position}`,
      'fork',
      evidence,
    )
  }
}

/** The service claims a longer history than it can prove: entries are missing, or nobody who may has signed them. */
export class UnprovedError extends HistoryError {
  override readonly name = 'UnprovedError'

  constructor(evidence: Contradiction) {
    const { log, remembered, received } = evidence
    super(
      `Nothing proves that the ${log.kind} log goes from ${remembered.position} to ${received.position}`,
      'unproved',
      evidence,
    )
  }
}
