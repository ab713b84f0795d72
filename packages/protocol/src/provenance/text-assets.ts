/** Registration and search of texts (workers/docs/pages/developer/search.md). Clients send vectors, never prose. */
import * as z from 'zod'
import { pure } from '../base/pure.ts'
import { MAX_MATCHES, signVectorSchema, VECTOR_RULES } from './vector-services.ts'

/** A body that has any of these keys is rejected; they are checked in this order. */
export const PROSE_KEYS = ['text', 'title', 'body', 'content'] as const
/** 5,000 chunks take about 3.5 MB. A larger body must still reach the error that names the limit. */
export const MAX_REGISTRATION_BYTES = 8 * 1024 * 1024
export const MIN_WORD_COUNT = 5

export const TEXT_ASSET_ID = /^text-[0-9a-f]{32}$/
export const textAssetIdSchema = /* @__PURE__ */ pure(() =>
  z
    .string()
    .regex(TEXT_ASSET_ID, 'must be text- and 32 lowercase hex characters')
    .meta({ id: 'TextAssetId', description: 'Id of a text, chosen by the caller', example: `text-${'5b'.repeat(16)}` }),
)

const count = /* @__PURE__ */ pure(() => z.int().min(0))
const UNIT =
  'In scripts without spaces (Chinese, Japanese, Thai, Khmer and others) each character with its marks is a word'
const wordCount = /* @__PURE__ */ pure(() =>
  z
    .int()
    .min(MIN_WORD_COUNT)
    .meta({ description: `Number of words in the whole text. ${UNIT}` }),
)

const textChunkSchema = /* @__PURE__ */ pure(() =>
  z
    .looseObject({
      index: count,
      values: signVectorSchema,
      start: count.meta({ description: 'Index of the first word of the chunk, counted as in `word_count`' }),
      words: z.int().min(1).meta({ description: 'Number of words in the chunk, counted as in `word_count`' }),
    })
    .meta({ id: 'TextChunk' }),
)

/** Documents the body; the service validates it by hand, in a fixed order. Other members are ignored. */
export const textRegistrationSchema = /* @__PURE__ */ pure(() =>
  z
    .looseObject({
      asset_id: textAssetIdSchema,
      word_count: wordCount,
      chunks: z.array(textChunkSchema).min(1).max(VECTOR_RULES.text.maxVectors),
    })
    .meta({ id: 'TextRegistration', description: 'The keys text, title, body and content are not allowed' }),
)

/** Path of a text. */
export const textParamsSchema = /* @__PURE__ */ z.strictObject({ assetId: textAssetIdSchema })

export const textDeletedSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({ assetId: textAssetIdSchema, deleted: z.literal(true) }).meta({ id: 'TextDeleted' }),
)

export const textRegisteredSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      asset_id: textAssetIdSchema,
      chunk_count: z.int().min(1),
      word_count: wordCount,
      duplicate: z
        .boolean()
        .meta({ description: 'Whether it was already registered; then nothing changes and nothing is charged' }),
      registered_at_ms: z.int().meta({ description: 'When it was first registered, epoch ms' }),
    })
    .meta({ id: 'TextRegistered' }),
)
export type TextRegistered = z.infer<typeof textRegisteredSchema>

export const textQuerySchema = /* @__PURE__ */ pure(() =>
  z
    .looseObject({
      vectors: z.array(signVectorSchema).min(1).max(VECTOR_RULES.text.maxQueryVectors),
      word_count: z
        .int()
        .min(1)
        .meta({ description: `Number of words in the query text. ${UNIT}` }),
      chunk_count: z.int().min(1).meta({ description: 'Chunks of the query text; `vectors` can be a sample of them' }),
    })
    .meta({ id: 'TextQuery', description: 'The keys text, title, body and content are not allowed' }),
)

const share = /* @__PURE__ */ pure(() => z.number().min(0).max(1))
const textSpanSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ start: count, words: z.int().min(1) })
    .meta({ id: 'TextSpan', description: 'A range of words in the registered text, counted as in `word_count`' }),
)

const textMatchSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      asset_id: textAssetIdSchema,
      score: share.meta({ description: 'How much of the query was found: `query_containment`' }),
      query_containment: share.meta({ description: 'Share of `vectors` that match a chunk of the registered text' }),
      asset_containment: share.meta({ description: 'Share of the registered text’s words in matched chunks' }),
      word_count: wordCount,
      chunk_count: z.int().min(1),
      registered_at_ms: z.int(),
      chunks: z
        .array(
          z
            .strictObject({
              query: count.meta({ description: 'Index into `vectors`' }),
              index: count.meta({ description: 'Index of the chunk, as registered' }),
              start: count,
              words: z.int().min(1),
              distance: z.int().min(0).meta({ description: 'Number of the 256 values that differ' }),
            })
            .meta({ id: 'MatchedChunk' }),
        )
        .meta({ description: 'The nearest chunk for each matching vector' }),
      spans: z.array(textSpanSchema).meta({ description: 'Matched chunks in order; adjacent ones are merged' }),
    })
    .meta({ id: 'TextMatch' }),
)

export const textMatchesSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      matches: z.array(textMatchSchema).max(MAX_MATCHES).meta({
        description:
          'Best match first, of equal ones the oldest without repeated chunks; at most three of one registrant',
      }),
      count,
      searched: z.int().min(1).meta({ description: 'Number of query vectors' }),
    })
    .meta({ id: 'TextMatches', description: 'Registered texts that share passages with the query' }),
)
export type TextMatches = z.infer<typeof textMatchesSchema>
export type TextMatch = z.infer<typeof textMatchSchema>
