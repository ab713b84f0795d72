/**
 * Rotation of the root key (document 1 sections 3 and 4.2): what is signed, what is public, and how anyone checks
 * that a key of a later epoch descends from the genesis key.
 *
 * A request is signed by the root key that it ends and by the key that it brings, so neither can be put into another's
 * rotation. Whether it was activated only the service knows; that it was asked for, and by whom, everybody can check.
 *
 * @module
 */
import * as z from 'zod'
import { bytesOf } from './base64url.ts'
import type { EpochKey } from './chain.ts'
import { deviceIdSchema } from './device.ts'
import { hashSchema } from './hash.ts'
import {
  didOf,
  didSchema,
  publicKeySchema,
  scopeSchema,
  signatureSchema,
  userIdOfKey,
  userIdSchema,
} from './identity.ts'
import { err, ok, type Result } from './result.ts'
import {
  type Signed,
  signedSchema,
  statementHash,
  statementNonceSchema,
  statementSchema,
  verifyStatement,
} from './statement.ts'

/** Freezes by one key in 30 days: enough to stop a thief, too few to stop the owner for good. */
export const MAX_VETOES = 3
export const VETO_PERIOD_MS = 30 * 24 * 3_600_000

const rotationMembers = {
  did: didSchema,
  scope: scopeSchema,
  version: z.union([z.literal(1), z.literal(2)]).meta({ description: '1: an operator approves. 2: a public window' }),
  epoch: z.int().min(1).meta({ description: 'The epoch that the new key opens: the current one and 1' }),
  newPublicKeyB64u: publicKeySchema,
  nonce: statementNonceSchema,
}
export const rotationRequestSchema = statementSchema('svc/rotation-request/v1', rotationMembers).meta({
  id: 'RotationRequest',
  description: 'The root key hands the identity over to another key',
})
export type RotationRequest = z.infer<typeof rotationRequestSchema>
const newKeySignature = signatureSchema.meta({ description: 'By the new key, over the same bytes' })
export const signedRotationRequestSchema = z
  .strictObject({ ...signedSchema(rotationRequestSchema).shape, newKeySignatureB64u: newKeySignature })
  .meta({ id: 'SignedRotationRequest', description: '`signatureB64u` is by the current root key' })
export type SignedRotationRequest = z.infer<typeof signedRotationRequestSchema>

/** The same members under another type: what proves that a rotation would succeed can never be used as one. */
export const rotationRehearsalSchema = statementSchema('svc/rotation-rehearsal/v1', rotationMembers).meta({
  id: 'RotationRehearsal',
  description: 'Asks whether such a rotation would be taken, and performs nothing',
})
export const signedRotationRehearsalSchema = z
  .strictObject({ ...signedSchema(rotationRehearsalSchema).shape, newKeySignatureB64u: newKeySignature })
  .meta({ id: 'SignedRotationRehearsal' })
export type SignedRotationRehearsal = z.infer<typeof signedRotationRehearsalSchema>

/** Names a rotation: SHA3-384 hex over JCS of its request. */
export function rotationIdOf(request: RotationRequest): string {
  return statementHash(request)
}

const signerSchema = z
  .union([z.literal('root'), deviceIdSchema])
  .meta({ description: '`root`, or the deviceId of the device that signs' })
const about = { did: didSchema, scope: scopeSchema, rotationId: hashSchema }
export const rotationFreezeSchema = statementSchema('svc/rotation-freeze/v1', {
  ...about,
  signedBy: signerSchema,
}).meta({ id: 'RotationFreeze', description: 'The root key or an active device vetoes a pending rotation' })
export const rotationCancelSchema = statementSchema('svc/rotation-cancel/v1', {
  ...about,
  signedBy: z.literal('root'),
}).meta({ id: 'RotationCancel', description: 'The root key takes a pending rotation back' })
export const signedFreezeSchema = z
  .union([
    signedSchema(rotationFreezeSchema).meta({ id: 'SignedRotationFreeze' }),
    signedSchema(rotationCancelSchema).meta({ id: 'SignedRotationCancel' }),
  ])
  .meta({ id: 'RotationVeto', description: 'A freeze or a cancellation, by its `type`' })
export type SignedVeto = z.infer<typeof signedFreezeSchema>
export const rotationCosignSchema = statementSchema('svc/rotation-cosign/v1', {
  ...about,
  signedBy: deviceIdSchema,
}).meta({ id: 'RotationCosign', description: 'A device with rotation:cosign supports a pending rotation' })
export const signedCosignSchema = signedSchema(rotationCosignSchema).meta({ id: 'SignedRotationCosign' })
export type SignedCosign = z.infer<typeof signedCosignSchema>

export const activateRequestSchema = z.strictObject({ rotationId: hashSchema }).meta({ id: 'ActivateRotation' })

export const ROTATION_STATUSES = ['pending', 'active', 'frozen', 'cancelled'] as const
export type RotationStatus = (typeof ROTATION_STATUSES)[number]

const time = (description: string) => z.number().meta({ description: `${description}, epoch ms` })
/** What everybody may know of a rotation. */
export const rotationSummarySchema = z
  .strictObject({
    rotationId: hashSchema,
    status: z.enum(ROTATION_STATUSES),
    version: z.union([z.literal(1), z.literal(2)]),
    epoch: z.int(),
    newUserId: userIdSchema,
    requestedAt: time('When the service took the request'),
    deadline: time('When a version-2 rotation may be activated').nullable(),
    requiredCosigners: z.int().meta({ description: 'Co-signatures that activation needs' }),
    cosignatures: z.int(),
    freezes: z.int(),
    cancels: z.int(),
    approvedAt: time('When an operator approved a version-1 rotation').nullable(),
    activatedAt: time('When the new key became the root').nullable(),
  })
  .meta({ id: 'RotationSummary', description: 'A rotation as the public sees it' })
export type RotationSummary = z.infer<typeof rotationSummarySchema>

/** A rotation with everything that was signed for and against it. */
export const rotationRecordSchema = z
  .strictObject({
    ...rotationSummarySchema.shape,
    request: signedRotationRequestSchema,
    cosigned: z.array(signedCosignSchema),
    vetoes: z.array(signedFreezeSchema),
    approval: z
      .strictObject({
        operator: userIdSchema.meta({ description: 'The userId of the operator key' }),
        nonce: z.string().meta({ description: 'The nonce of the operator act, which is recorded' }),
        approvedAt: time('When it was taken'),
      })
      .nullable(),
  })
  .meta({ id: 'RotationRecord' })
export type RotationRecord = z.infer<typeof rotationRecordSchema>

export const currentRotationSchema = z
  .strictObject({
    active: rotationRecordSchema.nullable().meta({ description: 'The rotation that brought the current root key' }),
    latest: rotationRecordSchema.nullable().meta({ description: 'The newest rotation, whatever became of it' }),
  })
  .meta({ id: 'CurrentRotation' })
export type CurrentRotation = z.infer<typeof currentRotationSchema>

export const rehearsalAnswerSchema = z
  .strictObject({
    wouldSucceed: z.literal(true),
    rehearsedAt: time('When it was checked'),
    version: z.union([z.literal(1), z.literal(2)]),
    epoch: z.int(),
    windowMs: z.int().meta({ description: 'How long the window of this rotation would be open; 0 for version 1' }),
    requiredCosigners: z.int(),
    eligibleCosigners: z.array(deviceIdSchema),
    needsApproval: z.boolean().meta({ description: 'Whether an operator would have to approve' }),
  })
  .meta({ id: 'RotationRehearsed', description: 'The rotation would be taken; nothing was done' })
export type RehearsalAnswer = z.infer<typeof rehearsalAnswerSchema>

/** One root key of an identity as evidence: the genesis key as it is, every later one with the request that brought it. */
export const rootKeyEvidenceSchema = z
  .strictObject({
    epoch: z.int().min(0),
    userId: userIdSchema,
    publicKeyB64u: publicKeySchema,
    activatedAt: time('When the service took it as the root key'),
    request: signedRotationRequestSchema.nullable().meta({ description: 'Null for the genesis key' }),
  })
  .meta({ id: 'RootKeyEvidence' })
export type RootKeyEvidence = z.infer<typeof rootKeyEvidenceSchema>

/** 15 kB each. */
export const MAX_PAGE_KEYS = 16
export const keyHistorySchema = z
  .strictObject({
    did: didSchema,
    scope: scopeSchema,
    keys: z.array(rootKeyEvidenceSchema).max(MAX_PAGE_KEYS).meta({ description: 'Ascending by epoch' }),
    next: z.int().nullable().meta({ description: '`from` of the next page, or null at the end' }),
    rotation: rotationRecordSchema.nullable().meta({ description: 'The newest rotation with all its signatures' }),
  })
  .meta({ id: 'KeyHistory', description: 'The root keys of an identity, each with what proves its descent' })
export type KeyHistory = z.infer<typeof keyHistorySchema>

/** Whether both keys signed it: the one it ends and the one it brings. */
export async function verifyRotation(
  signed: SignedRotationRequest | SignedRotationRehearsal,
  endingKey: Uint8Array,
): Promise<boolean> {
  const { statement, signatureB64u, newKeySignatureB64u } = signed
  const byNewKey: Signed<object> = { statement, signatureB64u: newKeySignatureB64u }
  return (
    (await verifyStatement({ statement, signatureB64u }, endingKey)) &&
    (await verifyStatement(byNewKey, bytesOf(statement.newPublicKeyB64u)))
  )
}

/**
 * Whether a record is what its signatures make it: a rotation of this DID, asked for by both keys, vetoed and co-signed
 * over its own id. What only the service knows is taken from it: times, status, and whose device signed.
 */
export async function verifyRotationRecord(
  record: RotationRecord,
  expectedDid: string,
  endingKey: EpochKey,
): Promise<boolean> {
  const { statement } = record.request
  const rootKey = bytesOf(endingKey.publicKeyB64u)
  const isSame =
    statement.did === expectedDid &&
    record.rotationId === rotationIdOf(statement) &&
    record.epoch === statement.epoch &&
    record.epoch === endingKey.epoch + 1 &&
    record.version === statement.version &&
    record.newUserId === userIdOfKey(statement.newPublicKeyB64u) &&
    record.cosignatures === record.cosigned.length &&
    record.freezes + record.cancels === record.vetoes.length
  const isAbout = [...record.vetoes, ...record.cosigned].every(
    (signed) => signed.statement.rotationId === record.rotationId,
  )
  if (!isSame || !isAbout || !(await verifyRotation(record.request, rootKey))) return false
  for (const veto of record.vetoes) {
    if (veto.statement.signedBy === 'root' && !(await verifyStatement(veto, rootKey))) return false
  }
  return true
}

export type KeyHistoryFault = {
  readonly reason: 'empty' | 'bad_genesis' | 'broken_link' | 'invalid_signature'
  readonly epoch: number
}

/**
 * The root keys of a DID by epoch, from evidence that nobody is trusted for: the first derives to the DID and each
 * later one was named by the one before it and signed for itself.
 */
export async function verifyKeyHistory(
  evidence: readonly RootKeyEvidence[],
  expectedDid: string,
): Promise<Result<readonly [EpochKey, ...EpochKey[]], KeyHistoryFault>> {
  const [genesis, ...rotations] = evidence
  if (!genesis) return err({ reason: 'empty', epoch: 0 })
  const scope = userIdOfKey(genesis.publicKeyB64u)
  if (genesis.epoch !== 0 || didOf(scope) !== expectedDid || genesis.userId !== scope) {
    return err({ reason: 'bad_genesis', epoch: 0 })
  }
  const keys: [EpochKey, ...EpochKey[]] = [{ epoch: 0, userId: scope, publicKeyB64u: genesis.publicKeyB64u }]
  for (const [i, { request, publicKeyB64u, userId, epoch }] of rotations.entries()) {
    const ending = keys[i]
    if (!request || !ending) return err({ reason: 'broken_link', epoch: i + 1 })
    const { statement } = request
    const isNext =
      epoch === i + 1 &&
      statement.epoch === epoch &&
      statement.did === expectedDid &&
      statement.scope === scope &&
      statement.newPublicKeyB64u === publicKeyB64u &&
      userIdOfKey(publicKeyB64u) === userId &&
      // A key that was superseded never comes back, or a block by it would be of two epochs.
      !keys.some((earlier) => earlier.userId === userId)
    if (!isNext) return err({ reason: 'broken_link', epoch: i + 1 })
    if (!(await verifyRotation(request, bytesOf(ending.publicKeyB64u))))
      return err({ reason: 'invalid_signature', epoch })
    keys.push({ epoch, userId, publicKeyB64u })
  }
  return ok(keys)
}
