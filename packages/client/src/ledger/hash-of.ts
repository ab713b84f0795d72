import { newSha3_384Hasher } from '#pqc/sha3'
import { hashHexAsync, toHex } from '#protocol/base/hash'
import { checkCall } from '../arguments/check.ts'
import type { OnProgress } from '../transport/progress.ts'

/**
 * SHA3-384 of a file or of other bytes, as 96 lowercase hex characters: what you anchor, and the hash by which records
 * name data. Computed on this device.
 */
export async function hashOf(bytes: Uint8Array): Promise<string> {
  checkCall('hashOf', [bytes], ['bytes'])
  return hashHexAsync(bytes)
}

/**
 * The same of a file that need not fit into memory: a `File` of a page, or what `openAsBlob` of Node.js returns.
 * `onProgress` is told in bytes.
 */
export async function hashOfBlob(
  blob: Blob,
  options: { readonly onProgress?: OnProgress; readonly signal?: AbortSignal } = {},
): Promise<string> {
  checkCall('hashOfBlob', [blob, options], ['blob', ['options?', { onProgress: 0, signal: 0 }]])
  const { onProgress, signal } = options
  const hasher = await newSha3_384Hasher()
  const { size: total } = blob
  const reader = (blob.stream() as ReadableStream<Uint8Array>).getReader()
  try {
    onProgress?.({ done: 0, total })
    for (let done = 0; ; ) {
      signal?.throwIfAborted()
      const chunk = await reader.read()
      if (chunk.done) return toHex(hasher.digest())
      hasher.update(chunk.value)
      done += chunk.value.length
      onProgress?.({ done, total })
    }
  } finally {
    await reader.cancel()
  }
}
