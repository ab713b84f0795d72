/**
 * Hashes by WebAssembly, for pages and programs that hash much where the runtime has no SHA3-384 of its own, and for files
 * everywhere: no runtime hashes them in parts. A separate entry because a page needs `wasm-unsafe-eval` in its content
 * security policy for it.
 *
 * @module
 */

import { createSHA3 } from 'hash-wasm'
import { replaceSha3_384 } from '#pqc/sha3'

/**
 * From now on, everything of this SDK in this program hashes by WebAssembly where it would by JavaScript: some ten times as
 * fast, with the same results. Call it once, at the start. Rejects where WebAssembly is not allowed; JavaScript stays then.
 */
export async function useWasmHashes(): Promise<void> {
  const one = await createSHA3(384)
  replaceSha3_384({
    hash: (bytes) => one.init().update(bytes).digest('binary'),
    async newHasher() {
      const hasher = (await createSHA3(384)).init()
      return {
        update: (chunk) => void hasher.update(chunk),
        digest: () => hasher.digest('binary'),
      }
    },
  })
}
