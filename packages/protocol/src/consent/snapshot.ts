/**
 * A snapshot of everything declared at one time, in pages signed by the service: download once, look up locally.
 *
 * The time is a full hour, so that all clients of an hour share its pages. Each page states its bucket and the range of
 * hashes for which it is complete: adjoining pages from the first to the last make up a bucket, and all buckets the
 * whole. A client that needs a few identifiers reads their buckets alone. An entry is found by its identifier; neither
 * identifiers nor creators can be read from it.
 *
 * @module
 */
import * as z from 'zod'
import { bytesOf } from '../base/base64url.ts'
import { hashHexAsync, hashSchema } from '../base/hash.ts'
import { publicKeySchema, signatureSchema } from '../base/identity.ts'
import { jcsBytes } from '../base/jcs.ts'
import { pure } from '../base/pure.ts'
import type { Realms } from '../base/realm.ts'
import { statementSchema, verifyStatement } from '../base/statement.ts'
import { bucketOfHash, bucketSchema, CONSENT_BUCKETS } from './buckets.ts'
import { preferencesSchema } from './consent.ts'

export const SNAPSHOT_STEP_MS = 3_600_000
/** A client that starts downloading a snapshot has a day to finish. */
const MAX_SNAPSHOT_AGE_MS = 24 * SNAPSHOT_STEP_MS
/** Longer than a write, which waits up to 5 s for the authority and 30 s for the database. The hour is final by then. */
const SNAPSHOT_SETTLING_MS = 60_000
/** Entries per page, about a megabyte of JSON. */
export const SNAPSHOT_PAGE = 5_000

/** Time of the newest available snapshot. */
export function newestSnapshotTime(now: number): number {
  return Math.floor((now - SNAPSHOT_SETTLING_MS) / SNAPSHOT_STEP_MS) * SNAPSHOT_STEP_MS
}

export function isSnapshotTime(at: number, now: number): boolean {
  return at % SNAPSHOT_STEP_MS === 0 && at <= newestSnapshotTime(now) && at >= now - MAX_SNAPSHOT_AGE_MS
}

const atSchema = /* @__PURE__ */ pure(() =>
  z.int().min(0).meta({ description: 'Covers records made before this time, epoch ms; a full hour' }),
)
export const snapshotQuerySchema = /* @__PURE__ */ pure(() =>
  z.strictObject({
    bucket: z
      .string()
      .regex(/^(0|[1-9][0-9]{0,3})$/, 'must be a bucket')
      .transform(Number)
      .refine((bucket) => bucket < CONSENT_BUCKETS, 'must be a bucket')
      .meta({ description: `0 to ${CONSENT_BUCKETS - 1}` }),
    at: z
      .string()
      .regex(/^[0-9]{1,15}$/, 'must be epoch milliseconds')
      .transform(Number)
      .optional()
      .meta({ description: 'A full hour of the last 24. Default: the newest' }),
    from: hashSchema.optional().meta({ description: '`to` of the previous page' }),
  }),
)

export const snapshotEntrySchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      identifier_hash: hashSchema.meta({
        description: 'SHA3-384 over the JCS of `{type: "svc/consent-identifier/v1", content_hash}`',
      }),
      creator_hash: hashSchema.nullable().meta({
        description:
          'SHA3-384 over the JCS of `{type: "svc/consent-creator/v1", content_hash, creator_did}`; null without an owner',
      }),
      preferences: preferencesSchema,
    })
    .meta({ id: 'SnapshotEntry' }),
)
export type SnapshotEntry = z.infer<typeof snapshotEntrySchema>

const boundary = /* @__PURE__ */ hashSchema.nullable()
export const snapshotStatementSchema = /* @__PURE__ */ pure(() =>
  statementSchema('svc/consent-snapshot/v1', {
    at: atSchema,
    bucket: bucketSchema,
    buckets: z.literal(CONSENT_BUCKETS).meta({ description: 'How many there are' }),
    from: boundary.meta({
      description: 'Complete after this hash, in order; null from the first',
    }),
    to: boundary.meta({ description: 'Complete up to and including this hash; null to the last' }),
    count: z.int().min(0),
    entriesHash: hashSchema.meta({ description: 'SHA3-384 over the JCS of `entries`' }),
  }).meta({ id: 'ConsentSnapshotStatement' }),
)

export const snapshotPageSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      statement: snapshotStatementSchema,
      signatureB64u: signatureSchema,
      publicKeyB64u: publicKeySchema,
      entries: z.array(snapshotEntrySchema),
    })
    .meta({ id: 'ConsentSnapshotPage' }),
)
export type SnapshotPage = z.infer<typeof snapshotPageSchema>

export function entriesHash(entries: readonly SnapshotEntry[]): Promise<string> {
  return hashHexAsync(jcsBytes(entries))
}

/**
 * Whether a page was signed by the service's key, which the caller must know independently, and has entries of its own
 * bucket alone, in its range and in order.
 */
export async function verifySnapshotPage(
  page: SnapshotPage,
  expectedKeyB64u: string,
  expectedRealms: Realms,
): Promise<boolean> {
  const { statement, signatureB64u, publicKeyB64u, entries } = page
  return (
    isOfItsBucket(page) &&
    publicKeyB64u === expectedKeyB64u &&
    statement.count === entries.length &&
    statement.entriesHash === (await entriesHash(entries)) &&
    (await verifyStatement({ statement, signatureB64u }, bytesOf(expectedKeyB64u), expectedRealms))
  )
}

function isOfItsBucket({ statement: { bucket, from, to }, entries }: SnapshotPage): boolean {
  const hashes = entries.map(({ identifier_hash: hash }) => hash)
  const last = hashes.at(-1)
  return (
    hashes.every((hash) => bucketOfHash(hash) === bucket) &&
    hashes.every((hash, i) => (i === 0 ? (from ?? '') : (hashes[i - 1] ?? '')) < hash) &&
    (last === undefined || to === null || last <= to)
  )
}
