import type { Realms } from '#protocol/base/realm'
import { type KeptBundle, keptBundleSchema } from '#protocol/ledger/blind-root'
import { isFormerBundle } from '#protocol/ledger/bundle/anchor-bundle'
import { type BundleFault, type LogTrust, verifyBundle } from '#protocol/ledger/bundle/verify-bundle'
import { checkCall } from '../arguments/check.ts'
import { readAnswer } from '../verification/read-answer.ts'
import { safely, type Verified } from '../verification/safe.ts'
import { unverified, type VerificationError } from '../verification/verification-error.ts'

/**
 * Verifies an anchor offline against a log list that you have verified, or the log's key from another source. Returns the
 * bundle: its log has its root. `anchorTime` says since when. Compare the root with your file: `rootOfFile` takes the nonce
 * of the bundle into account. `status` and `chains` of the record stay claims of the service. Throws a `VerificationError`
 * otherwise.
 */
export async function verifyAnchor(bundle: unknown, trust: LogTrust, expectedRealms: Realms): Promise<KeptBundle> {
  checkCall(
    'verifyAnchor',
    [bundle, trust, expectedRealms],
    ['bundle?', ['trust', { list: 0, logKeyB64u: 0 }], 'expectedRealms'],
  )
  if (isFormerBundle(bundle))
    throw unverified('anchor', 'malformed', 'The bundle has the first form, which svc anchor upgrade renews', {
      where: { member: 'format' },
    })
  const read = readAnswer(keptBundleSchema, bundle)
  const verified = await verifyBundle(read, trust, expectedRealms)
  if (verified.ok) return read
  throw notVerified(verified.error.reason, read)
}

/** The error for a bundle that does not verify. */
export function notVerified(reason: BundleFault['reason'], bundle: Pick<KeptBundle, 'record'>): VerificationError {
  const { position } = bundle.record
  return unverified('anchor', reason, `The anchor does not verify: ${reason}`, {
    where: position ? { log: position.log, position: position.index } : {},
    evidence: bundle,
  })
}

/** `verifyAnchor` as a result. */
export function safeVerifyAnchor(...given: Parameters<typeof verifyAnchor>): Promise<Verified<KeptBundle>> {
  return safely(() => verifyAnchor(...given))
}
