/** What a caller asks for page by page, and the pages. */
import * as z from 'zod'
import { didSchema } from '../base/identity.ts'
import { pure } from '../base/pure.ts'
import { consentSummarySchema } from './consent.ts'
import { contentHashSchema } from './identifiers.ts'

/** A page size out of bounds is clamped; anything but digits is rejected. */
export const wholeNumber = /* @__PURE__ */ pure(() =>
  z
    .string()
    .regex(/^[0-9]{1,15}$/, 'must be a whole number')
    .transform(Number),
)
export const limitOf = (most: number, usual: number) =>
  wholeNumber.optional().meta({ description: `Page size. Default: ${usual}; clamped to 1-${most}` })

export const MAX_CREATOR_PAGE = 500
export const CREATOR_PAGE = 100
export const creatorQuerySchema = /* @__PURE__ */ pure(() =>
  z.strictObject({
    limit: limitOf(MAX_CREATOR_PAGE, CREATOR_PAGE),
    cursor: contentHashSchema.optional().meta({ description: '`next` of the previous page' }),
  }),
)
export const creatorPageSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      creator_did: didSchema,
      items: z.array(consentSummarySchema),
      next: contentHashSchema.nullable().meta({ description: 'Null on the last page' }),
      kept: z
        .strictObject({
          consentRecords: z.int().min(0).meta({ description: 'Published records and claims to identifiers of others' }),
          consentActs: z.int().min(0).meta({ description: 'Signed acts' }),
        })
        .meta({ description: 'What counts towards the budgets of the creator' }),
    })
    .meta({ id: 'CreatorPage', description: 'Records of one creator, ordered by identifier' }),
)
export type CreatorPage = z.infer<typeof creatorPageSchema>

export const partnerQuerySchema = /* @__PURE__ */ z.strictObject({ hash: contentHashSchema })
export const optOutSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      hash: contentHashSchema,
      opt_out: z.boolean().meta({ description: 'Whether the content must be excluded from AI training' }),
      found: z.boolean(),
      creator_did: didSchema
        .nullable()
        .meta({ description: 'Who declared the record. Null without a record, and for one without an owner' }),
      source: z.enum(['declared', 'default']).meta({ description: 'Whether this was declared or is the default' }),
      usage: z.string(),
    })
    .meta({ id: 'OptOut' }),
)
export type OptOut = z.infer<typeof optOutSchema>
