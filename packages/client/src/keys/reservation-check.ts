import type { Realms } from '#protocol/base/realm'
import {
  type DevicePackage,
  type ReservedPrekey,
  type ReservePrekey,
  verifyReservation,
} from '#protocol/keys/directory'
import { type Profile, verifyPrekey } from '#protocol/keys/packages'
import { type TrustedKeys, trustedKeyOf } from '../discovery/trusted-keys.ts'
import { unverified } from '../verification/verification-error.ts'

/** What was asked for, and who is trusted for the answer. */
interface Expected {
  readonly accountDid: string
  readonly deviceId: string
  readonly requesterDid: string
  readonly profile: Profile
  readonly fallbackPolicy: ReservePrekey['fallbackPolicy']
  /** The package of the device, verified. */
  readonly found: DevicePackage
  readonly receiptKeys: TrustedKeys
  readonly realms: Realms
}

/** Throws a `VerificationError` unless the device signed the prekey, and the directory a receipt for it. */
export async function checkReservation(reserved: ReservedPrekey, expected: Expected): Promise<void> {
  const { accountDid, deviceId, requesterDid, profile, fallbackPolicy, found, receiptKeys, realms } = expected
  const { prekey, receipt, usedFallback } = reserved
  const kind = prekey.batch.statement.kind
  if (!(await verifyPrekey(prekey, found.keyPackage, realms)))
    throw unverified('prekey', 'invalid_signature', 'The prekey does not belong to the device', { evidence: prekey })
  if (usedFallback !== (kind === 'last-resort'))
    throw unverified('prekey', 'mismatch', 'The directory did not report a last-resort prekey', {
      evidence: reserved,
    })
  if (usedFallback && fallbackPolicy !== 'last-resort-allowed')
    throw unverified('prekey', 'different_answer', 'The directory returned a last-resort prekey that was not allowed', {
      evidence: reserved,
    })
  const { statement } = receipt
  const isOurs =
    statement.accountDid === accountDid &&
    statement.deviceId === deviceId &&
    statement.requesterDid === requesterDid &&
    statement.prekeyId === prekey.prekeyId &&
    statement.profile === profile &&
    statement.kind === kind
  if (!isOurs)
    throw unverified('receipt', 'different_answer', 'The receipt is for another prekey', { evidence: receipt })
  if (!(await verifyReservation(receipt, await trustedKeyOf(receipt, receiptKeys, 'receipt'), realms)))
    throw unverified('receipt', 'invalid_signature', 'The receipt is invalid', { evidence: receipt })
}
