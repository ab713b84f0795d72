import type { VerificationSubject } from './subjects.ts'
import { VerificationError } from './verification-error.ts'

interface Signed {
  readonly statement: { readonly log: string; readonly size: number }
}

/** A later checkpoint is not proved to contain an earlier one: both are evidence. */
export function inconsistent(subject: VerificationSubject, earlier: Signed, later: Signed): VerificationError {
  const { log, size } = later.statement
  return new VerificationError('Nothing proves that the later checkpoint contains the earlier one', {
    subject,
    reason: 'inconsistent',
    where: { log, position: size },
    evidence: { earlier, later },
  })
}
