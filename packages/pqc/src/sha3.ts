import { hkdf } from '@noble/hashes/hkdf.js'
import { hmac } from '@noble/hashes/hmac.js'
import { sha3_384 as nobleSha3_384 } from '@noble/hashes/sha3.js'
import { checkBytes } from './checks.ts'
import { type ModernSubtle, modernSubtle, nativeSupports } from './subtle.ts'

export interface Sha3_384Hasher {
  update(chunk: Uint8Array): void
  digest(): Uint8Array
}

/** Another implementation than JavaScript, such as WebAssembly. */
export interface Sha3_384Engine {
  readonly hash: (bytes: Uint8Array) => Uint8Array
  readonly newHasher: () => Promise<Sha3_384Hasher>
}

let engine: Sha3_384Engine | null = /* @__PURE__ */ runtimeEngine()

/**
 * OpenSSL's, in Node.js, Deno and Bun: three to ten times as fast as JavaScript. Null in browsers and Workers, whose only
 * native SHA3-384 is asynchronous, if they have one.
 */
function runtimeEngine(): Sha3_384Engine | null {
  try {
    const { createHash } = (globalThis as unknown as WithBuiltins).process.getBuiltinModule('node:crypto')
    const bytesOf = (hash: OpenSslHash) => new Uint8Array(hash.digest())
    createHash('sha3-384')
    return {
      hash: (bytes) => bytesOf(createHash('sha3-384').update(bytes)),
      async newHasher() {
        const hash = createHash('sha3-384')
        return {
          update(chunk) {
            checkBytes('sha3-384 chunk', chunk)
            hash.update(chunk)
          },
          digest: () => bytesOf(hash),
        }
      },
    }
  } catch {
    return null
  }
}

interface OpenSslHash {
  update(bytes: Uint8Array): OpenSslHash
  digest(): Uint8Array
}

/** As far as it is used. Not imported: a bundle for browsers has no module of that name. */
interface WithBuiltins {
  readonly process: {
    getBuiltinModule(name: 'node:crypto'): { readonly createHash: (algorithm: 'sha3-384') => OpenSslHash }
  }
}

/** From now on, this hashes wherever JavaScript would; null for JavaScript. Throws if it computes another hash. */
export function replaceSha3_384(other: Sha3_384Engine | null): void {
  const probe = new Uint8Array(1_000).fill(0xa3)
  const expected = nobleSha3_384(probe)
  const actual = other?.hash(probe) ?? expected
  if (actual.length !== expected.length || !actual.every((byte, at) => byte === expected[at]))
    throw new Error('sha3-384: this implementation computes another hash')
  engine = other
}

/** Synchronous: for transactions of Durable Objects and other code that cannot await. */
export function sha3_384(bytes: Uint8Array): Uint8Array {
  checkBytes('sha3-384 bytes', bytes)
  return engine ? engine.hash(bytes) : nobleSha3_384(bytes)
}

/** Uses the runtime's digest, or JavaScript without one. Both read the bytes when called. */
export function createSha3_384Async(
  subtle: Pick<ModernSubtle, 'digest'> | null,
): (bytes: Uint8Array) => Promise<Uint8Array> {
  return async (bytes) => {
    checkBytes('sha3-384 bytes', bytes)
    return subtle ? new Uint8Array(await subtle.digest('SHA3-384', bytes)) : sha3_384(bytes)
  }
}

/** Native if the runtime supports it: about ten times as fast for any length, the cost of the promise included. */
export const sha3_384Async = /* @__PURE__ */ (() =>
  createSha3_384Async(nativeSupports('SHA3-384') ? modernSubtle : null))()

/**
 * Incremental, for streamed input. Never native: WebCrypto digests whole inputs, and workerd's `DigestStream` has no
 * SHA-3.
 */
export async function newSha3_384Hasher(): Promise<Sha3_384Hasher> {
  return (await engine?.newHasher()) ?? sha3_384Hasher()
}

/** The same at once, in JavaScript. */
export function sha3_384Hasher(): Sha3_384Hasher {
  const hash = nobleSha3_384.create()
  return {
    update(chunk) {
      checkBytes('sha3-384 chunk', chunk)
      hash.update(chunk)
    },
    digest: () => hash.digest(),
  }
}

/** HKDF (RFC 5869) with SHA3-384. Derives independent keys from one secret; `info` names the purpose. */
export function hkdfSha3_384(secret: Uint8Array, salt: Uint8Array, info: Uint8Array, bytes: number): Uint8Array {
  checkBytes('hkdf secret', secret)
  return hkdf(nobleSha3_384, secret, salt, info, bytes)
}

/** HMAC (RFC 2104) with SHA3-384: 48 bytes. Compare with `equalMacs`. */
export function hmacSha3_384(key: Uint8Array, message: Uint8Array): Uint8Array {
  checkBytes('hmac key', key)
  checkBytes('hmac message', message)
  return hmac(nobleSha3_384, key, message)
}
