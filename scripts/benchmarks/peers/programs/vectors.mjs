/** usearch: an HNSW index of vectors of 256 bits. */
import usearch from 'usearch'
import { answer } from './answer.mjs'

const { Index, MetricKind, ScalarKind } = usearch
const BITS = 256
let index

/** It takes bits as numbers, by their sign. */
function unpacked(bytesB64) {
  const bytes = Buffer.from(bytesB64, 'base64')
  return Float32Array.from({ length: bytes.length * 8 }, (_, i) => ((bytes[i >> 3] >> (i & 7)) & 1 ? 1 : -1))
}

answer({
  start({ vectorsB64 }) {
    index = new Index({ metric: MetricKind.Hamming, dimensions: BITS, quantization: ScalarKind.B1 })
    const vectors = unpacked(vectorsB64)
    const keys = BigUint64Array.from({ length: vectors.length / BITS }, (_, i) => BigInt(i))
    index.add(keys, vectors, 1)
  },
  /** The keys of the nearest ten of each query, and the milliseconds of all. */
  search({ queriesB64 }) {
    const queries = unpacked(queriesB64)
    const startedAt = performance.now()
    const found = []
    for (let at = 0; at < queries.length; at += BITS)
      found.push(Array.from(index.search(queries.subarray(at, at + BITS), 10, 1).keys, Number))
    return { found, milliseconds: performance.now() - startedAt }
  },
})
