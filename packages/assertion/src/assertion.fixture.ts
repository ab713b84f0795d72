/** A signer, a valid payload with its request, and the verifier's policy. Literal values except the key. */
import { mlDsa65 } from '@svc/pqc'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { userIdOf } from '@svc/protocol/base/identity'
import type { Result } from '@svc/protocol/base/result'
import { type AssertionSigner, signPayload } from './make.ts'
import {
  type AssertedRequest,
  type AssertionPolicy,
  type AssertionRefusal,
  GENERAL_NONCE,
  type VerifiedAssertion,
  verifyAssertion,
} from './verify.ts'

export async function signerOf(seedByte: number): Promise<AssertionSigner> {
  const seed = new Uint8Array(32).fill(seedByte)
  const publicKey = await mlDsa65.publicKeyOf(seed)
  return {
    userId: userIdOf(publicKey),
    publicKeyB64u: encodeBase64url(publicKey),
    sign: (message) => mlDsa65.sign(seed, message),
  }
}

export const alice = await signerOf(1)
export const mallory = await signerOf(2)

export const NOW = 1_790_000_000_000
/** Two minutes, as in core. */
export const SKEW = 120_000
export const HOUR = 3_600_000

export const policy: AssertionPolicy = {
  expectedAudiences: ['chain'],
  skewMs: SKEW,
  noncePattern: GENERAL_NONCE,
  expectedOrigins: ['https://core.example', 'https://alias.example:8443'],
  acceptsDevices: false,
  requiredCapability: 'root',
}

/** Without bindings, which have tests of their own. */
export const payload = {
  version: 1,
  purpose: 'auth/session',
  userId: alice.userId,
  chainId: alice.publicKeyB64u,
  publicChainKey: alice.publicKeyB64u,
  issuedAt: NOW,
  expiresAt: NOW + 60_000,
  nonce: 'nonce-0001',
  aud: 'chain',
}

/** The valid payload with changed members; `undefined` omits one. */
export const payloadWith = (members: object): Record<string, unknown> => ({ ...payload, ...members })

export type Verdict = Result<VerifiedAssertion, AssertionRefusal>

export interface Circumstances {
  readonly request?: Partial<AssertedRequest>
  readonly policy?: Partial<AssertionPolicy>
  readonly now?: number
}

/** A body that must not be read. */
const unread = () => Promise.reject(new Error('the body was read'))

export function verdictOn(authorization: string | undefined, circumstances: Circumstances = {}): Promise<Verdict> {
  return verifyAssertion(
    {
      method: 'GET',
      target: '/api/chain/head',
      origin: undefined,
      bodyHash: unread,
      ...circumstances.request,
      authorization,
    },
    { ...policy, ...circumstances.policy },
    circumstances.now ?? NOW,
  )
}

/** The verdict on a payload signed by Alice. */
export async function verdict(members: object, circumstances?: Circumstances): Promise<Verdict> {
  return verdictOn(await signPayload(alice, payloadWith(members)), circumstances)
}

export const refused = (error: AssertionRefusal) => ({ ok: false, error })
export const malformed = (detail: string) => refused({ reason: 'malformed', detail })

/** A credential over exactly these bytes. */
export async function credentialOver(bytes: Uint8Array, signer: AssertionSigner = alice): Promise<string> {
  return `ServiceAssertion ${encodeBase64url(bytes)}.${encodeBase64url(await signer.sign(bytes))}`
}

export const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
