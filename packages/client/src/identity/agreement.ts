import type { SignedDeviceAcceptance } from '#protocol/base/device'
import type { InceptionHead } from '#protocol/base/inception-head'
import { signStatement, statementHash } from '#protocol/base/statement'
import type { SignedDeviceAgreement } from '#protocol/devices/agreement'
import { placed, type Signing } from './signing.ts'
import { signerOf } from './signing-key.ts'

/** The device that agrees, as a member of its identity. */
export interface Member {
  readonly did: string
  readonly scope: string
  readonly rootEpoch: number
  readonly inception: InceptionHead
}

/** Signs with the key of a device that another one joins its identity. Throws a TypeError for the acceptance of another identity. */
export async function agreementBy(
  device: object & { readonly deviceId: string },
  { did, scope, rootEpoch, inception: attested }: Member,
  { statement: accepted }: SignedDeviceAcceptance,
  signing: Signing,
): Promise<SignedDeviceAgreement> {
  if (accepted.did !== did) throw new TypeError('The acceptance is for another identity')
  const statement = {
    type: 'svc/device-agreement/v1',
    ...placed(signing, attested),
    did,
    scope,
    rootEpoch,
    deviceId: accepted.deviceId,
    acceptanceHash: statementHash(accepted),
    signedBy: device.deviceId,
  } as const
  return signStatement(statement, signerOf(device))
}
