/** Registration of texts and search for them (document 2 sections 2.2, 4.1 and 7): vectors come here, prose never. */
import * as z from 'zod'
import { MAX_MATCHES, signVectorSchema, VECTOR_RULES } from './vector-services.ts'

/** Refused by presence, in this order. */
export const PROSE_KEYS = ['text', 'title', 'body', 'content'] as const
export const MIN_WORD_COUNT = 5

export const TEXT_ASSET_ID = /^text-[0-9a-f]{32}$/
export const textAssetIdSchema = z
  .string()
  .regex(TEXT_ASSET_ID, 'must be text- and 32 lowercase hex characters')
  .meta({ id: 'TextAssetId', description: 'The caller’s name for a text', example: `text-${'5b'.repeat(16)}` })

const count = z.int().min(0)
const wordCount = z.int().min(MIN_WORD_COUNT).meta({ description: 'Words of the whole text' })

const textChunkSchema = z
  .looseObject({
    index: count,
    values: signVectorSchema,
    start: count.meta({ description: 'The first word of the chunk' }),
    words: z.int().min(1).meta({ description: 'Words in the chunk' }),
  })
  .meta({ id: 'TextChunk' })

/** Describes the body; it is read by hand, in the order of the documents. Other members are taken and ignored. */
export const textRegistrationSchema = z
  .looseObject({
    asset_id: textAssetIdSchema,
    word_count: wordCount,
    chunks: z.array(textChunkSchema).min(1).max(VECTOR_RULES.text.maxVectors),
  })
  .meta({ id: 'TextRegistration', description: 'None of the keys text, title, body and content may be present' })

export const textRegisteredSchema = z
  .strictObject({
    asset_id: textAssetIdSchema,
    chunk_count: z.int().min(1),
    word_count: wordCount,
    duplicate: z
      .boolean()
      .meta({ description: 'It was registered before; nothing has changed and nothing is charged' }),
    registered_at_ms: z.int().meta({ description: 'When it was registered first, epoch ms' }),
  })
  .meta({ id: 'TextRegistered' })
export type TextRegistered = z.infer<typeof textRegisteredSchema>

export const textQuerySchema = z
  .looseObject({
    vectors: z.array(signVectorSchema).min(1).max(VECTOR_RULES.text.maxQueryVectors),
    word_count: z.int().min(1).meta({ description: 'Words of the text that is searched for' }),
    chunk_count: z.int().min(1).meta({ description: 'Chunks of that text; `vectors` may be a choice of them' }),
  })
  .meta({ id: 'TextQuery', description: 'None of the keys text, title, body and content may be present' })

const share = z.number().min(0).max(1)
const textSpanSchema = z
  .strictObject({ start: count, words: z.int().min(1) })
  .meta({ id: 'TextSpan', description: 'So many words from word `start` of the registered text on' })

const textMatchSchema = z
  .strictObject({
    asset_id: textAssetIdSchema,
    score: share.meta({ description: 'The larger containment: 1 for an excerpt, and for what is quoted whole' }),
    query_containment: share.meta({ description: 'The share of `vectors` that match a chunk of the registered text' }),
    asset_containment: share.meta({ description: 'The share of the words of the registered text in matched chunks' }),
    word_count: wordCount,
    chunk_count: z.int().min(1),
    registered_at_ms: z.int(),
    chunks: z
      .array(
        z
          .strictObject({
            query: count.meta({ description: 'Which of `vectors`' }),
            index: count.meta({ description: 'The index of the chunk, as it was registered' }),
            start: count,
            words: z.int().min(1),
            distance: z.int().min(0).meta({ description: 'In how many of 256 values the two differ' }),
          })
          .meta({ id: 'MatchedChunk' }),
      )
      .meta({ description: 'For each vector that matches, the nearest chunk' }),
    spans: z.array(textSpanSchema).meta({ description: 'The matched chunks, in order, merged where they touch' }),
  })
  .meta({ id: 'TextMatch' })

export const textMatchesSchema = z
  .strictObject({
    matches: z.array(textMatchSchema).max(MAX_MATCHES).meta({ description: 'The best first' }),
    count,
    searched: z.int().min(1).meta({ description: 'How many vectors were searched for' }),
  })
  .meta({ id: 'TextMatches', description: 'Registered texts that share passages with the query' })
export type TextMatches = z.infer<typeof textMatchesSchema>
export type TextMatch = z.infer<typeof textMatchSchema>
