/**
 * Names of logs (workers/docs/pages/developer/keys.md). A deployment names each of its logs `<realm>/<series>/<period>`;
 * everyone else compares names as text. The next period is another log, with another name and another key.
 *
 * @module
 */
import * as z from 'zod'
import { hashSchema } from '../base/hash.ts'
import { pure } from '../base/pure.ts'

/** A realm has at most 255 characters. */
export const logNameSchema = /* @__PURE__ */ pure(() =>
  z
    .string()
    .regex(/^[!-~]{1,320}$/, 'must be 1 to 320 visible ASCII characters')
    .meta({
      id: 'LogName',
      description: 'Identifies a log. Opaque: compare it as text, and look it up in the log list',
      example: 'https://core.svc.example/transparency/2027a',
    }),
)

export const LOG_SERIES = ['anchors', 'transparency'] as const
export type LogSeries = (typeof LOG_SERIES)[number]

/** A year and a letter: how a deployment tells its logs apart. */
export const logPeriodSchema = /* @__PURE__ */ pure(() =>
  z.string().regex(/^[0-9]{4}[a-z]$/, 'must be a year and a letter, like 2027a'),
)

export function logNameOf(realm: string, series: LogSeries, period: string): string {
  return `${realm}/${series}/${period}`
}

export const logPositionSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ log: logNameSchema, index: z.int().min(0).meta({ description: 'Index of the leaf in that log' }) })
    .meta({ id: 'LogPosition', description: 'A place in one log. Places in different logs have no order' }),
)
export type LogPosition = z.infer<typeof logPositionSchema>

/** Null until the log has taken the leaf. */
export const positionSchema = /* @__PURE__ */ pure(() =>
  logPositionSchema.nullable().meta({ description: 'Where the leaf is; null until the log has taken it' }),
)

/** `?log=` of every route that reads a log. */
export const logQuery = /* @__PURE__ */ pure(() => ({
  log: logNameSchema.optional().meta({ description: 'A listed log; by default the one that is open' }),
}))

/** The whole of a log that was closed: what its final checkpoint says. */
export const logEndSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ log: logNameSchema, size: z.int().min(1), root: hashSchema })
    .meta({ id: 'LogEnd', description: 'Name, size and root of a closed log' }),
)
export type LogEnd = z.infer<typeof logEndSchema>
