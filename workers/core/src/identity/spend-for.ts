import type { Caller, VerifiedAssertion } from '@svc/assertion'
import { err, ok, type Result } from '@svc/protocol/base/result'
import type { IdentityTransaction, Refused } from './transaction.ts'

/**
 * Spends an assertion for another service, whose nonces are kept apart by `realm`. A device whose attestation was by an
 * earlier root key is told so before anything else, as when its record is read.
 */
export function spendFor(
  transaction: IdentityTransaction,
  realm: string,
  assertion: VerifiedAssertion,
): Result<Caller, Refused> {
  const { device, signer } = assertion
  const standing = device && transaction.deviceStanding(device.deviceId)
  const isOver = transaction.read()?.deactivatedAt != null
  if (!isOver && standing && standing.rootEpoch !== standing.currentEpoch) {
    return err({ reason: 'attestation_unverifiable' })
  }
  const named = { ...assertion, signer: `${realm} ${signer}` }
  return transaction.authorized(named, (_, caller) => ok(caller))
}
