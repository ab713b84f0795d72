/**
 * What authenticators answer, verified by the library. Browsers, password managers and security keys differ in everything
 * that does not matter here, so only what is read is held to a form (`packages/protocol/src/auth/passkeys.ts`).
 *
 * @module
 */
import { verifyAuthenticationResponse, verifyRegistrationResponse } from '@simplewebauthn/server'
import { isoCBOR } from '@simplewebauthn/server/helpers'
import {
  PASSKEY_ALGORITHMS,
  type PasskeyAuthenticationResponse,
  type PasskeyRegistrationResponse,
} from '@svc/protocol/auth/passkeys'
import { bytesOf, encodeBase64url } from '@svc/protocol/base/base64url'
import { err, ok, type Result } from '@svc/protocol/base/result'
import { faultCodeOf, knownTransports, type PasskeyFault, wasFramed } from './rules.ts'

export interface RelyingParty {
  readonly id: string
  readonly name: string
  readonly origins: readonly string[]
}

/** What an answer says about its passkey. */
export interface Reported {
  readonly counter: number
  readonly isBackedUp: boolean
  readonly isBackupEligible: boolean
}

export interface Registration extends Reported {
  readonly credentialId: string
  readonly publicKey: Uint8Array
  readonly transports: readonly string[]
}

export async function verifyRegistration(
  { id, type, response }: PasskeyRegistrationResponse,
  challenge: string,
  party: RelyingParty,
): Promise<Result<Registration, PasskeyFault>> {
  return verdictOf(async () => {
    const { clientDataJSON } = response
    const attestationObject = withoutStatement(response.attestationObject)
    const verdict = await verifyRegistrationResponse({
      response: { ...jsonOf(id, type), response: { clientDataJSON, attestationObject } },
      expectedChallenge: challenge,
      expectedOrigin: [...party.origins],
      expectedRPID: party.id,
      requireUserVerification: true,
      supportedAlgorithmIDs: [...PASSKEY_ALGORITHMS],
    })
    if (!verdict.verified) return err('signature')
    if (wasFramed(bytesOf(clientDataJSON))) return err('framed')
    const { credential, credentialBackedUp, credentialDeviceType } = verdict.registrationInfo
    return ok({
      credentialId: credential.id,
      publicKey: credential.publicKey,
      counter: credential.counter,
      transports: knownTransports(response.transports),
      isBackedUp: credentialBackedUp,
      isBackupEligible: credentialDeviceType === 'multiDevice',
    })
  })
}

export async function verifySignature(
  { id, type, response }: PasskeyAuthenticationResponse,
  challenge: string,
  publicKey: Uint8Array,
  party: RelyingParty,
): Promise<Result<Reported, PasskeyFault>> {
  return verdictOf(async () => {
    const { clientDataJSON, authenticatorData, signature } = response
    const verdict = await verifyAuthenticationResponse({
      response: { ...jsonOf(id, type), response: { clientDataJSON, authenticatorData, signature } },
      expectedChallenge: challenge,
      expectedOrigin: [...party.origins],
      expectedRPID: party.id,
      requireUserVerification: true,
      // Zero, so that the library checks no counter before the signature: otherwise anyone could report a key.
      credential: { id, publicKey: new Uint8Array(publicKey), counter: 0 },
    })
    if (!verdict.verified) return err('signature')
    if (wasFramed(bytesOf(clientDataJSON))) return err('framed')
    const { newCounter: counter, credentialBackedUp: isBackedUp, credentialDeviceType } = verdict.authenticationInfo
    return ok({ counter, isBackedUp, isBackupEligible: credentialDeviceType === 'multiDevice' })
  })
}

/** The members that the library reads besides the response; the id is all that counts. */
const jsonOf = (id: string, type: 'public-key') => ({ id, rawId: id, type, clientExtensionResults: {} })

/**
 * The attestation object without its statement. None is requested, but some authenticators send one all the same, in
 * formats that come and go. It would vouch for the make of the authenticator, which nobody asks about here.
 */
function withoutStatement(attestationObject: string): string {
  const sent = isoCBOR.decodeFirst<unknown>(new Uint8Array(bytesOf(attestationObject)))
  const authData: unknown = sent instanceof Map ? sent.get('authData') : undefined
  if (!(authData instanceof Uint8Array)) throw new TypeError('no authenticator data')
  const bare = new Map<string, string | Uint8Array | Map<never, never>>([
    ['fmt', 'none'],
    ['attStmt', new Map<never, never>()],
    ['authData', authData],
  ])
  return encodeBase64url(isoCBOR.encode(bare))
}

/** The messages of the library contain input, so a code stands for each. */
async function verdictOf<T>(verify: () => Promise<Result<T, PasskeyFault>>): Promise<Result<T, PasskeyFault>> {
  try {
    return await verify()
  } catch (error) {
    return err(faultCodeOf(error))
  }
}
