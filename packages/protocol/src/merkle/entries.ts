/**
 * Entries of logs: one line of JSON each, whose UTF-8 bytes are the data of the leaf. Readers hash the line as they
 * received it, so a log can gain kinds of entries that older readers do not know.
 *
 * Leaf 0 of every log opens it and names the log that it continues; the last leaf closes it and names the log that
 * continues it. With the log list, a reader gets from one period to the next without trusting the service in between.
 *
 * @module
 */
import * as z from 'zod'
import { hashSchema } from '../base/hash.ts'
import { jcs } from '../base/jcs.ts'
import { pure } from '../base/pure.ts'
import { type LogEnd, logEndSchema, logNameSchema } from './log-name.ts'
import { leafHash } from './tree.ts'

/** The map of a log at the end of the period before. */
const mapHeadSchema = /* @__PURE__ */ z.looseObject({ root: hashSchema })

export const openEntrySchema = /* @__PURE__ */ pure(() =>
  z.strictObject({
    kind: z.literal('open'),
    log: logNameSchema,
    previous: logEndSchema.nullable(),
    map: mapHeadSchema.nullable(),
  }),
)
export type OpenEntry = z.infer<typeof openEntrySchema>

export const closeEntrySchema = /* @__PURE__ */ pure(() =>
  z.strictObject({ kind: z.literal('close'), next: logNameSchema.nullable() }),
)
export type CloseEntry = z.infer<typeof closeEntrySchema>

/** Leaf 0 of a log. `previous` is null for the first log of its series. */
export function openEntry(log: string, previous: LogEnd | null): string {
  return jcs({ kind: 'open', log, previous: previous && { ...previous }, map: null })
}

/** The last leaf of a log. `next` is null if the series ends. */
export function closeEntry(next: string | null): string {
  return jcs({ kind: 'close', next })
}

const encoder = /* @__PURE__ */ new TextEncoder()

export function entryHash(line: string): Uint8Array {
  return leafHash(encoder.encode(line))
}

/** A line without its line breaks: entries are stored one per line. */
export const entryLineSchema = /* @__PURE__ */ pure(() =>
  z
    .string()
    .min(2)
    .max(8_192)
    .regex(/^[^\n\r]*$/, 'must be one line')
    .meta({ description: 'JSON of one entry as it was logged; its UTF-8 bytes are the data of the leaf' }),
)

export type KindedEntry = { readonly kind: string | null; readonly value: unknown }

/** The value of a line and its `kind`; null without one. A line that is not JSON has neither. */
export function readEntry(line: string): KindedEntry {
  const value = parsed(line)
  const isTagged = typeof value === 'object' && value !== null && 'kind' in value && typeof value.kind === 'string'
  return { kind: isTagged ? String(value.kind) : null, value }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}
