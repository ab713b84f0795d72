/**
 * Moving a bucket to another store (workers/docs/pages/developer/operating.md#moving-buckets): an operator act. Where a bucket is stored
 * changes no answer.
 *
 * @module
 */
import * as z from 'zod'
import { pure } from '../base/pure.ts'
import { signedSchema } from '../base/statement.ts'
import { actSchema } from '../operator/act.ts'
import { bucketSchema } from './buckets.ts'

export const consentStoreSchema = /* @__PURE__ */ pure(() =>
  z
    .string()
    .regex(/^consent\/s[0-9]{2}$/, 'must be the name of a store')
    .meta({ description: '`consent/s00` to `consent/s99`', example: 'consent/s08' }),
)

export const consentMoveSchema = /* @__PURE__ */ pure(() =>
  actSchema('svc/operator-consent-move/v1', 'consent', {
    bucket: bucketSchema,
    from: consentStoreSchema.meta({ description: 'The store that has it. Nothing happens if another one has' }),
    to: consentStoreSchema.meta({ description: 'The store that gets it' }),
  }).meta({ id: 'ConsentMoveAct', description: 'Move a bucket of consent records to another store' }),
)
export type ConsentMoveStatement = z.infer<typeof consentMoveSchema>
export const signedConsentMoveSchema = /* @__PURE__ */ pure(() =>
  signedSchema(consentMoveSchema).meta({ id: 'SignedConsentMove' }),
)

/** Where a bucket is, and how far its move. */
export interface ConsentMove {
  readonly bucket: number
  readonly store: string
  readonly state: 'moved' | 'moving' | 'elsewhere'
}

export const consentMovedSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      type: z.string(),
      nonce: z.string(),
      recordedAt: z.number(),
      bucket: bucketSchema,
      store: consentStoreSchema.meta({ description: 'Who has the bucket, or gets it while it is moving' }),
      state: z.enum(['moved', 'moving', 'elsewhere']).meta({
        description: '`moving`: the store goes on by itself; send an act again to see. `elsewhere`: nothing was done',
      }),
    })
    .meta({ id: 'ConsentMoved' }),
)
