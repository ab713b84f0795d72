/**
 * The inception log (workers/docs/pages/developer/devices.md): the devices of an identity and, for an organization, its
 * officers. Each entry is signed by the root key and names the hash of its predecessor; the first follows the genesis
 * block. Server and SDK both run this file: `judge` returns the effect of an event, or the rule it violates.
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
} from '../base/device.ts'
import { hashHex, hashSchema } from '../base/hash.ts'
import { didSchema, publicKeySchema, scopeSchema, signatureSchema } from '../base/identity.ts'
import type { InceptionHead } from '../base/inception-head.ts'
import { jcsBytes } from '../base/jcs.ts'
import { pure } from '../base/pure.ts'
import { err, ok, type Result } from '../base/result.ts'
import { signedSchema, statementSchema } from '../base/statement.ts'
import {
  type AcceptanceFault,
  type AcceptanceLog,
  acceptanceFault,
  type OfficerLog,
  officersFault,
} from './acceptance-order.ts'
import { type AgreementLog, fitsAgreement, signedDeviceAgreementSchema } from './agreement.ts'
import {
  checkRoster,
  officerApprovalSchema,
  officersSchema,
  quorumSchema,
  type Roster,
  type RosterFault,
  signedOfficerAcceptanceSchema,
} from './officers.ts'

/** Devices that may be active at once. Users of comparable services complain about 5; 32 keeps folds and pages small. */
export const MAX_DEVICES = 32
/**
 * What a device has to confirm, once it has stored its keys, before the attestation of a pairing counts for good. A device
 * that was closed or lost power before that ends by itself. As long as its acceptance counts, and far shorter than the day
 * after which a device has standing.
 */
export const CONFIRMATION_MS = 3_600_000
/** An attestation with its acceptance and agreement takes 22 kB of JSON, so ten fit the body limit of 256 KiB. */
export const MAX_BATCH = 10

const link = /* @__PURE__ */ pure(() => ({
  did: didSchema,
  scope: scopeSchema,
  sequence: z.int().min(1).meta({ description: 'Position in the log; the first is 1' }),
  previousHash: hashSchema.meta({ description: 'Hash of the previous event; of the genesis block for the first' }),
  rootEpoch: z.int().min(0).meta({ description: 'Epoch of the signing root key' }),
}))

export const deviceAttestationSchema = /* @__PURE__ */ pure(() =>
  statementSchema('svc/device-attestation/v1', {
    ...link,
    deviceId: deviceIdSchema,
    devicePublicKeyB64u: publicKeySchema,
    origin: deviceOriginSchema,
    capabilities: capabilitiesSchema,
    expiresAt: deviceExpirySchema,
    confirmBy: z.int().min(0).optional().meta({
      description: 'When the attestation ends unless the device has confirmed it, epoch ms; absent if it need not',
    }),
  }).meta({ id: 'DeviceAttestation', description: 'The root key authorizes a device' }),
)
export const attestDeviceSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      ...signedSchema(deviceAttestationSchema).shape,
      acceptance: signedDeviceAcceptanceSchema,
      agreement: signedDeviceAgreementSchema.optional().meta({
        description:
          'Agreement of another device with standing: the new device gains standing after 24 hours. Without it, the new ' +
          'device waits 30 days while any other device has standing',
      }),
    })
    .meta({ id: 'AttestDevice', description: 'An attestation by the root key with the device’s acceptance' }),
)
export type AttestDevice = z.infer<typeof attestDeviceSchema>

export const deviceEventSchema = /* @__PURE__ */ pure(() =>
  statementSchema('svc/device-event/v1', {
    ...link,
    deviceId: deviceIdSchema,
    event: z.enum(['revoke', 'suspend', 'resume', 'capabilities']),
    capabilities: capabilitiesSchema
      .optional()
      .meta({ description: 'Required for the event `capabilities`, not allowed otherwise' }),
  })
    .refine(({ event, capabilities }) => (event === 'capabilities') === (capabilities !== undefined), {
      path: ['capabilities'],
      message: 'required for the event capabilities, not allowed otherwise',
    })
    .meta({ id: 'DeviceEvent', description: 'The root key changes the status of a device. Revocation is final' }),
)
export const changeDeviceSchema = /* @__PURE__ */ pure(() =>
  signedSchema(deviceEventSchema).meta({ id: 'ChangeDevice' }),
)
export type ChangeDevice = z.infer<typeof changeDeviceSchema>

const roster = { ...link, officers: officersSchema, quorum: quorumSchema }
export const orgInceptionSchema = /* @__PURE__ */ pure(() =>
  statementSchema('svc/org-inception/v1', roster).meta({
    id: 'OrgInception',
    description: 'Declares the identity an organization with these officers',
  }),
)
export const inceptOrgSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      ...signedSchema(orgInceptionSchema).shape,
      acceptances: z.array(signedOfficerAcceptanceSchema).max(16),
    })
    .meta({ id: 'InceptOrg', description: 'Signed by the organization’s root key and accepted by every officer' }),
)
export type InceptOrg = z.infer<typeof inceptOrgSchema>

export const orgOfficersSchema = /* @__PURE__ */ pure(() =>
  statementSchema('svc/org-officers/v1', {
    ...roster,
    rosterVersion: z.int().min(2).meta({ description: 'The current version plus one; inception is version 1' }),
  }).meta({ id: 'OrgOfficers', description: 'Changes the officers of an organization' }),
)
export const rotateOfficersSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      statement: orgOfficersSchema,
      signatureB64u: signatureSchema.meta({ description: 'Signature of the organization’s root key, for continuity' }),
      approvals: z.array(officerApprovalSchema).max(16).meta({ description: 'From a quorum of the outgoing officers' }),
      acceptances: z.array(signedOfficerAcceptanceSchema).max(16).meta({ description: 'From every new officer' }),
    })
    .meta({ id: 'RotateOfficers' }),
)
export type RotateOfficers = z.infer<typeof rotateOfficersSchema>

export type InceptionEvent = AttestDevice | ChangeDevice | InceptOrg | RotateOfficers
export const inceptionEventSchema = /* @__PURE__ */ pure(() =>
  z
    .union([attestDeviceSchema, changeDeviceSchema, inceptOrgSchema, rotateOfficersSchema])
    .meta({ id: 'InceptionEvent' }),
)
export const deviceBatchSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      events: z
        .array(z.union([attestDeviceSchema, changeDeviceSchema]))
        .min(1)
        .max(MAX_BATCH),
    })
    .meta({ id: 'DeviceBatch', description: 'Applied atomically; each event follows the previous one' }),
)

export interface Device {
  readonly deviceId: string
  readonly publicKeyB64u: string
  readonly rootEpoch: number
  readonly origin: string
  readonly capabilities: readonly Capability[]
  readonly expiresAt: number | null
  /** When it ends unless it has confirmed. The log does not tell whether it has. */
  readonly confirmBy?: number
  readonly status: DeviceStatus
}

/** A device that has not confirmed: it ends when it has to, at the latest. */
export function endingUnconfirmed(device: Device): Device {
  const { expiresAt, confirmBy } = device
  return confirmBy === undefined ? device : { ...device, expiresAt: Math.min(confirmBy, expiresAt ?? confirmBy) }
}

/** The effect of an event on the state folded from the log. */
export type InceptionEffect =
  | { readonly kind: 'device'; readonly device: Device }
  | { readonly kind: 'roster'; readonly roster: Roster }

export interface InceptionState extends AgreementLog, AcceptanceLog, OfficerLog {
  readonly did: string
  readonly scope: string
  readonly epoch: number
  readonly head: InceptionHead
  readonly roster: Roster | null
  device(deviceId: string): Device | null
  /** Counts the devices of the current epoch that are not revoked and have not ended unconfirmed. */
  countDevices(): number
}

export type InceptionFault =
  | { readonly reason: 'stale_inception_head'; readonly head: InceptionHead }
  | { readonly reason: 'stale_epoch'; readonly epoch: number }
  | {
      readonly reason:
        | 'owner_mismatch'
        | 'device_mismatch'
        | 'agreement_mismatch'
        | 'device_exists'
        | 'device_retired'
        | 'no_such_device'
        | 'device_unchanged'
        | 'device_limit'
    }
  | AcceptanceFault
  | RosterFault

/** SHA3-384 hex over JCS of the event, including all its signatures. */
export function eventHash(event: InceptionEvent): string {
  return hashHex(jcsBytes(event))
}

/** The head after an event. */
export function inceptionHeadAfter(event: InceptionEvent): InceptionHead {
  return { sequence: event.statement.sequence, hash: eventHash(event) }
}

/** The effect of an event, or the first rule it violates. Signatures are checked separately. */
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
  const order = next.ok ? officersFault(event.acceptances, state) : null
  if (order) return err(order)
  return next.ok ? ok({ kind: 'roster', roster: next.value }) : next
}

export function isAttestation(event: InceptionEvent): event is AttestDevice {
  return event.statement.type === 'svc/device-attestation/v1'
}

function isDeviceEvent(event: InceptionEvent): event is ChangeDevice {
  return event.statement.type === 'svc/device-event/v1'
}

/** A revoked key can never be attested again. A key of an earlier root epoch must be attested anew. */
function attested(state: InceptionState, event: AttestDevice): Result<InceptionEffect, InceptionFault> {
  const { statement, acceptance } = event
  const { deviceId, devicePublicKeyB64u, origin, capabilities, expiresAt, confirmBy, rootEpoch } = statement
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
  // A device with an end may be attested anew before or after it.
  const hasEnd = existing?.expiresAt !== null || existing.confirmBy !== undefined
  if (existing?.rootEpoch === state.epoch && !hasEnd) return err({ reason: 'device_exists' })
  if (existing?.rootEpoch !== state.epoch && state.countDevices() >= MAX_DEVICES) return err({ reason: 'device_limit' })
  const order = acceptanceFault(accepted, state)
  if (order) return err(order)
  if (!fitsAgreement(event, state)) return err({ reason: 'agreement_mismatch' })
  const device = { deviceId, publicKeyB64u: devicePublicKeyB64u, rootEpoch, origin, capabilities, expiresAt }
  const pending = confirmBy === undefined ? {} : { confirmBy }
  return ok({ kind: 'device', device: { ...device, ...pending, status: 'active' } })
}

function changed(state: InceptionState, { statement }: ChangeDevice): Result<InceptionEffect, InceptionFault> {
  const device = state.device(statement.deviceId)
  if (!device) return err({ reason: 'no_such_device' })
  if (device.status === 'revoked') return err({ reason: 'device_retired' })
  const next = afterChange(device, statement)
  // The log keeps every event for ever, so one without an effect has no place in it.
  const isSame = next.status === device.status && areSame(next.capabilities, device.capabilities)
  return isSame ? err({ reason: 'device_unchanged' }) : ok({ kind: 'device', device: next })
}

function afterChange(device: Device, { event, capabilities }: ChangeDevice['statement']): Device {
  switch (event) {
    case 'revoke':
      return { ...device, status: 'revoked' }
    case 'suspend':
      return { ...device, status: 'suspended' }
    case 'resume':
      return { ...device, status: 'active' }
    case 'capabilities':
      return { ...device, capabilities: capabilities ?? [] }
  }
}

/** Capabilities are a set: their order says nothing. */
function areSame(some: readonly Capability[], others: readonly Capability[]): boolean {
  return some.length === others.length && some.every((one) => others.includes(one))
}
