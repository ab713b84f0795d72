/**
 * The history of a record as it is read: pages of its acts, and the declared state at a time.
 *
 * @module
 */
import * as z from 'zod'
import { didSchema } from '../base/identity.ts'
import { pure } from '../base/pure.ts'
import { consentClaimSchema, MAX_CLAIMS } from './claims.ts'
import { consentActSchema, preferencesSchema, timeSchema } from './consent.ts'
import { contentHashSchema } from './identifiers.ts'
import { limitOf, wholeNumber } from './queries.ts'
import { consentSettlementSchema } from './settlement.ts'

export const consentEntrySchema = /* @__PURE__ */ z.union([consentActSchema, consentSettlementSchema])
export type ConsentEntry = z.infer<typeof consentEntrySchema>

export const MAX_HISTORY_PAGE = 50
export const historyQuerySchema = /* @__PURE__ */ pure(() =>
  z.strictObject({
    at: wholeNumber.optional().meta({ description: 'Return the state at this time, epoch milliseconds. Default: now' }),
    limit: limitOf(MAX_HISTORY_PAGE, MAX_HISTORY_PAGE),
    after: wholeNumber.optional().meta({ description: '`next` of the previous page' }),
  }),
)
export const consentHistorySchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      hash: contentHashSchema,
      creator_did: didSchema.nullable().meta({ description: 'Who held the identifier at that time' }),
      at: timeSchema,
      state: z
        .strictObject({
          preferences: preferencesSchema.nullable(),
          version: z.int().min(0),
          source: z.enum(['declared', 'default']),
        })
        .meta({ description: 'Declared state at that time; `preferences` is null if nothing was declared' }),
      entries: z.array(consentEntrySchema).meta({ description: 'Ascending by version' }),
      claims: z.array(consentClaimSchema).max(MAX_CLAIMS).meta({
        description: 'Competing claims that are kept and were recorded by then, oldest first; on the first page only',
      }),
      next: z.int().nullable().meta({ description: 'Last version of this page; null on the last page' }),
    })
    .meta({ id: 'ConsentHistory' }),
)
export type ConsentHistory = z.infer<typeof consentHistorySchema>
