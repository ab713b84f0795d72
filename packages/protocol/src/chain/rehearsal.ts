/**
 * Rehearsal of a rotation (workers/docs/pages/developer/rotation.md): whether it would be accepted, and what each theft
 * would come to.
 *
 * @module
 */
import * as z from 'zod'
import { deviceIdSchema } from '../base/device.ts'
import { pure } from '../base/pure.ts'
import { ownedStatementSchema, signedSchema } from '../base/statement.ts'
import { isOneSpelling } from './commitment.ts'
import { countedDevicesSchema, keptSchema, prospectSchema } from './prospects.ts'
import { newKeySignature, rotationMembers } from './rotation.ts'

/** The same members under a different type, so that a rehearsal can never be used as a rotation request. */
export const rotationRehearsalSchema = /* @__PURE__ */ pure(() =>
  ownedStatementSchema('svc/rotation-rehearsal/v1', rotationMembers)
    .refine(isOneSpelling, { path: ['replaceable'], message: 'must be false without `next`' })
    .meta({
      id: 'RotationRehearsal',
      description: 'Checks whether such a rotation would be accepted, without performing it',
    }),
)
export const signedRotationRehearsalSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ ...signedSchema(rotationRehearsalSchema).shape, newKeySignatureB64u: newKeySignature })
    .meta({ id: 'SignedRotationRehearsal' }),
)
export type SignedRotationRehearsal = z.infer<typeof signedRotationRehearsalSchema>

/** A rehearsal, with what the owner keeps for a recovery. */
export const rehearsalRequestSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ ...signedRotationRehearsalSchema.shape, kept: keptSchema.optional() })
    .meta({ id: 'RehearseRotation' }),
)

export const rehearsalAnswerSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      wouldSucceed: z.literal(true),
      rehearsedAt: z.number().meta({ description: 'When the rotation was checked, epoch ms' }),
      version: z.union([z.literal(1), z.literal(2)]),
      epoch: z.int(),
      windowMs: z.int().meta({ description: 'Length of the window in ms; 0 for version 1' }),
      requiredCosigners: z.int(),
      eligibleCosigners: z.array(deviceIdSchema),
      needsApproval: z.boolean().meta({ description: 'Whether an operator must approve' }),
      devices: countedDevicesSchema,
      prospects: z.array(prospectSchema).meta({ description: 'What each theft would come to today' }),
    })
    .meta({ id: 'RotationRehearsed', description: 'The rotation would be accepted; nothing was changed' }),
)
export type RehearsalAnswer = z.infer<typeof rehearsalAnswerSchema>
