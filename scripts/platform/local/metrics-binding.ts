/**
 * The binding of an Analytics Engine dataset in the local runtime, whose own drops every row. It holds rows to the limits
 * that Cloudflare documents and prints each as a line, which the platform stores.
 *
 * @module
 */

/** Set by `metrics.ts` for each binding. */
interface Settings {
  readonly dataset: string
  readonly prefix: string
}

interface Point {
  readonly indexes?: readonly string[]
  readonly blobs?: readonly string[]
  readonly doubles?: readonly number[]
}

const MAX_BLOBS = 20
const MAX_DOUBLES = 20
const MAX_INDEX_BYTES = 96
const MAX_BLOB_BYTES = 16 * 1024

/** The runtime calls this once per binding and isolate. */
export function metricsBinding({ dataset, prefix }: Settings) {
  return {
    writeDataPoint({ indexes = [], blobs = [], doubles = [] }: Point = {}): void {
      const bytesOf = (texts: readonly string[]) => new TextEncoder().encode(texts.join('')).byteLength
      if (indexes.length > 1) throw new TypeError('writeDataPoint: at most one index')
      if (bytesOf(indexes) > MAX_INDEX_BYTES) throw new TypeError('writeDataPoint: index is too long')
      if (blobs.length > MAX_BLOBS || doubles.length > MAX_DOUBLES)
        throw new TypeError('writeDataPoint: too many members')
      if (bytesOf(blobs) > MAX_BLOB_BYTES) throw new TypeError('writeDataPoint: blobs are too long')
      if (!doubles.every((double) => typeof double === 'number')) throw new TypeError('writeDataPoint: not a number')
      console.debug(prefix + JSON.stringify({ dataset, index: indexes[0] ?? '', blobs, doubles }))
    },
  }
}
