import { encodeBase64url } from '@svc/protocol/base64url'

/** 128 random bits: a name that nobody else gives. */
export function randomId(): string {
  return encodeBase64url(crypto.getRandomValues(new Uint8Array(16)))
}
