import type { SignedDeviceAcceptance } from '#protocol/base/device'
import type { InceptionHead } from '#protocol/base/inception-head'
import { signStatement, statementHash } from '#protocol/base/statement'
import type { SignedDeviceAgreement } from '#protocol/devices/agreement'
import { placed, type Signing } from './signing.ts'
import { signerOf } from './signing-key.ts'

/** The membership of the agreeing device in its identity. */
export interface Member {
  readonly did: string
  readonly scope: string
  readonly rootEpoch: number
  readonly inception: InceptionHead
}

/** Signs a device's agreement to another device. Throws a TypeError if the acceptance is for another identity. */
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
