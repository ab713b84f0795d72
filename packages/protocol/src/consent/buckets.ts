/**
 * The buckets of consent: snapshots are made per bucket, and a store holds whole buckets.
 *
 * @module
 */
import * as z from 'zod'
import { BUCKETS } from '../base/buckets.ts'
import { pure } from '../base/pure.ts'

export const CONSENT_BUCKETS = BUCKETS

export const bucketSchema = /* @__PURE__ */ pure(() =>
  z
    .int()
    .min(0)
    .max(CONSENT_BUCKETS - 1)
    .meta({ description: 'fmix32(FNV-1a of the UTF-8 bytes of the identifier) >>> 22', example: 361 }),
)
