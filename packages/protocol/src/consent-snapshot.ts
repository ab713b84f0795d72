/**
 * Everything that was declared at one time, in pages that are signed by the service: fetched once, looked up locally.
 *
 * The time is a full hour, so that all who ask in one hour share its pages. Each page says from which identifier to
 * which it is complete; pages that meet, from the beginning to the end, are the whole.
 *
 * @module
 */
import * as z from 'zod'
import { bytesOf } from './base64url.ts'
import { contentHashSchema, preferencesSchema } from './consent.ts'
import { hashHex, hashSchema } from './hash.ts'
import { didSchema, publicKeySchema, signatureSchema } from './identity.ts'
import { jcsBytes } from './jcs.ts'
import { statementSchema, verifyStatement } from './statement.ts'

export const SNAPSHOT_STEP_MS = 3_600_000
/** Whoever has begun an hour may finish it within the day. */
const MAX_SNAPSHOT_AGE_MS = 24 * SNAPSHOT_STEP_MS
/** A write takes less: the authority is waited for 5 s, the database 30 s. What an hour holds is settled by then. */
const SNAPSHOT_SETTLING_MS = 60_000
/** A page takes about a megabyte of JSON. */
export const SNAPSHOT_PAGE = 5_000

/** The newest time that a snapshot can be of. */
export function newestSnapshotTime(now: number): number {
  return Math.floor((now - SNAPSHOT_SETTLING_MS) / SNAPSHOT_STEP_MS) * SNAPSHOT_STEP_MS
}

export function isSnapshotTime(at: number, now: number): boolean {
  return at % SNAPSHOT_STEP_MS === 0 && at <= newestSnapshotTime(now) && at >= now - MAX_SNAPSHOT_AGE_MS
}

const atSchema = z.int().min(0).meta({ description: 'What had been recorded before it, epoch ms: a full hour' })
export const snapshotQuerySchema = z.strictObject({
  at: z
    .string()
    .regex(/^[0-9]{1,15}$/, 'must be epoch milliseconds')
    .transform(Number)
    .optional()
    .meta({ description: 'A full hour of the last 24; the newest unless given' }),
  from: contentHashSchema.optional().meta({ description: '`to` of the page before' }),
})

export const snapshotEntrySchema = z
  .strictObject({ hash: contentHashSchema, creator_did: didSchema.nullable(), preferences: preferencesSchema })
  .meta({ id: 'SnapshotEntry' })
export type SnapshotEntry = z.infer<typeof snapshotEntrySchema>

const boundary = contentHashSchema.nullable()
export const snapshotStatementSchema = statementSchema('svc/consent-snapshot/v1', {
  at: atSchema,
  from: boundary.meta({
    description: 'Complete after this identifier in the order of UTF-8 bytes; null from the first',
  }),
  to: boundary.meta({ description: 'Complete up to it; null to the last' }),
  count: z.int().min(0),
  entriesHash: hashSchema.meta({ description: 'SHA3-384 over the JCS of `entries`' }),
}).meta({ id: 'ConsentSnapshotStatement' })

export const snapshotPageSchema = z
  .strictObject({
    statement: snapshotStatementSchema,
    signatureB64u: signatureSchema,
    publicKeyB64u: publicKeySchema,
    entries: z.array(snapshotEntrySchema),
  })
  .meta({ id: 'ConsentSnapshotPage' })
export type SnapshotPage = z.infer<typeof snapshotPageSchema>

export function entriesHash(entries: readonly SnapshotEntry[]): string {
  return hashHex(jcsBytes(entries))
}

/** Whether a page is what the key of the service, as the caller knows it, has signed. */
export async function verifySnapshotPage(page: SnapshotPage, expectedKeyB64u: string): Promise<boolean> {
  const { statement, signatureB64u, publicKeyB64u, entries } = page
  return (
    publicKeyB64u === expectedKeyB64u &&
    statement.count === entries.length &&
    statement.entriesHash === entriesHash(entries) &&
    (await verifyStatement({ statement, signatureB64u }, bytesOf(expectedKeyB64u)))
  )
}
