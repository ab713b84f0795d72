import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { decodeBase64url, encodeBase64url } from '@svc/protocol/base/base64url'
import { equalSecrets } from '@svc/service'

const RANDOM_BYTES = 16
const MAC_BYTES = 16

/** 128 random bits and a MAC over them and their purpose, so that an id is checked without storage. */
export function mintId(key: Uint8Array, purpose: string): string {
  const random = crypto.getRandomValues(new Uint8Array(RANDOM_BYTES))
  return encodeBase64url(concatBytes(random, macOf(key, purpose, random)))
}

export function isMintedId(key: Uint8Array, purpose: string, id: string): boolean {
  const bytes = decodeBase64url(id)
  if (bytes?.length !== RANDOM_BYTES + MAC_BYTES) return false
  const mac = macOf(key, purpose, bytes.subarray(0, RANDOM_BYTES))
  return equalSecrets(encodeBase64url(bytes.subarray(RANDOM_BYTES)), encodeBase64url(mac))
}

/** The random part has a fixed length, so the purpose before it is unambiguous. */
function macOf(key: Uint8Array, purpose: string, random: Uint8Array): Uint8Array {
  return hmac(sha256, key, concatBytes(utf8ToBytes(`${purpose} `), random)).slice(0, MAC_BYTES)
}
