import { MAX_PAGE_ANCHOR_BYTES } from '@svc/protocol/ledger/anchors'

/** `items`, `count` and a cursor of up to 512 characters around the items. */
const FRAME_BYTES = 1_024
const ATTESTATIONS_MEMBER = ',"attestations":'.length

/** What an item adds to a page as it is sent, with the comma before it. */
export function sentBytes(facts: object, attestedBytes: number | null): number {
  const bytes = new TextEncoder().encode(JSON.stringify(facts)).length + 1
  return attestedBytes === null ? bytes : bytes + ATTESTATIONS_MEMBER + attestedBytes
}

/** How many of the items fit into a page, from the first on. One always does, so that the list goes on. */
export function countFitting(sizes: readonly number[]): number {
  let bytes = FRAME_BYTES
  for (const [count, size] of sizes.entries()) {
    bytes += size
    if (bytes > MAX_PAGE_ANCHOR_BYTES) return Math.max(count, 1)
  }
  return sizes.length
}
