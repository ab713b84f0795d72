import { reaching } from '@svc/protocol/base/dependency-fault'
import { OBJECT_PREFIXES } from '../object-keys.ts'

/** How long a block from the gateway is cached, and the most that all of them may take. Pins are not counted. */
export const CACHE_MS = 7 * 24 * 3_600_000
const MAX_CACHE_BYTES = 10 * 1024 ** 3
/** 100,000 blocks per sweep. */
const MAX_PAGES = 100
/** Half of what a sweep sees: however many there are, each sweep comes to others than the last. */
const MAX_CACHED_BLOCKS = 50_000

interface Block {
  readonly key: string
  readonly bytes: number
  readonly uploadedAt: number
}

export interface CacheLimits {
  readonly bytes: number
  readonly blocks: number
}

const LIMITS: CacheLimits = { bytes: MAX_CACHE_BYTES, blocks: MAX_CACHED_BLOCKS }

/** Keys to delete: blocks older than a week, then the oldest until the rest fits. */
export function overdue(blocks: readonly Block[], now: number, limits = LIMITS): string[] {
  const oldestFirst = blocks.toSorted((a, b) => a.uploadedAt - b.uploadedAt)
  let bytes = blocks.reduce((sum, block) => sum + block.bytes, 0)
  const gone: string[] = []
  for (const block of oldestFirst) {
    const fits = bytes <= limits.bytes && blocks.length - gone.length <= limits.blocks
    if (block.uploadedAt >= now - CACHE_MS && fits) break
    gone.push(block.key)
    bytes -= block.bytes
  }
  return gone
}

/** Keeps the cache, which anyone can fill, within bounds. Idempotent: a deleted block is fetched again when needed. */
export async function sweepCache(bucket: R2Bucket, now: number, limits = LIMITS): Promise<number> {
  return reaching('blocks', async () => {
    const blocks: Block[] = []
    let cursor: string | undefined
    for (let page = 0; page < MAX_PAGES; page++) {
      const listed: R2Objects = await bucket.list({
        prefix: OBJECT_PREFIXES.cache,
        ...(cursor === undefined ? {} : { cursor }),
      })
      blocks.push(
        ...listed.objects.map(({ key, size, uploaded }) => ({ key, bytes: size, uploadedAt: uploaded.getTime() })),
      )
      if (!listed.truncated) break
      cursor = listed.cursor
    }
    const gone = overdue(blocks, now, limits)
    // R2's limit is a thousand keys per delete.
    for (let i = 0; i < gone.length; i += 1_000) await bucket.delete(gone.slice(i, i + 1_000))
    return gone.length
  })
}
