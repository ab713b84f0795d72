/**
 * The PRF extension of passkeys (WebAuthn level 3, section 10.1.4): 32 bytes that a passkey returns for an input. They
 * stay on the device; at most, the request says that the passkey supports it.
 *
 * @module
 */
import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'

/** The same for every sign-in, so that it returns the same key. */
const INPUT = sha256(utf8ToBytes('svc/local-wrap-prf/v1'))

/** Options with the input of the extension, if the service asked for it. */
export function withPrfInput(options: Record<string, unknown>): Record<string, unknown> {
  const extensions = {
    ...(options['extensions'] as object | undefined),
    prf: { eval: { first: new Uint8Array(INPUT) } },
  }
  return { ...options, extensions }
}

interface Extended {
  readonly clientExtensionResults: object
}

/** What may be sent, and the key, which must not be. Null if the authenticator has no PRF. */
export function splitPrf<R extends Extended>(response: R): { readonly sent: R; readonly key: Uint8Array | null } {
  const { prf, credProps } = response.clientExtensionResults as {
    prf?: { enabled?: boolean; results?: { first?: ArrayBuffer } }
    credProps?: { rk?: boolean }
  }
  const first = prf?.results?.first
  const clientExtensionResults = {
    ...(credProps === undefined ? {} : { credProps: credProps.rk === undefined ? {} : { rk: credProps.rk } }),
    ...(prf?.enabled === undefined ? {} : { prf: { enabled: prf.enabled } }),
  }
  return { sent: { ...response, clientExtensionResults }, key: first === undefined ? null : new Uint8Array(first) }
}
