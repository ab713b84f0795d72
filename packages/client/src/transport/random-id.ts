import { encodeBase64url } from '#protocol/base/base64url'

/** 128 random bits, base64url: unique without coordination. */
export function randomId(): string {
  return encodeBase64url(crypto.getRandomValues(new Uint8Array(16)))
}
