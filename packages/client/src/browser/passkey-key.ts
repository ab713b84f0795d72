/**
 * Passkeys that encrypt keys on this device, by the PRF extension (WebAuthn level 3, section 10.1.4). No service takes part:
 * the challenge is random and nobody verifies the answer, because only the output of the extension is of use.
 *
 * @module
 */
import { bytesOf, encodeBase64url } from '#protocol/base/base64url'
import { checkCall } from '../arguments/check.ts'
import { KeyExportError } from '../backup/export-error.ts'
import type { PasskeyKey } from '../backup/key-lock.ts'

/** Another input than at sign-in, so that a passkey which is used for both gives another output. */
const INPUT = 'svc/identity-export-prf/v1'

export interface PasskeyOptions {
  /** What the browser shows: the application, and the name of the identity in it. */
  readonly application: string
  readonly userName: string
  /** Default: the host of the page. */
  readonly rpId?: string
}

/**
 * Creates a passkey to encrypt keys with. Needs a click of the person. Throws a `KeyExportError` if the browser or the
 * authenticator has no PRF extension (`unsupported`), or if the person does not confirm (`refused`).
 */
export async function createPasskeyKey(options: PasskeyOptions): Promise<PasskeyKey> {
  checkCall('createPasskeyKey', [options], [['options', { application: 1, userName: 1, rpId: 0 }]])
  const { application, userName, rpId } = options
  const credential = await asked(async () =>
    navigator.credentials.create({
      publicKey: {
        challenge: random(32),
        rp: { name: application, ...(rpId === undefined ? {} : { id: rpId }) },
        user: { id: random(32), name: userName, displayName: userName },
        pubKeyCredParams: [-8, -7, -257].map((alg) => ({ type: 'public-key', alg })),
        authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
        extensions: { prf: { eval: { first: await input() } } },
      },
    }),
  )
  const { prf } = credential.getClientExtensionResults()
  if (prf?.enabled !== true && prf?.results === undefined) throw unsupported()
  const credentialIdB64u = encodeBase64url(new Uint8Array(credential.rawId))
  // Many authenticators give the output only when the passkey is used.
  return prf.results ? keyOf(credentialIdB64u, prf.results.first) : passkeyKey(credentialIdB64u, rpId)
}

/** Uses the passkey with this id, as `createPasskeyKey` and `lockedBy` name it. Throws like `createPasskeyKey`. */
export async function passkeyKey(credentialIdB64u: string, rpId?: string): Promise<PasskeyKey> {
  checkCall('passkeyKey', [credentialIdB64u, rpId], ['credentialIdB64u', 'rpId?'])
  const id = new Uint8Array(bytesOf(credentialIdB64u))
  const credential = await asked(async () =>
    navigator.credentials.get({
      publicKey: {
        challenge: random(32),
        allowCredentials: [{ type: 'public-key', id }],
        userVerification: 'required',
        extensions: { prf: { eval: { first: await input() } } },
        ...(rpId === undefined ? {} : { rpId }),
      },
    }),
  )
  return keyOf(credentialIdB64u, credential.getClientExtensionResults().prf?.results?.first)
}

async function asked(ask: () => Promise<Credential | null>): Promise<PublicKeyCredential> {
  if (typeof PublicKeyCredential === 'undefined') throw unsupported()
  try {
    const credential = await ask()
    if (credential instanceof PublicKeyCredential) return credential
  } catch (cause) {
    throw new KeyExportError('refused', 'The passkey was not used: it is not here, or nobody confirmed', { cause })
  }
  throw new KeyExportError('refused', 'The passkey was not used')
}

function keyOf(credentialIdB64u: string, output: BufferSource | undefined): PasskeyKey {
  if (!(output instanceof ArrayBuffer)) throw unsupported()
  return { credentialIdB64u, prf: new Uint8Array(output) }
}

function unsupported(): KeyExportError {
  return new KeyExportError('unsupported', 'This browser or passkey has no PRF extension: use a passphrase')
}

function random(length: number): Uint8Array<ArrayBuffer> {
  return crypto.getRandomValues(new Uint8Array(length))
}

async function input(): Promise<ArrayBuffer> {
  return crypto.subtle.digest('SHA-256', new TextEncoder().encode(INPUT))
}
