import type { VerificationReason } from './reasons.ts'
import type { VerificationSubject } from './subjects.ts'

/** Where in the answer it failed. Members that do not apply are missing. */
export interface Where {
  /** Index of a block. */
  readonly block?: string
  /** Number of an event in a log of devices or of an organization, and of an entry of an export. */
  readonly sequence?: number
  /** Root epoch. */
  readonly epoch?: number
  /** Version of a note, an act on a consent record, or a roster. */
  readonly version?: number
  /** Index of a leaf, a transfer, or a page. */
  readonly position?: number
  /** Name of a log. */
  readonly log?: string
  /** Path of a member of the answer: `data.blocks.3.index`. */
  readonly member?: string
}

export interface VerificationFault {
  readonly subject: VerificationSubject
  readonly reason: VerificationReason
  readonly where?: Where
  /** What the service sent, if it is worth keeping: JSON. */
  readonly evidence?: unknown
}

/**
 * What a service or somebody else showed does not verify. Every verifying method of this SDK throws it, and returns the
 * verified value otherwise. Branch on `reason`; the message is for people.
 */
export class VerificationError extends Error {
  override readonly name: string = 'VerificationError'
  /** What was being verified. */
  readonly subject: VerificationSubject
  /** What is wrong with it. */
  readonly reason: VerificationReason
  readonly where: Where
  /** What was shown, as far as it is worth keeping; otherwise null. */
  declare readonly evidence: unknown

  constructor(message: string, { subject, reason, where = {}, evidence = null }: VerificationFault) {
    super(message)
    this.subject = subject
    this.reason = reason
    this.where = where
    // A chain or a page of events: in the log of a program it would push the message off the screen.
    Object.defineProperty(this, 'evidence', { value: evidence })
  }

  /** Everything but the stack, to be kept. */
  toJSON(): object {
    const { name, message, subject, reason, where, evidence } = this
    return { name, message, subject, reason, where, evidence }
  }
}

/** For throwing in one line. */
export function unverified(
  subject: VerificationSubject,
  reason: VerificationReason,
  message: string,
  details: Pick<VerificationFault, 'where' | 'evidence'> = {},
): VerificationError {
  return new VerificationError(message, { subject, reason, ...details })
}
