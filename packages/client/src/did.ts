import { bytesOf } from '@svc/protocol/base64url'
import { type DidService, type ResolutionResult, registrationSchema, resolutionResultSchema } from '@svc/protocol/did'
import { didOf, userIdOf } from '@svc/protocol/identity'
import { verifyStatement } from '@svc/protocol/statement'
import type * as z from 'zod'
import type { Identity } from './identity.ts'
import { ServiceError } from './service-error.ts'
import type { Transport } from './transport.ts'

/** Registration and resolution of `did:svc` identifiers (document 2 section 4.3). */
export class Did {
  readonly #transport: Transport
  readonly #base: string
  readonly #identity: Identity | undefined

  constructor(transport: Transport, base: string, identity: Identity | undefined) {
    this.#transport = transport
    this.#base = base
    this.#identity = identity
  }

  /**
   * Registers this identity's DID for resolution, with its signed ML-KEM-768 key. Again updates the services. The
   * host demands an allowlisted Origin of programs too: give one in the client's options.
   */
  async register(
    options: { readonly services?: readonly DidService[] } = {},
  ): Promise<z.output<typeof registrationSchema>> {
    if (!this.#identity) throw new TypeError('register needs an identity')
    const keyAgreement = await this.#identity.keyAgreement(this.#transport.now())
    const body = { did: this.#identity.did, keyAgreement, ...(options.services ? { services: options.services } : {}) }
    const call = { method: 'POST', url: `${this.#base}/1.0/register`, audience: 'identity', body } as const
    return this.#transport.json(call, registrationSchema)
  }

  /**
   * Resolves any DID. A DID that does not resolve is an answer too: `didDocument` is null and
   * `didResolutionMetadata.error.type` says why. Throws `ServiceError` for anything that is not a resolution result,
   * and an Error when the document does not carry the keys that its DID and statements demand.
   */
  async resolve(did: string): Promise<ResolutionResult> {
    const url = `${this.#base}/1.0/identifiers/${encodeURIComponent(did)}`
    const response = await this.#transport.exchange({ method: 'GET', url, accept: 'application/did-resolution' })
    const body: unknown = await response.json()
    const result = resolutionResultSchema.safeParse(body)
    if (!result.success) throw new ServiceError(response.status, body, response.headers)
    await checkDocument(did, result.data)
    return result.data
  }
}

/** A genesis key must derive to its DID, and a key-agreement key must be stated by the root key beside it. */
async function checkDocument(did: string, { didDocument }: ResolutionResult): Promise<void> {
  if (!didDocument) return
  if (didDocument.id !== did) throw new Error('the document is of another DID')
  const jwk = didDocument.verificationMethod.find((method) => method.publicKeyJwk)?.publicKeyJwk
  if (!jwk) throw new Error('the document has no root key')
  const rootKey = bytesOf(jwk.pub)
  if (jwk.kid.endsWith('.0') && didOf(userIdOf(rootKey)) !== did) throw new Error('the root key is not of this DID')
  for (const { signedStatement } of didDocument.keyAgreement ?? []) {
    if (
      !signedStatement ||
      signedStatement.statement.did !== did ||
      !(await verifyStatement(signedStatement, rootKey))
    ) {
      throw new Error('the key-agreement key is not stated by the root key')
    }
  }
}
