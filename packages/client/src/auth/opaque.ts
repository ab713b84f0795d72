/**
 * The client's half of OPAQUE. The only module that uses the library: its functions take a `Secret`, so that no password
 * gets to them as it was typed.
 *
 * @module
 */
import { once } from '../services/once.ts'
import type { Secret } from '../text/secret.ts'
import { unverified } from '../verification/verification-error.ts'

/**
 * Argon2id with 64 MiB, three passes and four lanes, in the client: the server never stretches. RFC 9807's first choice
 * needs 2 GiB, which phones do not have.
 */
const keyStretching = 'memory-constrained'

/** WebAssembly of 150 kB after compression, which passkeys do not need. */
const loadClient = /* @__PURE__ */ once(async () => {
  const loaded = await import('@serenity-kit/opaque')
  // In a bundle for Node.js, its CommonJS build has nothing but a default export.
  const opaque = (loaded as { readonly default?: Pick<typeof loaded, 'client' | 'ready'> }).default ?? loaded
  await opaque.ready
  return opaque.client
})

export interface BegunRegistration {
  readonly registrationRequest: string
  /** The record, over the server's answer. */
  finish(registrationResponse: string): string
}

export async function beginRegistration(password: Secret): Promise<BegunRegistration> {
  const client = await loadClient()
  const { clientRegistrationState, registrationRequest } = client.startRegistration({ password })
  const finish = (registrationResponse: string) =>
    understood(() =>
      client.finishRegistration({ password, registrationResponse, clientRegistrationState, keyStretching }),
    ).registrationRecord
  return { registrationRequest, finish }
}

export interface BegunLogin {
  readonly startLoginRequest: string
  /** Null if the password is wrong. */
  finish(loginResponse: string): { readonly finishLoginRequest: string; readonly exportKey: string } | null
}

export async function beginLogin(password: Secret): Promise<BegunLogin> {
  const client = await loadClient()
  const { clientLoginState, startLoginRequest } = client.startLogin({ password })
  const finish = (loginResponse: string) =>
    understood(() => client.finishLogin({ clientLoginState, loginResponse, password, keyStretching })) ?? null
  return { startLoginRequest, finish }
}

/** The library throws for bytes that are not a message of the protocol; for a wrong password it returns nothing. */
function understood<T>(finish: () => T): T {
  try {
    return finish()
  } catch {
    throw unverified(
      'answer',
      'malformed',
      'The answer does not have the documented form: it is not a message of OPAQUE',
    )
  }
}
