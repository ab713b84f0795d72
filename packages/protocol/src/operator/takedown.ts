/**
 * Takedowns (workers/docs/pages/developer/search.md): an operator act that removes what strangers can find. Every
 * takedown is listed publicly, so none can be silent.
 *
 * @module
 */
import * as z from 'zod'
import { userIdSchema } from '../base/identity.ts'
import { signedSchema, statementNonceSchema } from '../base/statement.ts'
import { assetIdSchema } from '../ledger/assets.ts'
import { cursorSchema } from '../merkle/cursor.ts'
import { textAssetIdSchema } from '../provenance/text-assets.ts'
import { actSchema } from './act.ts'

/** Public, as codes: free text could repeat what was taken down. */
export const TAKEDOWN_REASONS = ['abuse', 'court_order', 'legal', 'privacy', 'other'] as const

const reason = z.enum(TAKEDOWN_REASONS)
export type TakedownReason = z.infer<typeof reason>

export const takedownSubjectSchema = z
  .union([
    z.strictObject({ kind: z.literal('capsule'), id: assetIdSchema }),
    z.strictObject({ kind: z.literal('text'), id: textAssetIdSchema }),
  ])
  .meta({
    id: 'TakedownSubject',
    description: '`capsule`: an image or a video, every registration of it. `text`: a text. Their vectors go with them',
  })
export type TakedownSubject = z.infer<typeof takedownSubjectSchema>

export const takedownSchema = actSchema('svc/operator-takedown/v1', 'provenance', {
  subject: takedownSubjectSchema,
  reason,
}).meta({ id: 'TakedownAct', description: 'Remove a registered asset and refuse to register it again' })
export type TakedownStatement = z.infer<typeof takedownSchema>

export const signedTakedownSchema = signedSchema(takedownSchema).meta({ id: 'SignedTakedown' })

export const takedownQuerySchema = z.strictObject({ cursor: cursorSchema.optional() })

export const takedownRecordSchema = z
  .strictObject({
    subject: takedownSubjectSchema,
    reason,
    takenDownAt: z.int().min(0).meta({ description: 'Epoch ms' }),
    operator: userIdSchema.meta({ description: 'The userId of the operator key' }),
    nonce: statementNonceSchema,
  })
  .meta({ id: 'Takedown' })
export type TakedownRecord = z.infer<typeof takedownRecordSchema>

export const takedownPageSchema = z
  .strictObject({ takedowns: z.array(takedownRecordSchema), cursor: cursorSchema.nullable() })
  .meta({ id: 'TakedownPage', description: 'Oldest first; `cursor` is null on the last page' })
export type TakedownPage = z.infer<typeof takedownPageSchema>
