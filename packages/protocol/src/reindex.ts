/** The operator’s act at provenance: an index of vectors is made again from what is kept. */
import * as z from 'zod'
import { signedSchema, statementNonceSchema, statementSchema } from './statement.ts'
import { VECTOR_SERVICES } from './vector-services.ts'

export const reindexSchema = statementSchema('svc/operator-reindex/v1', {
  service: z.enum(VECTOR_SERVICES),
  after: z.int().min(0).meta({ description: '0 to begin; then the `next` of the answer before' }),
  nonce: statementNonceSchema,
}).meta({ id: 'Reindex', description: 'Put one page of a service’s sets into its index again' })
export const reindexActSchema = signedSchema(reindexSchema).meta({ id: 'SignedReindex' })
export type ReindexAct = z.infer<typeof reindexActSchema>

export const reindexedSchema = z
  .strictObject({
    type: z.string(),
    nonce: z.string(),
    recordedAt: z.number(),
    indexed: z.int().min(0).meta({ description: 'Sets that are in the index now' }),
    missing: z.int().min(0).meta({ description: 'Sets whose bytes are gone or are not what their key says' }),
    next: z.int().nullable().meta({ description: 'After which set to go on; null when this page was the last' }),
  })
  .meta({ id: 'Reindexed' })
export type Reindexed = Pick<z.infer<typeof reindexedSchema>, 'indexed' | 'missing' | 'next'>
