import { createHash } from 'node:crypto'
import { send } from '@svc/platform/callers/send'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import type { BucketCounts } from '../../runtime/bucket-counts.ts'
import type { Figure } from '../figure.ts'
import { runtimeWorker } from '../runtime-worker.ts'

const BUCKETS = 256
const SMALL = 100_000
const HASH_BYTES = 48
/** A call fills so many: it ends well before a request has to. */
const FILLED = 16_384
const ENTRIES = 1_000_000

/** The map of accounts, by one real bucket of 256: labels are hashes, so the others are like it. */
export async function measureAccountMap(accounts: number): Promise<Figure[]> {
  const small = await countsOf(SMALL)
  const large = await countsOf(accounts)
  const [smallBytes, largeBytes] = [answerBytes(small), answerBytes(large)]
  const compared = `${accounts} / ${SMALL} accounts`
  return [
    {
      name: `bytes of a lookup, ${compared}`,
      ratio: largeBytes / smallBytes,
      bar: { limit: 1.3, good: 'at most' },
      detail: `${largeBytes} / ${smallBytes}`,
    },
    {
      name: `rows that a publication writes in the map, ${compared}`,
      ratio: large.rowsPerPublication / small.rowsPerPublication,
      bar: { limit: 2.2, good: 'at most' },
      detail: `${large.rowsPerPublication} / ${small.rowsPerPublication} in its bucket, ${large.bytesPerAccount.toFixed(0)} / ${small.bytesPerAccount.toFixed(0)} bytes an account`,
    },
    {
      name: `bytes of an owner's check / of reading ${ENTRIES} entries`,
      ratio: largeBytes / (ENTRIES * large.entryBytes),
      bar: { limit: 0.0001, good: 'at most' },
      detail: `${largeBytes} / ${ENTRIES * large.entryBytes}`,
    },
  ]
}

/** Of the answer for an account: the log has a leaf for each, and its audit path grows with them. */
function answerBytes({ accounts, answer, hashBytes }: BucketCounts): number {
  return Math.round(answer + Math.ceil(Math.log2(accounts)) * hashBytes)
}

async function countsOf(accounts: number): Promise<BucketCounts> {
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      ...(await runtimeWorker('benchmarks/runtime/map-worker.ts', 'keys')),
      durableObjects: { MAP_BUCKETS: { className: 'MapBucketObject', useSQLite: true } },
      cf: false,
    }),
  )
  const { origin } = await miniflare.ready
  const get = async <T>(path: string): Promise<T> => {
    const { status, body } = await send({ method: 'GET', url: `${origin}${path}` })
    if (status !== 200) throw new Error(`${path}: ${status} ${body.toString()}`)
    return JSON.parse(body.toString()) as T
  }
  try {
    const inBucket = Math.round(accounts / BUCKETS)
    const hashes = sortedHashes(inBucket)
    for (let at = 0; at < hashes.length; at += FILLED * HASH_BYTES) {
      const { status } = await send({
        method: 'POST',
        url: `${origin}/fill`,
        body: hashes.subarray(at, at + FILLED * HASH_BYTES),
      })
      if (status !== 200) throw new Error(`filling at ${at / HASH_BYTES}: ${status}`)
    }
    return { ...(await get<BucketCounts>(`/counts?accounts=${inBucket}`)), accounts }
  } finally {
    await miniflare.dispose()
  }
}

/**
 * The hashes of accounts, roughly in the order of their labels: the map is the same in any order, and in this one a page
 * is written once and not for each of its labels.
 */
function sortedHashes(count: number): Buffer {
  const hashOf = (i: number) => createHash('sha3-384').update(`account ${i}`).digest()
  const next = new Uint32Array(2 ** 16 + 1)
  const firstBits = (hash: Buffer) => hash.readUInt16BE(1) // The first byte of a label is that of the bucket.
  for (let i = 0; i < count; i++) {
    const after = firstBits(hashOf(i)) + 1
    next[after] = (next[after] ?? 0) + 1
  }
  for (let i = 1; i < next.length; i++) next[i] = (next[i] ?? 0) + (next[i - 1] ?? 0)
  const sorted = Buffer.alloc(count * HASH_BYTES)
  for (let i = 0; i < count; i++) {
    const hash = hashOf(i)
    const place = next[firstBits(hash)] ?? 0
    next[firstBits(hash)] = place + 1
    hash.copy(sorted, place * HASH_BYTES)
  }
  return sorted
}
