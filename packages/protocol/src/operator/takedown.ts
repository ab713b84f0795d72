/**
 * Takedowns (workers/docs/pages/developer/search.md): an operator act that removes what strangers can find. Every
 * takedown is listed publicly, so none can be silent.
 *
 * @module
 */
import * as z from 'zod'
import { hashSchema } from '../base/hash.ts'
import { userIdSchema } from '../base/identity.ts'
import { pure } from '../base/pure.ts'
import { signedSchema, statementNonceSchema, statementSchema } from '../base/statement.ts'
import { assetIdSchema } from '../ledger/assets.ts'
import { cursorSchema } from '../merkle/cursor.ts'
import { textAssetIdSchema } from '../provenance/text-assets.ts'
import { type ActService, actSchema } from './act.ts'

/** Public, as codes: free text could repeat what was taken down. */
export const TAKEDOWN_REASONS = ['abuse', 'court_order', 'legal', 'privacy', 'other'] as const

const reason = /* @__PURE__ */ z.enum(TAKEDOWN_REASONS)
export type TakedownReason = z.infer<typeof reason>

const capsuleSubject = /* @__PURE__ */ pure(() => z.strictObject({ kind: z.literal('capsule'), id: assetIdSchema }))
const textSubject = /* @__PURE__ */ pure(() => z.strictObject({ kind: z.literal('text'), id: textAssetIdSchema }))
const keypointsSubject = /* @__PURE__ */ pure(() => z.strictObject({ kind: z.literal('keypoints'), id: hashSchema }))
const pinSubject = /* @__PURE__ */ pure(() =>
  z.strictObject({
    kind: z.literal('pin'),
    id: z.string().min(12).max(1024).meta({ description: 'A CID of raw or dag-pb content; listed as CIDv1 in base32' }),
  }),
)

/** What provenance takes down. */
export const assetSubjectSchema = /* @__PURE__ */ pure(() =>
  z.union([capsuleSubject, textSubject, keypointsSubject]).meta({
    id: 'TakedownAsset',
    description:
      '`capsule`: an image or a video, every registration of it. `text`: a text. Their vectors go with them. ' +
      '`keypoints`: a keypoint blob',
  }),
)
export const takedownSubjectSchema = /* @__PURE__ */ pure(() =>
  z
    .union([capsuleSubject, textSubject, keypointsSubject, pinSubject])
    .meta({ id: 'TakedownSubject', description: '`pin` at core: content by its CID; the other kinds at provenance' }),
)
export type TakedownSubject = z.infer<typeof takedownSubjectSchema>

/** The service that takes down each kind. */
export const TAKEDOWN_SERVICES = {
  capsule: 'provenance',
  text: 'provenance',
  keypoints: 'provenance',
  pin: 'core',
} as const satisfies Record<TakedownSubject['kind'], ActService>
export type TakedownServiceName = (typeof TAKEDOWN_SERVICES)[TakedownSubject['kind']]

/** Every takedown, whichever service takes it. Each service reads the form of its own. */
export const takedownSchema = /* @__PURE__ */ pure(() =>
  statementSchema('svc/operator-takedown/v1', {
    service: z.enum(['core', 'provenance']).meta({ description: 'The service that takes the act' }),
    nonce: statementNonceSchema,
    subject: takedownSubjectSchema,
    reason,
  }).refine(
    ({ service, subject }) => TAKEDOWN_SERVICES[subject.kind] === service,
    'must be for the service of its kind',
  ),
)

const assetTakedown = /* @__PURE__ */ pure(() =>
  actSchema('svc/operator-takedown/v1', 'provenance', {
    subject: assetSubjectSchema,
    reason,
  }).meta({ id: 'TakedownAct', description: 'Remove a registered asset and refuse to register it again' }),
)
export type TakedownStatement = z.infer<typeof assetTakedown>
export const signedTakedownSchema = /* @__PURE__ */ pure(() =>
  signedSchema(assetTakedown).meta({ id: 'SignedTakedown' }),
)

const contentTakedown = /* @__PURE__ */ pure(() =>
  actSchema('svc/operator-takedown/v1', 'core', {
    subject: pinSubject,
    reason,
  }).meta({ id: 'ContentTakedownAct', description: 'Delete content by its CID, and refuse to fetch or pin it again' }),
)
export type ContentTakedown = z.infer<typeof contentTakedown>
export const signedContentTakedownSchema = /* @__PURE__ */ pure(() =>
  signedSchema(contentTakedown).meta({ id: 'SignedContentTakedown' }),
)

export const takedownQuerySchema = /* @__PURE__ */ pure(() => z.strictObject({ cursor: cursorSchema.optional() }))

export const takedownRecordSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      subject: takedownSubjectSchema,
      reason,
      takenDownAt: z.int().min(0).meta({ description: 'Epoch ms' }),
      operator: userIdSchema.meta({ description: 'The userId of the operator key' }),
      nonce: statementNonceSchema,
    })
    .meta({ id: 'Takedown' }),
)
export type TakedownRecord = z.infer<typeof takedownRecordSchema>

export const takedownPageSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ takedowns: z.array(takedownRecordSchema), cursor: cursorSchema.nullable() })
    .meta({ id: 'TakedownPage', description: 'Oldest first; `cursor` is null on the last page' }),
)
export type TakedownPage = z.infer<typeof takedownPageSchema>
