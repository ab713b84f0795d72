/**
 * The agreement of a device with standing to another one (workers/docs/pages/developer/devices.md): with it the new device
 * counts after a window, and without it as late as a lost standing ends.
 *
 * It is about one acceptance, which counts once and for an hour, so what a device agreed to long ago brings nothing back.
 *
 * @module
 */
import * as z from 'zod'
import { bytesOf } from '../base/base64url.ts'
import { deviceIdSchema, type SignedDeviceAcceptance } from '../base/device.ts'
import { hashSchema } from '../base/hash.ts'
import { didSchema, scopeSchema } from '../base/identity.ts'
import type { InceptionHead } from '../base/inception-head.ts'
import { pure } from '../base/pure.ts'
import type { Realms } from '../base/realm.ts'
import { ownedStatementSchema, signedSchema, statementHash, verifyStatement } from '../base/statement.ts'

export const deviceAgreementSchema = /* @__PURE__ */ pure(() =>
  ownedStatementSchema('svc/device-agreement/v1', {
    did: didSchema,
    scope: scopeSchema,
    rootEpoch: z.int().min(0).meta({ description: 'Epoch of the root key that attests the new device' }),
    deviceId: deviceIdSchema.meta({ description: 'The new device' }),
    acceptanceHash: hashSchema.meta({ description: 'SHA3-384 over the JCS of the statement of its acceptance' }),
    signedBy: deviceIdSchema.meta({ description: 'The device that agrees' }),
  }).meta({
    id: 'DeviceAgreement',
    description: 'A device with standing agrees that another one joins; for the attestation with this acceptance',
  }),
)
export const signedDeviceAgreementSchema = /* @__PURE__ */ pure(() =>
  signedSchema(deviceAgreementSchema).meta({ id: 'SignedDeviceAgreement' }),
)
export type SignedDeviceAgreement = z.infer<typeof signedDeviceAgreementSchema>

/** The parts of an attestation that an agreement is about. */
export interface Agreeable {
  readonly statement: {
    readonly did: string
    readonly scope: string
    readonly rootEpoch: number
    readonly deviceId: string
  }
  readonly acceptance: SignedDeviceAcceptance
  readonly agreement?: SignedDeviceAgreement | undefined
}

/** The log before an attestation. */
export interface AgreementLog {
  /** The epoch in which a device was attested, and its key; null for one that never was. */
  device(deviceId: string): { readonly rootEpoch: number; readonly publicKeyB64u: string } | null
  /** Whether the log has this event there, or begins with this genesis block. */
  has(head: InceptionHead): boolean
}

/** Whether an attestation has no agreement, or one to it by another device of the same root key, which knew this log. */
export function fitsAgreement({ statement, acceptance, agreement }: Agreeable, log: AgreementLog): boolean {
  if (!agreement) return true
  const agreed = agreement.statement
  return (
    agreed.did === statement.did &&
    agreed.scope === statement.scope &&
    agreed.rootEpoch === statement.rootEpoch &&
    agreed.deviceId === statement.deviceId &&
    agreed.acceptanceHash === statementHash(acceptance.statement) &&
    agreed.signedBy !== statement.deviceId &&
    log.device(agreed.signedBy)?.rootEpoch === statement.rootEpoch &&
    (agreed.inception === null || log.has(agreed.inception))
  )
}

/** Whether an attestation has no agreement, or one that this key signed: that of the device which `signedBy` names. */
export async function verifyAgreement(
  { agreement }: Pick<Agreeable, 'agreement'>,
  agreeingKeyB64u: string | null,
  expectedRealms: Realms,
): Promise<boolean> {
  if (!agreement) return true
  return agreeingKeyB64u !== null && verifyStatement(agreement, bytesOf(agreeingKeyB64u), expectedRealms)
}
