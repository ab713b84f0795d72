/**
 * Rotation of the root key (workers/docs/pages/developer/rotation.md): what is signed, what is public, and how anyone
 * can verify that a later key descends from the genesis key.
 *
 * Both the outgoing and the incoming root key sign a request, so neither can be used in a rotation its holder did not
 * agree to. Anyone can verify that a rotation was requested and by whom; only the service knows whether it was
 * activated.
 *
 * @module
 */
import * as z from 'zod'
import { deviceIdSchema } from '../base/device.ts'
import { hashSchema } from '../base/hash.ts'
import { didSchema, publicKeySchema, scopeSchema, signatureSchema, userIdSchema } from '../base/identity.ts'
import { pure } from '../base/pure.ts'
import { ownedStatementSchema, signedSchema, statementHash, statementNonceSchema } from '../base/statement.ts'
import { attestDeviceSchema, changeDeviceSchema } from '../devices/inception.ts'
import { commitmentMembers, isOneSpelling } from './commitment.ts'
import { signedDeactivationSchema } from './deactivation.ts'
import { genesisEvidenceSchema } from './genesis.ts'

/** How long a contested request is public, counted from when it was accepted. */
export const CONTEST_MS = 7 * 24 * 3_600_000
/** Requests without a co-signature that an identity can open in 30 days. Each takes up to 25 kB with its veto. */
export const MAX_ROTATION_REQUESTS = 100
export const ROTATION_REQUEST_PERIOD_MS = 30 * 24 * 3_600_000
/** How long a device keeps its say in a rotation after it was revoked, suspended or expired, or lost the capability. */
export const STANDING_MS = 30 * 24 * 3_600_000

export const rotationMembers = /* @__PURE__ */ pure(() => ({
  did: didSchema,
  scope: scopeSchema,
  version: z.union([z.literal(1), z.literal(2)]).meta({ description: '1: an operator approves. 2: a public window' }),
  epoch: z.int().min(1).meta({ description: 'The epoch the new key opens: the current epoch plus one' }),
  newPublicKeyB64u: publicKeySchema,
  ...commitmentMembers,
  nonce: statementNonceSchema,
}))
export const rotationRequestSchema = /* @__PURE__ */ pure(() =>
  ownedStatementSchema('svc/rotation-request/v1', rotationMembers)
    .refine(isOneSpelling, { path: ['replaceable'], message: 'must be false without `next`' })
    .meta({
      id: 'RotationRequest',
      description: 'A new root key takes over the identity, and names those that may follow it',
    }),
)
export type RotationRequest = z.infer<typeof rotationRequestSchema>
export const newKeySignature = /* @__PURE__ */ signatureSchema.meta({
  description: 'Signature of the new key over the same bytes',
})
export const signedRotationRequestSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      statement: rotationRequestSchema,
      signatureB64u: signatureSchema
        .nullable()
        .meta({ description: 'By the current root key. Null: the new key asks alone, which a commitment must name' }),
      newKeySignatureB64u: newKeySignature,
    })
    .meta({ id: 'SignedRotationRequest' }),
)
export type SignedRotationRequest = z.infer<typeof signedRotationRequestSchema>

/** The id of a rotation: SHA3-384 hex over JCS of its request. */
export function rotationIdOf(request: RotationRequest): string {
  return statementHash(request)
}

const vetoerSchema = /* @__PURE__ */ pure(() =>
  z.union([z.literal('root'), z.literal('successor'), deviceIdSchema]).meta({
    description: '`root`, `successor` for a key that the identity has committed to, or the deviceId of a device',
  }),
)
const about = { did: didSchema, scope: scopeSchema, rotationId: hashSchema }
export const rotationFreezeSchema = /* @__PURE__ */ pure(() =>
  ownedStatementSchema('svc/rotation-freeze/v1', {
    ...about,
    signedBy: vetoerSchema,
    successorPublicKeyB64u: publicKeySchema
      .optional()
      .meta({ description: 'The key that signs as `successor`; not allowed otherwise' }),
  })
    .refine(({ signedBy, successorPublicKeyB64u: key }) => (signedBy === 'successor') === (key !== undefined), {
      path: ['successorPublicKeyB64u'],
      message: 'required for `successor`, not allowed otherwise',
    })
    .meta({
      id: 'RotationFreeze',
      description: 'Root key, device or committed key vetoes or delays a pending rotation',
    }),
)
export const rotationCancelSchema = /* @__PURE__ */ pure(() =>
  ownedStatementSchema('svc/rotation-cancel/v1', {
    ...about,
    signedBy: z.literal('root'),
  }).meta({ id: 'RotationCancel', description: 'The root key cancels a pending rotation' }),
)
export const signedFreezeSchema = /* @__PURE__ */ pure(() =>
  z
    .union([
      signedSchema(rotationFreezeSchema).meta({ id: 'SignedRotationFreeze' }),
      signedSchema(rotationCancelSchema).meta({ id: 'SignedRotationCancel' }),
    ])
    .meta({ id: 'RotationVeto', description: 'A freeze or a cancellation, depending on its `type`' }),
)
export type SignedVeto = z.infer<typeof signedFreezeSchema>
export const rotationCosignSchema = /* @__PURE__ */ pure(() =>
  ownedStatementSchema('svc/rotation-cosign/v1', {
    ...about,
    signedBy: deviceIdSchema,
  }).meta({ id: 'RotationCosign', description: 'A device with `rotation:cosign` co-signs a pending rotation' }),
)
export const signedCosignSchema = /* @__PURE__ */ pure(() =>
  signedSchema(rotationCosignSchema).meta({ id: 'SignedRotationCosign' }),
)
export type SignedCosign = z.infer<typeof signedCosignSchema>

/** A co-signature, with the request that it is about if core does not have it or it has ended. */
export const cosignRequestSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ ...signedCosignSchema.shape, request: signedRotationRequestSchema.optional() })
    .meta({ id: 'CosignRotation' }),
)

export const activateRequestSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      rotationId: hashSchema,
      did: didSchema.optional().meta({
        description: 'The identity that rotates, if it is not the caller’s. Co-signed or approved rotations only',
      }),
    })
    .meta({ id: 'ActivateRotation' }),
)
export type ActivateRotation = z.infer<typeof activateRequestSchema>

/** `displaced`: a stronger request took its place. `disputed`: ended together with a rival that was as strong. */
export const ROTATION_STATUSES = ['pending', 'active', 'frozen', 'cancelled', 'displaced', 'disputed'] as const
export type RotationStatus = (typeof ROTATION_STATUSES)[number]

/**
 * What a request rests on. `root`: the root key of an identity without a commitment. `full`: root key and a committed key.
 * `successor`: a committed key alone. `replacement`: root key and a device, for a key that was not committed.
 */
export const ROTATION_BASES = ['root', 'full', 'successor', 'replacement'] as const
export type RotationBasis = (typeof ROTATION_BASES)[number]

const time = (description: string) => z.number().meta({ description: `${description}, epoch ms` })
/** The public view of a rotation. */
export const rotationSummarySchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      rotationId: hashSchema,
      kind: z
        .enum(['rotation', 'deactivation'])
        .meta({ description: 'A deactivation that waits is decided like a version-2 rotation' }),
      status: z.enum(ROTATION_STATUSES),
      basis: z.enum(ROTATION_BASES).meta({ description: 'The keys that the request rests on' }),
      version: z.union([z.literal(1), z.literal(2)]),
      epoch: z.int(),
      newUserId: userIdSchema.nullable().meta({ description: 'Of the new key; null for a deactivation' }),
      requestedAt: time('When the service accepted the request'),
      deadline: time('When a version 2 rotation can be activated').nullable(),
      contestedAt: time('When the root key, or a committed key, moved the deadline').nullable(),
      requiredCosigners: z.int().meta({ description: 'Co-signatures that activation requires' }),
      cosignatures: z.int(),
      freezes: z.int(),
      cancels: z.int(),
      approvedAt: time('When an operator approved a version 1 rotation').nullable(),
      activatedAt: time('When the new key became the root').nullable(),
    })
    .meta({ id: 'RotationSummary', description: 'Public view of a rotation' }),
)
export type RotationSummary = z.infer<typeof rotationSummarySchema>

/** A rotation with every statement signed for and against it. */
export const rotationRecordSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      ...rotationSummarySchema.shape,
      request: z
        .union([signedRotationRequestSchema, signedDeactivationSchema])
        .meta({ description: 'What the root key signed: a rotation request, or a deactivation' }),
      cosigned: z.array(signedCosignSchema),
      vetoes: z.array(signedFreezeSchema),
      approval: z
        .strictObject({
          operator: userIdSchema.meta({ description: 'The userId of the operator key' }),
          nonce: z.string().meta({ description: 'Nonce of the recorded operator act' }),
          approvedAt: time('When the approval was accepted'),
        })
        .nullable(),
    })
    .meta({ id: 'RotationRecord' }),
)
export type RotationRecord = z.infer<typeof rotationRecordSchema>

export const currentRotationSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      active: rotationRecordSchema.nullable().meta({ description: 'The rotation that installed the current root key' }),
      latest: rotationRecordSchema.nullable().meta({ description: 'The newest rotation, in any status' }),
    })
    .meta({ id: 'CurrentRotation' }),
)
export type CurrentRotation = z.infer<typeof currentRotationSchema>

/** Besides the request, the evidence for a key that was not committed (`keys/replacement`). */
export const replacementEvidenceSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      requestedAt: time('When core accepted the request, as recorded in the log of the key directory'),
      cosigned: signedCosignSchema,
      events: z
        .array(z.union([attestDeviceSchema, changeDeviceSchema]))
        .meta({ description: 'Events of this epoch about the co-signing device, in order, signed by the root key' }),
    })
    .meta({ id: 'ReplacementEvidence', description: 'Evidence for a key that replaced the committed keys' }),
)
export type ReplacementEvidence = z.infer<typeof replacementEvidenceSchema>

/** Evidence for one root key of an identity. Every key but the genesis key carries the request that installed it. */
export const rootKeyEvidenceSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      epoch: z.int().min(0),
      userId: userIdSchema,
      publicKeyB64u: publicKeySchema,
      activatedAt: time('When it became the root key'),
      request: signedRotationRequestSchema.nullable().meta({ description: 'Null for the genesis key' }),
      genesis: genesisEvidenceSchema
        .nullable()
        .meta({ description: 'Of a genesis key that was replaced: what it committed to. Null for every other key' }),
      replacement: replacementEvidenceSchema
        .optional()
        .meta({ description: 'Present if the key before this one had committed to other keys' }),
    })
    .meta({ id: 'RootKeyEvidence' }),
)
export type RootKeyEvidence = z.infer<typeof rootKeyEvidenceSchema>

/** Each key with its evidence is about 15 kB. */
export const MAX_PAGE_KEYS = 16
export const keyHistorySchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      did: didSchema,
      scope: scopeSchema,
      keys: z.array(rootKeyEvidenceSchema).max(MAX_PAGE_KEYS).meta({ description: 'Ascending by epoch' }),
      next: z.int().nullable().meta({ description: '`from` for the next page; null at the end' }),
      rotation: rotationRecordSchema.nullable().meta({ description: 'The newest rotation with all its signatures' }),
    })
    .meta({ id: 'KeyHistory', description: 'The root keys of an identity, each with proof of its descent' }),
)
export type KeyHistory = z.infer<typeof keyHistorySchema>
