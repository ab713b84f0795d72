/**
 * Agreements (workers/docs/pages/developer/devices.md): a device with standing agrees to the attestation of another
 * device. The new device then gains standing after one window (24 hours). Without an agreement it waits 30 days, which
 * is as long as a lost device keeps its standing.
 *
 * An agreement names one acceptance, which is valid once and for an hour. An old agreement therefore cannot be reused.
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
    description: 'A device with standing agrees to the attestation of another device with this acceptance',
  }),
)
export const signedDeviceAgreementSchema = /* @__PURE__ */ pure(() =>
  signedSchema(deviceAgreementSchema).meta({ id: 'SignedDeviceAgreement' }),
)
export type SignedDeviceAgreement = z.infer<typeof signedDeviceAgreementSchema>

/** The parts of an attestation that an agreement is checked against. */
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

/** The inception log as it was before the attestation. */
export interface AgreementLog {
  /** Returns the epoch in which a device was attested, and its key; null for a device that was never attested. */
  device(deviceId: string): { readonly rootEpoch: number; readonly publicKeyB64u: string } | null
  /** Returns whether the log has the event with this hash at this sequence number, or this genesis block at 0. */
  has(head: InceptionHead): boolean
}

/**
 * Returns whether the agreement of an attestation fits it: it names this attestation, another device of the same root
 * key signed it, and the log has the event that it names. An attestation without an agreement passes.
 */
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

/**
 * Verifies the signature of an agreement. `agreeingKeyB64u` is the key of the device that `signedBy` names, or null if
 * there is none. An attestation without an agreement passes.
 */
export async function verifyAgreement(
  { agreement }: Pick<Agreeable, 'agreement'>,
  agreeingKeyB64u: string | null,
  expectedRealms: Realms,
): Promise<boolean> {
  if (!agreement) return true
  return agreeingKeyB64u !== null && verifyStatement(agreement, bytesOf(agreeingKeyB64u), expectedRealms)
}
