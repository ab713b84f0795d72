import { env } from 'cloudflare:workers'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import type { ConsentQuestion } from '@svc/protocol/consent/authority'
import { type ConsentMessage, consentSignedBytes } from '@svc/protocol/consent/consent'
import { INTERNAL_HEADER } from '@svc/service'
import { internalService } from '../../src/app.ts'

export const INTERNAL_SECRET = 'internal-secret-of-the-tests-only'
export const AUTHORITY = '/api/internal/consent/authority'

interface Signer {
  readonly key: string
  readonly sign: (message: Uint8Array) => Promise<Uint8Array>
}

export const declaring = (creator_did: string, content_hash = 'an identifier of content'): ConsentMessage => ({
  content_hash,
  preferences: { ai_training: 'disallow' },
  creator_did,
})

/** A question with a good signature. */
export async function questionOf({ key, sign }: Signer, message: ConsentMessage): Promise<ConsentQuestion> {
  const signatureB64u = encodeBase64url(await sign(consentSignedBytes(message)))
  return { message, publicKeyB64u: key, signatureB64u }
}

export interface AskOptions {
  readonly sibling?: unknown
  readonly secret?: string | null
  readonly bindings?: object
}

/** Asks as a sibling: what the binding's props say. */
export async function ask(body: unknown, options: AskOptions = {}): Promise<{ status: number; body: unknown }> {
  const { sibling = 'consent', secret = INTERNAL_SECRET, bindings = {} } = options
  const headers = { 'content-type': 'application/json', ...(secret === null ? {} : { [INTERNAL_HEADER]: secret }) }
  const request = new Request(`https://internal${AUTHORITY}`, { method: 'POST', headers, body: JSON.stringify(body) })
  const context = { props: { caller: sibling }, waitUntil: () => {}, passThroughOnException: () => {} }
  const response = await internalService.app.fetch(request, { ...env, ...bindings }, context)
  return { status: response.status, body: await response.json() }
}
