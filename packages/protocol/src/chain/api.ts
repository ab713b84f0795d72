/** Requests and responses of core's chain, genesis and root routes, apart from the blocks themselves. */
import * as z from 'zod'
import { hashSchema } from '../base/hash.ts'
import { didSchema, publicKeySchema, scopeSchema, userIdSchema } from '../base/identity.ts'
import { pure } from '../base/pure.ts'
import { chainBlockSchema, chainBlockV4Schema, chainHeadSchema } from './chain.ts'
import { commitmentSchema } from './commitment.ts'
import { pendingMember } from './pending.ts'
import { rotationSummarySchema } from './rotation.ts'
import { watchedMembers } from './watch.ts'

export const indexingSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({ state: z.literal('rebuilding'), done: z.int(), total: z.int() }).meta({
    id: 'Indexing',
    description: 'A projection is being rebuilt: the response may be partial and does not prove history',
  }),
)
export type Indexing = z.infer<typeof indexingSchema>
const indexing = /* @__PURE__ */ indexingSchema.optional()

export const genesisRequestSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      block: chainBlockV4Schema,
      commitment: commitmentSchema
        .optional()
        .meta({ description: 'Who may follow the genesis key: what `metadataHash` of the block is the hash of' }),
    })
    .meta({ id: 'GenesisRequest' }),
)
export type GenesisRequest = z.infer<typeof genesisRequestSchema>
export const genesisRecordSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      did: didSchema,
      scope: scopeSchema,
      userId: userIdSchema,
      block: chainBlockV4Schema,
      commitment: commitmentSchema.nullable().meta({ description: 'What the genesis committed to; null if nothing' }),
      hash: hashSchema,
      createdAt: z.number().meta({ description: 'When the service accepted it, epoch ms' }),
    })
    .meta({ id: 'GenesisRecord' }),
)
export type GenesisRecord = z.infer<typeof genesisRecordSchema>

export const appendedSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      index: z.string(),
      hash: hashSchema,
      acceptedAt: z.number().meta({ description: 'When the service accepted it, epoch ms' }),
    })
    .meta({ id: 'Appended' }),
)
export type Appended = z.infer<typeof appendedSchema>

export const headAnswerSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({ ...chainHeadSchema.shape, did: didSchema, indexing, ...pendingMember }).meta({ id: 'HeadAnswer' }),
)
export type HeadAnswer = z.infer<typeof headAnswerSchema>

export const DEFAULT_PAGE_BLOCKS = 50
/** A block is 7.6 kB of JSON, so a page is at most 1.5 MB. */
export const MAX_PAGE_BLOCKS = 200

const wholeNumber = /* @__PURE__ */ pure(() =>
  z
    .string()
    .regex(/^-?[0-9]{1,15}$/, 'must be an integer')
    .transform(Number),
)
export const blocksQuerySchema = /* @__PURE__ */ pure(() =>
  z.strictObject({
    from: wholeNumber.optional().meta({ description: 'First index. Default: 0' }),
    to: wholeNumber.optional().meta({ description: 'Last index, inclusive. Default: the head' }),
    limit: wholeNumber
      .optional()
      .meta({ description: `Page size. Default: ${DEFAULT_PAGE_BLOCKS}; clamped to 1-${MAX_PAGE_BLOCKS}` }),
    contentType: z
      .string()
      .min(1)
      .max(255)
      .optional()
      .meta({ description: 'Return only blocks with this content type' }),
  }),
)
export const blocksAnswerSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      blocks: z.array(chainBlockSchema),
      next: z.string().nullable().meta({ description: '`from` for the next page; null at the end of the range' }),
      head: chainHeadSchema,
      indexing,
    })
    .meta({ id: 'BlocksAnswer' }),
)
export type BlocksAnswer = z.infer<typeof blocksAnswerSchema>

export const blockIdSchema = /* @__PURE__ */ pure(() =>
  z.string().regex(/^(?:0|[1-9][0-9]{0,14}|[0-9a-f]{96})$/, 'must be an index or a block hash'),
)
export const payloadAnswerSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      index: z.string(),
      hash: hashSchema,
      dataHash: hashSchema,
      contentType: z.string().optional(),
      payloadB64u: z.string(),
      indexing,
    })
    .meta({ id: 'PayloadAnswer' }),
)
export type PayloadAnswer = z.infer<typeof payloadAnswerSchema>

export const rootAnswerSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      did: didSchema,
      scope: scopeSchema,
      userId: userIdSchema,
      publicKeyB64u: publicKeySchema,
      epoch: z.int().min(0),
      commitment: commitmentSchema.meta({ description: 'Who may follow this root key' }),
      disputed: z
        .boolean()
        .meta({ description: 'Whether two requests of root key and successor have ended each other in this epoch' }),
      deactivated: z.boolean().meta({ description: 'Whether the root key has deactivated the identity' }),
      rotation: rotationSummarySchema.nullable().meta({
        description: 'The newest rotation in any status; a pending one is public while it can still be stopped',
      }),
      ...watchedMembers,
    })
    .meta({ id: 'RootAnswer', description: 'The current root key of an identity' }),
)
export type RootAnswer = z.infer<typeof rootAnswerSchema>

export const syncStatusSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      hasBackup: z.boolean().meta({ description: 'Whether the server stores any record besides the genesis block' }),
      lastSync: z.number().nullable().meta({ description: 'When the newest such record was accepted, epoch ms' }),
      userId: z.string(),
      ...pendingMember,
    })
    .meta({ id: 'SyncStatusData' }),
)
export type SyncStatus = z.infer<typeof syncStatusSchema>
