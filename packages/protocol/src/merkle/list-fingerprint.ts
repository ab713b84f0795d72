/**
 * The one fingerprint of a deployment: short enough to print, read aloud and compare. Every other key of the
 * deployment is verified through the keys that it identifies.
 *
 * @module
 */
import { bytesOf } from '../base/base64url.ts'
import { hashHex } from '../base/hash.ts'
import { jcs } from '../base/jcs.ts'
import type { ListKeys } from './log-list.ts'

/** 128 bits: finding other keys with a given fingerprint is infeasible. */
const CHARACTERS = 32

/**
 * The first 16 bytes of SHA3-384 over JCS of `{threshold, keys}` in hex, in groups of four; `keys` are the SHA3-384
 * hashes of the public keys, sorted, so that the order in the list does not matter.
 */
export function listFingerprint({ threshold, publicKeysB64u }: ListKeys): string {
  const keys = publicKeysB64u.map((key) => hashHex(bytesOf(key))).toSorted()
  const hash = hashHex(new TextEncoder().encode(jcs({ threshold, keys })))
  return hash.slice(0, CHARACTERS).replaceAll(/.{4}(?=.)/g, '$& ')
}

/** Whether a text is the fingerprint of these keys. Spaces, hyphens and case do not matter. */
export function isListFingerprint(text: string, keys: ListKeys): boolean {
  const plain = (one: string) => one.replaceAll(/[\s-]/g, '').toLowerCase()
  return plain(text) === plain(listFingerprint(keys))
}
