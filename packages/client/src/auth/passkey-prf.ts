/**
 * The PRF extension of passkeys (WebAuthn level 3, section 10.1.4): 32 bytes that a passkey returns for an input. They
 * stay on the device; at most, the request says that the passkey supports it.
 *
 * @module
 */

/** The same for every sign-in, so that it returns the same key. Its SHA-256 is the input. */
const INPUT = 'svc/local-wrap-prf/v1'

/** Options with the input of the extension, if the service asked for it. */
export async function withPrfInput(options: Record<string, unknown>): Promise<Record<string, unknown>> {
  // By the platform: a page of sign-in loads no other hash function before somebody is signed in.
  const first = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(INPUT)))
  const extensions = {
    ...(options['extensions'] as object | undefined),
    prf: { eval: { first } },
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
