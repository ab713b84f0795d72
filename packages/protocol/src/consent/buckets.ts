/**
 * The buckets of consent: snapshots are made per bucket, and a store holds whole buckets.
 *
 * @module
 */
import * as z from 'zod'
import { BUCKETS } from '../base/buckets.ts'
import { pure } from '../base/pure.ts'
import { identifierHash } from './identifiers.ts'

export const CONSENT_BUCKETS = BUCKETS
/** Of the first three hex digits, the ten bits that number 1,024 buckets. */
const UNUSED_BITS = 2

/** Of the hash of an identifier, so that the entries of a bucket can be checked by every reader. */
export function bucketOfHash(hash: string): number {
  return Number.parseInt(hash.slice(0, 3), 16) >>> UNUSED_BITS
}

export function consentBucketOf(identifier: string): number {
  return bucketOfHash(identifierHash(identifier))
}

export const bucketSchema = /* @__PURE__ */ pure(() =>
  z
    .int()
    .min(0)
    .max(CONSENT_BUCKETS - 1)
    .meta({ description: 'The first ten bits of the hash of the identifier', example: 361 }),
)
