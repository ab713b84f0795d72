import type { Realms } from '#protocol/base/realm'
import { type LogTrust, verifyBundle } from '#protocol/ledger/anchor-log'
import { type KeptBundle, keptBundleSchema } from '#protocol/ledger/blind-root'
import { checkCall } from '../arguments/check.ts'
import { readAnswer } from '../verification/read-answer.ts'
import { safely, type Verified } from '../verification/safe.ts'
import { unverified } from '../verification/verification-error.ts'

/**
 * Verifies an anchor offline against a log list that you have verified, or the log's key from another source. Returns the
 * bundle: its root was in the log by the time of its checkpoint. Compare the root with your file: `rootOfFile` takes the
 * nonce of the bundle into account. `status` and `chains` of the record stay claims of the
 * service. Throws a `VerificationError` otherwise.
 */
export async function verifyAnchor(bundle: unknown, trust: LogTrust, expectedRealms: Realms): Promise<KeptBundle> {
  checkCall(
    'verifyAnchor',
    [bundle, trust, expectedRealms],
    ['bundle?', ['trust', { list: 0, logKeyB64u: 0 }], 'expectedRealms'],
  )
  const read = readAnswer(keptBundleSchema, bundle)
  const verified = await verifyBundle(read, trust, expectedRealms)
  if (verified.ok) return read
  const { reason } = verified.error
  const { position } = read.record
  throw unverified('anchor', reason, `The anchor does not verify: ${reason}`, {
    where: position ? { log: position.log, position: position.index } : {},
    evidence: read,
  })
}

/** `verifyAnchor` as a result. */
export function safeVerifyAnchor(...given: Parameters<typeof verifyAnchor>): Promise<Verified<KeptBundle>> {
  return safely(() => verifyAnchor(...given))
}
