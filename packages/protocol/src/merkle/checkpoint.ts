/**
 * Signed checkpoints: the name of a log, its number of leaves and their root, signed by that log's key. The statement's
 * `type` tells the series; the rules are the same for all.
 *
 * A checkpoint carries its key for convenience. A verifier takes the key from the log list instead
 * (`merkle/log-list`), because a log's key changes with every period.
 *
 * @module
 */
import * as z from 'zod'
import { hashSchema } from '../base/hash.ts'
import { publicKeySchema } from '../base/identity.ts'
import { pure } from '../base/pure.ts'
import { signedSchema, statementSchema } from '../base/statement.ts'
import { type LogSeries, logNameSchema } from './log-name.ts'

const head = /* @__PURE__ */ pure(() => ({ log: logNameSchema, size: z.int().min(0), root: hashSchema }))

export const checkpointSchema = /* @__PURE__ */ pure(() =>
  statementSchema('svc/anchor-checkpoint/v1', head).meta({
    id: 'Checkpoint',
    description: 'Size and root of the log at signing',
  }),
)
export const signedCheckpointSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ ...signedSchema(checkpointSchema).shape, publicKeyB64u: publicKeySchema })
    .meta({ id: 'SignedCheckpoint', description: 'Signed by the log’s key; compare it with the one in the log list' }),
)
export type SignedCheckpoint = z.infer<typeof signedCheckpointSchema>

export const directoryCheckpointSchema = /* @__PURE__ */ pure(() =>
  statementSchema('svc/transparency-checkpoint/v1', head).meta({
    id: 'DirectoryCheckpoint',
    description: 'Size and root of the log at signing',
  }),
)
export const signedDirectoryCheckpointSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({ ...signedSchema(directoryCheckpointSchema).shape, publicKeyB64u: publicKeySchema }).meta({
    id: 'SignedDirectoryCheckpoint',
    description: 'Signed by the log’s key; compare it with the one in the log list',
  }),
)
export type DirectoryCheckpoint = z.infer<typeof signedDirectoryCheckpointSchema>

/** A checkpoint of a log of any series. */
export type LogCheckpoint = SignedCheckpoint | DirectoryCheckpoint
export const logCheckpointSchema = /* @__PURE__ */ z.union([signedCheckpointSchema, signedDirectoryCheckpointSchema])

export const CHECKPOINT_TYPES = {
  anchors: 'svc/anchor-checkpoint/v1',
  transparency: 'svc/transparency-checkpoint/v1',
} as const satisfies Record<LogSeries, LogCheckpoint['statement']['type']>
