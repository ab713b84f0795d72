import { Identity } from '@svc/client'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { signStatement } from '@svc/protocol/base/statement'
import type { SignedConsentSettle } from '@svc/protocol/consent/settlement'
import type { Exchange } from '@svc/service/testing'
import { REALM, signerOf } from '@svc/testing'
import { put } from '../harness.ts'

const identityOf = (byte: number) =>
  Identity.fromSeeds({ signing: new Uint8Array(32).fill(byte), kem: new Uint8Array(32) })
const operator = await identityOf(7)
export const OPERATOR_KEY = operator.publicKeyB64u
export const signAsOperator = signerOf(operator)
/** Not the operator. */
export const STRANGER = await identityOf(8)

export function settlement(
  contentHash: string,
  creatorDid: string,
  members: Record<string, unknown> = {},
  by = operator,
): Promise<SignedConsentSettle> {
  const statement = {
    type: 'svc/operator-consent-settle/v1' as const,
    realm: REALM,
    service: 'consent' as const,
    contentHash,
    creatorDid,
    reason: 'authorship' as const,
    nonce: encodeBase64url(crypto.getRandomValues(new Uint8Array(16))),
    issuedAt: Date.now(),
    ...members,
  }
  return signStatement(statement, signerOf(by))
}

/** An import of records without an owner. */
export function importOf(records: readonly object[]) {
  const statement = {
    type: 'svc/operator-import-consent/v1' as const,
    realm: REALM,
    service: 'consent' as const,
    records,
    nonce: encodeBase64url(crypto.getRandomValues(new Uint8Array(16))),
    issuedAt: Date.now(),
  }
  return signStatement(statement, signAsOperator)
}

/** A page of disputes, as the operator reads it. */
export async function readDisputes(after: string | null, by = operator): Promise<Exchange> {
  const statement = {
    type: 'svc/operator-disputes/v1' as const,
    realm: REALM,
    service: 'consent' as const,
    after,
    nonce: encodeBase64url(crypto.getRandomValues(new Uint8Array(16))),
    issuedAt: Date.now(),
  }
  return act(await signStatement(statement, signerOf(by)), undefined, '/api/operator/disputes')
}

/** Each act comes from an address of its own: acts are limited by address, and a file of tests sends many. */
export function act(signed: object, replaced?: object, path = '/api/operator/acts'): Promise<Exchange> {
  const [a, b] = crypto.getRandomValues(new Uint8Array(2))
  const headers = { 'cf-connecting-ip': `10.1.${a}.${b}` }
  return put({ method: 'POST', path, headers, body: JSON.stringify(signed) }, replaced)
}
