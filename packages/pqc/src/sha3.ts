import { sha3_384 as nobleSha3_384 } from '@noble/hashes/sha3.js'
import { checkBytes } from './checks.ts'
import { modernSubtle, nativeSupports } from './subtle.ts'

/** For a Durable Object's synchronous section and wherever the input is short. */
export function sha3_384(bytes: Uint8Array): Uint8Array {
  checkBytes('sha3-384 bytes', bytes)
  return nobleSha3_384(bytes)
}

const isNative = nativeSupports('SHA3-384')

/** For long inputs: native where the runtime has it. */
export async function sha3_384Async(bytes: Uint8Array): Promise<Uint8Array> {
  checkBytes('sha3-384 bytes', bytes)
  return isNative ? new Uint8Array(await modernSubtle.digest('SHA3-384', bytes)) : nobleSha3_384(bytes)
}

/** For what comes piece by piece. */
export function sha3_384Hasher(): { update(chunk: Uint8Array): void; digest(): Uint8Array } {
  const hash = nobleSha3_384.create()
  return {
    update(chunk) {
      checkBytes('sha3-384 chunk', chunk)
      hash.update(chunk)
    },
    digest: () => hash.digest(),
  }
}
