/**
 * The inception log: which devices act for an identity and, where it is an organization, who its officers are
 * (document 1 section 4.3). Each entry is signed by the root key and names the hash of the one before it; the first
 * follows the genesis block. Server and SDK both run this file: `judge` says what an event does, or which rule it
 * breaks.
 *
 * @module
 */
import * as z from 'zod'
import {
  type Capability,
  capabilitiesSchema,
  type DeviceStatus,
  deviceExpirySchema,
  deviceIdOf,
  deviceIdSchema,
  deviceOriginSchema,
  signedDeviceAcceptanceSchema,
} from './device.ts'
import { hashHex, hashSchema } from './hash.ts'
import { didSchema, publicKeySchema, scopeSchema, signatureSchema } from './identity.ts'
import { jcsBytes } from './jcs.ts'
import {
  checkRoster,
  officerApprovalSchema,
  officersSchema,
  quorumSchema,
  type Roster,
  type RosterFault,
  signedOfficerAcceptanceSchema,
} from './officers.ts'
import { err, ok, type Result } from './result.ts'
import { signedSchema, statementSchema } from './statement.ts'

/** Devices that may act at once. Peers' users complain of 5; 32 keeps a fold and a page small. */
export const MAX_DEVICES = 32
/** An attestation takes 16 kB of JSON with its acceptance, so ten fit the body cap of 256 KiB. */
export const MAX_BATCH = 10

const link = {
  did: didSchema,
  scope: scopeSchema,
  sequence: z.int().min(1).meta({ description: 'Position in the log; the first is 1' }),
  previousHash: hashSchema.meta({ description: 'Hash of the event before; of the genesis block for the first' }),
  rootEpoch: z.int().min(0).meta({ description: 'Epoch of the root key that signs' }),
}

export const deviceAttestationSchema = statementSchema('svc/device-attestation/v1', {
  ...link,
  deviceId: deviceIdSchema,
  devicePublicKeyB64u: publicKeySchema,
  origin: deviceOriginSchema,
  capabilities: capabilitiesSchema,
  expiresAt: deviceExpirySchema,
}).meta({ id: 'DeviceAttestation', description: 'The root key takes a device in' })
export const attestDeviceSchema = z
  .strictObject({ ...signedSchema(deviceAttestationSchema).shape, acceptance: signedDeviceAcceptanceSchema })
  .meta({ id: 'AttestDevice', description: 'An attestation by the root key with the device’s own acceptance' })
export type AttestDevice = z.infer<typeof attestDeviceSchema>

export const deviceEventSchema = statementSchema('svc/device-event/v1', {
  ...link,
  deviceId: deviceIdSchema,
  event: z.enum(['revoke', 'suspend', 'resume', 'capabilities']),
  capabilities: capabilitiesSchema.optional().meta({ description: 'Only and always for the event `capabilities`' }),
})
  .refine(({ event, capabilities }) => (event === 'capabilities') === (capabilities !== undefined), {
    path: ['capabilities'],
    message: 'only and always for the event capabilities',
  })
  .meta({ id: 'DeviceEvent', description: 'The root key changes the standing of a device; a revocation is final' })
export const changeDeviceSchema = signedSchema(deviceEventSchema).meta({ id: 'ChangeDevice' })
export type ChangeDevice = z.infer<typeof changeDeviceSchema>

const roster = { ...link, officers: officersSchema, quorum: quorumSchema }
export const orgInceptionSchema = statementSchema('svc/org-inception/v1', roster).meta({
  id: 'OrgInception',
  description: 'The identity is an organization with these officers',
})
export const inceptOrgSchema = z
  .strictObject({
    ...signedSchema(orgInceptionSchema).shape,
    acceptances: z.array(signedOfficerAcceptanceSchema).max(16),
  })
  .meta({ id: 'InceptOrg', description: 'Signed by the organization’s root key; every officer accepts' })
export type InceptOrg = z.infer<typeof inceptOrgSchema>

export const orgOfficersSchema = statementSchema('svc/org-officers/v1', {
  ...roster,
  rosterVersion: z.int().min(2).meta({ description: 'The current version and 1; inception is version 1' }),
}).meta({ id: 'OrgOfficers', description: 'The officers of an organization change' })
export const rotateOfficersSchema = z
  .strictObject({
    statement: orgOfficersSchema,
    signatureB64u: signatureSchema.meta({ description: 'Continuity: by the organization’s root key' }),
    approvals: z.array(officerApprovalSchema).max(16).meta({ description: 'By a quorum of the outgoing officers' }),
    acceptances: z.array(signedOfficerAcceptanceSchema).max(16).meta({ description: 'By every officer who is new' }),
  })
  .meta({ id: 'RotateOfficers' })
export type RotateOfficers = z.infer<typeof rotateOfficersSchema>

export type InceptionEvent = AttestDevice | ChangeDevice | InceptOrg | RotateOfficers
export const inceptionEventSchema = z
  .union([attestDeviceSchema, changeDeviceSchema, inceptOrgSchema, rotateOfficersSchema])
  .meta({ id: 'InceptionEvent' })
export const deviceBatchSchema = z
  .strictObject({
    events: z
      .array(z.union([attestDeviceSchema, changeDeviceSchema]))
      .min(1)
      .max(MAX_BATCH),
  })
  .meta({ id: 'DeviceBatch', description: 'Taken as a whole or not at all; each event follows the one before it' })

export interface InceptionHead {
  readonly sequence: number
  readonly hash: string
}
export const inceptionHeadSchema = z.strictObject({ sequence: z.int().min(0), hash: hashSchema }).meta({
  id: 'InceptionHead',
  description: 'Newest event of the log; sequence 0 and the genesis hash while it is empty',
})

export interface Device {
  readonly deviceId: string
  readonly publicKeyB64u: string
  readonly rootEpoch: number
  readonly origin: string
  readonly capabilities: readonly Capability[]
  readonly expiresAt: number | null
  readonly status: DeviceStatus
}

/** What an event does to the state that the log folds into. */
export type InceptionEffect =
  | { readonly kind: 'device'; readonly device: Device }
  | { readonly kind: 'roster'; readonly roster: Roster }

export interface InceptionState {
  readonly did: string
  readonly scope: string
  readonly epoch: number
  readonly head: InceptionHead
  readonly roster: Roster | null
  device(deviceId: string): Device | null
  /** Devices of the current epoch that are not revoked. */
  countDevices(): number
}

export type InceptionFault =
  | { readonly reason: 'stale_inception_head'; readonly head: InceptionHead }
  | { readonly reason: 'stale_epoch'; readonly epoch: number }
  | {
      readonly reason:
        | 'owner_mismatch'
        | 'device_mismatch'
        | 'device_exists'
        | 'device_retired'
        | 'no_such_device'
        | 'device_limit'
    }
  | RosterFault

/** SHA3-384 hex over JCS of the event with all its signatures. */
export function eventHash(event: InceptionEvent): string {
  return hashHex(jcsBytes(event))
}

/** What an event does, or the first rule that it breaks. Its signatures are checked apart. */
export function judge(state: InceptionState, event: InceptionEvent): Result<InceptionEffect, InceptionFault> {
  const { did, scope, sequence, previousHash, rootEpoch } = event.statement
  if (did !== state.did || scope !== state.scope) return err({ reason: 'owner_mismatch' })
  if (sequence !== state.head.sequence + 1 || previousHash !== state.head.hash) {
    return err({ reason: 'stale_inception_head', head: state.head })
  }
  if (rootEpoch !== state.epoch) return err({ reason: 'stale_epoch', epoch: state.epoch })
  if (isAttestation(event)) return attested(state, event)
  if (isDeviceEvent(event)) return changed(state, event)
  const next = checkRoster(state.roster, event.statement, event)
  return next.ok ? ok({ kind: 'roster', roster: next.value }) : next
}

export function isAttestation(event: InceptionEvent): event is AttestDevice {
  return event.statement.type === 'svc/device-attestation/v1'
}

function isDeviceEvent(event: InceptionEvent): event is ChangeDevice {
  return event.statement.type === 'svc/device-event/v1'
}

/** A key that was revoked never comes back; one that a rotation has left behind is attested anew. */
function attested(
  state: InceptionState,
  { statement, acceptance }: AttestDevice,
): Result<InceptionEffect, InceptionFault> {
  const { deviceId, devicePublicKeyB64u, origin, capabilities, expiresAt, rootEpoch } = statement
  const accepted = acceptance.statement
  const agrees =
    deviceId === deviceIdOf(devicePublicKeyB64u) &&
    accepted.did === state.did &&
    accepted.deviceId === deviceId &&
    accepted.devicePublicKeyB64u === devicePublicKeyB64u &&
    accepted.origin === origin
  if (!agrees) return err({ reason: 'device_mismatch' })
  const existing = state.device(deviceId)
  if (existing?.status === 'revoked') return err({ reason: 'device_retired' })
  // One that expires may be renewed before or after it has.
  if (existing?.rootEpoch === state.epoch && existing.expiresAt === null) return err({ reason: 'device_exists' })
  if (existing?.rootEpoch !== state.epoch && state.countDevices() >= MAX_DEVICES) return err({ reason: 'device_limit' })
  const device = { deviceId, publicKeyB64u: devicePublicKeyB64u, rootEpoch, origin, capabilities, expiresAt }
  return ok({ kind: 'device', device: { ...device, status: 'active' } })
}

function changed(state: InceptionState, { statement }: ChangeDevice): Result<InceptionEffect, InceptionFault> {
  const device = state.device(statement.deviceId)
  if (!device) return err({ reason: 'no_such_device' })
  if (device.status === 'revoked') return err({ reason: 'device_retired' })
  switch (statement.event) {
    case 'revoke':
      return ok({ kind: 'device', device: { ...device, status: 'revoked' } })
    case 'suspend':
      return ok({ kind: 'device', device: { ...device, status: 'suspended' } })
    case 'resume':
      return ok({ kind: 'device', device: { ...device, status: 'active' } })
    case 'capabilities':
      return ok({ kind: 'device', device: { ...device, capabilities: statement.capabilities ?? [] } })
  }
}
