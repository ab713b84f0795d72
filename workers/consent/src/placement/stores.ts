/**
 * Which store has a bucket before any bucket was moved. The number of these stores is part of the names of all data:
 * further stores get buckets by moves alone.
 *
 * @module
 */
import { CONSENT_BUCKETS } from '@svc/protocol/consent/buckets'

/** Where a bucket is, and after how many moves. */
export interface Placement {
  readonly bucket: number
  readonly store: string
  readonly version: number
}

/** The only object of the class that knows placements. */
export const PLACEMENT_NAME = 'placement'

const FIRST_STORES = 8
const BUCKETS_EACH = CONSENT_BUCKETS / FIRST_STORES

export type StoreName = `consent/s${string}`
const STORE_NAME = /^consent\/s[0-9]{2}$/

export function isStoreName(name: string): name is StoreName {
  return STORE_NAME.test(name)
}

/** The name of the object, from its number of 0 to 99. */
export function storeName(number: number): StoreName {
  return `consent/s${String(number).padStart(2, '0')}`
}

export function firstStoreOf(bucket: number): StoreName {
  return storeName(Math.floor(bucket / BUCKETS_EACH))
}

/** The buckets that a store has from the start, a range; empty for every store but the first eight. */
export function firstBucketsOf(name: string): { readonly from: number; readonly to: number } {
  const number = isStoreName(name) ? Number(name.slice(-2)) : FIRST_STORES
  if (number >= FIRST_STORES) return { from: 0, to: 0 }
  return { from: number * BUCKETS_EACH, to: (number + 1) * BUCKETS_EACH }
}

export const FIRST_STORE_NAMES: readonly StoreName[] = Array.from({ length: FIRST_STORES }, (_, i) => storeName(i))
