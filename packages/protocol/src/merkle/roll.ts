/**
 * How a series goes from one log to the next (workers/docs/pages/developer/log-rolls.md). A log is closed by its last
 * leaf, which names the next one; the next one is opened on what the final checkpoint says.
 *
 * @module
 */
import * as z from 'zod'
import { pure } from '../base/pure.ts'
import { logCheckpointSchema } from './checkpoint.ts'
import { entryLineSchema } from './entries.ts'
import { logNameSchema } from './log-name.ts'

const keyVersion = /* @__PURE__ */ pure(() =>
  z.int().min(1).meta({ description: 'Version of the seed that the key of the log is derived from' }),
)

export const nextLogSchema = /* @__PURE__ */ z.strictObject({ log: logNameSchema, keyVersion })
/** The log that goes on where another one ends. */
export type NextLog = z.infer<typeof nextLogSchema>

export const logOpeningSchema = /* @__PURE__ */ z.strictObject({ entry: entryLineSchema, keyVersion })
/** How the first leaf of a log reads, and which seed its key comes from. Never changes. */
export type LogOpening = z.infer<typeof logOpeningSchema>

export const logEndingSchema = /* @__PURE__ */ z.strictObject({ next: logNameSchema, final: logCheckpointSchema })
/** Why a roll is refused. */
export type RollRefusal = {
  readonly reason:
    | 'not_found'
    /** It ended in another log. */
    | 'log_closed'
    /** No list announces the next log with its key. */
    | 'log_not_announced'
}

/** How a log ended: the log that goes on, and the last checkpoint. */
export type LogEnding = z.infer<typeof logEndingSchema>
