/** The shapes of core's chain, genesis and root routes that are not blocks themselves. */
import * as z from 'zod'
import { chainBlockSchema, chainBlockV4Schema, chainHeadSchema } from './chain.ts'
import { hashSchema } from './hash.ts'
import { didSchema, publicKeySchema, scopeSchema, userIdSchema } from './identity.ts'
import { rotationSummarySchema } from './rotation.ts'

export const indexingSchema = z.strictObject({ state: z.literal('rebuilding'), done: z.int(), total: z.int() }).meta({
  id: 'Indexing',
  description: 'A projection is being rebuilt: the answer may be partial and proves no history',
})
export type Indexing = z.infer<typeof indexingSchema>
const indexing = indexingSchema.optional()

export const genesisRequestSchema = z.strictObject({ block: chainBlockV4Schema }).meta({ id: 'GenesisRequest' })
export const genesisRecordSchema = z
  .strictObject({
    did: didSchema,
    scope: scopeSchema,
    userId: userIdSchema,
    block: chainBlockV4Schema,
    hash: hashSchema,
    createdAt: z.number().meta({ description: 'When the service accepted it, epoch ms' }),
  })
  .meta({ id: 'GenesisRecord' })
export type GenesisRecord = z.infer<typeof genesisRecordSchema>

export const appendedSchema = z
  .strictObject({
    index: z.string(),
    hash: hashSchema,
    acceptedAt: z.number().meta({ description: 'When the service accepted it, epoch ms' }),
  })
  .meta({ id: 'Appended' })
export type Appended = z.infer<typeof appendedSchema>

export const headAnswerSchema = z
  .strictObject({ ...chainHeadSchema.shape, did: didSchema, indexing })
  .meta({ id: 'HeadAnswer' })
export type HeadAnswer = z.infer<typeof headAnswerSchema>

export const DEFAULT_PAGE_BLOCKS = 50
/** A block takes 7.6 kB of JSON, so a page is at most 1.5 MB. */
export const MAX_PAGE_BLOCKS = 200

const wholeNumber = z
  .string()
  .regex(/^-?[0-9]{1,15}$/, 'must be an integer')
  .transform(Number)
export const blocksQuerySchema = z.strictObject({
  from: wholeNumber.optional().meta({ description: 'First index; 0 unless given' }),
  to: wholeNumber.optional().meta({ description: 'Last index, inclusive; the head unless given' }),
  limit: wholeNumber
    .optional()
    .meta({ description: `Blocks in a page: ${DEFAULT_PAGE_BLOCKS}, clamped to 1-${MAX_PAGE_BLOCKS}` }),
  contentType: z.string().min(1).max(255).optional().meta({ description: 'Only blocks that declare exactly this' }),
})
export const blocksAnswerSchema = z
  .strictObject({
    blocks: z.array(chainBlockSchema),
    next: z.string().nullable().meta({ description: '`from` of the next page, or null at the end of the range' }),
    head: chainHeadSchema,
    indexing,
  })
  .meta({ id: 'BlocksAnswer' })
export type BlocksAnswer = z.infer<typeof blocksAnswerSchema>

export const blockIdSchema = z
  .string()
  .regex(/^(?:0|[1-9][0-9]{0,14}|[0-9a-f]{96})$/, 'must be an index or a block hash')
export const payloadAnswerSchema = z
  .strictObject({
    index: z.string(),
    hash: hashSchema,
    dataHash: hashSchema,
    contentType: z.string().optional(),
    payloadB64u: z.string(),
    indexing,
  })
  .meta({ id: 'PayloadAnswer' })
export type PayloadAnswer = z.infer<typeof payloadAnswerSchema>

export const rootAnswerSchema = z
  .strictObject({
    did: didSchema,
    scope: scopeSchema,
    userId: userIdSchema,
    publicKeyB64u: publicKeySchema,
    epoch: z.int().min(0),
    deactivated: z.boolean().meta({ description: 'Whether the root key has ended the identity' }),
    rotation: rotationSummarySchema.nullable().meta({
      description: 'The newest rotation, whatever became of it: a pending one is public while it can be stopped',
    }),
  })
  .meta({ id: 'RootAnswer', description: 'The current root key of an identity' })
export type RootAnswer = z.infer<typeof rootAnswerSchema>
