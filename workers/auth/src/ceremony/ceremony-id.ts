import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { decodeBase64url, encodeBase64url } from '@svc/protocol/base64url'
import { equalSecrets } from '@svc/service'
import type { CeremonyKind } from './ceremony.ts'

const RANDOM_BYTES = 16
const MAC_BYTES = 16

/** 128 random bits, which nobody guesses, and a MAC over them and the kind, so that a made-up id reaches no object. */
export function mintCeremonyId(key: Uint8Array, kind: CeremonyKind): string {
  const random = crypto.getRandomValues(new Uint8Array(RANDOM_BYTES))
  return encodeBase64url(concatBytes(random, macOf(key, kind, random)))
}

export function isCeremonyId(key: Uint8Array, kind: CeremonyKind, id: string): boolean {
  const bytes = decodeBase64url(id)
  if (bytes?.length !== RANDOM_BYTES + MAC_BYTES) return false
  const mac = macOf(key, kind, bytes.subarray(0, RANDOM_BYTES))
  return equalSecrets(encodeBase64url(bytes.subarray(RANDOM_BYTES)), encodeBase64url(mac))
}

function macOf(key: Uint8Array, kind: CeremonyKind, random: Uint8Array): Uint8Array {
  return hmac(sha256, key, concatBytes(utf8ToBytes(`svc/ceremony/v1 ${kind} `), random)).slice(0, MAC_BYTES)
}
