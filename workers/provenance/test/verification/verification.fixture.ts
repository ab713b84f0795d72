import { mlDsa65 } from '@svc/pqc'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import type { CheckRequest } from '@svc/protocol/provenance/signature-check'
import { type Exchange, Prober } from '@svc/service/testing'
import { type KeyHolder, signerOf } from '@svc/testing'
import { service } from '../../src/app.ts'
import { BASE, send, sendWith } from '../harness.ts'

export const MESSAGE = new TextEncoder().encode('a message')

type Signer = KeyHolder & { readonly publicKeyB64u: string }

/** A key that belongs to nobody. */
export async function strangersKey(): Promise<Signer> {
  const seed = crypto.getRandomValues(new Uint8Array(32))
  const publicKeyB64u = encodeBase64url(await mlDsa65.publicKeyOf(seed))
  return { publicKeyB64u, sign: (message) => mlDsa65.sign(seed, message) }
}

/** A good request with a nonce of its own. */
export async function request(by: Signer, members: Partial<CheckRequest> = {}): Promise<CheckRequest> {
  return {
    publicKeyB64u: by.publicKeyB64u,
    messageB64u: encodeBase64url(MESSAGE),
    signatureB64u: encodeBase64url(await signerOf(by)(MESSAGE)),
    nonce: crypto.randomUUID(),
    algorithm: 'ml-dsa-65',
    ...members,
  }
}

/** The same text with its first character changed: still base64url of as many bytes. */
export const bent = (text: string) => (text.startsWith('A') ? 'B' : 'A') + text.slice(1)

export function check(path: string, body: unknown, replaced?: object): Promise<Exchange> {
  const prober = new Prober({ service, base: BASE, send: replaced ? sendWith(replaced) : send })
  return prober.send({ method: 'POST', path: `/api/verify${path}`, body: JSON.stringify(body) })
}
