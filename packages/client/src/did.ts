import { bytesOf } from '@svc/protocol/base64url'
import {
  type DidDocument,
  type DidService,
  kemKeyMultibase,
  type ResolutionResult,
  registrationSchema,
  resolutionResultSchema,
  rootKeyMultibase,
} from '@svc/protocol/did'
import { didOf, userIdOfKey } from '@svc/protocol/identity'
import { verifyStatement } from '@svc/protocol/statement'
import type * as z from 'zod'
import type { Identity } from './identity.ts'
import type { KeyHistory } from './key-history.ts'
import { ServiceError } from './service-error.ts'
import type { Transport } from './transport.ts'

/** Registration and resolution of `did:svc` identifiers (document 2 section 4.3). */
export class Did {
  readonly #transport: Transport
  readonly #base: string
  readonly #identity: Identity | undefined
  readonly #keys: KeyHistory | undefined

  /** `keys` tells how a rotated-in root key descends from the one that a DID names; without, such documents are refused. */
  constructor(transport: Transport, base: string, identity: Identity | undefined, keys?: KeyHistory) {
    this.#transport = transport
    this.#base = base
    this.#identity = identity
    this.#keys = keys
  }

  /**
   * Registers this identity's DID for resolution, with its signed ML-KEM-768 key. Again updates the services. The
   * host demands an allowlisted Origin of programs too: give one in the client's options.
   */
  async register(
    options: { readonly services?: readonly DidService[] } = {},
  ): Promise<z.output<typeof registrationSchema>> {
    const identity = this.#identity
    if (!identity) throw new TypeError('register needs an identity')
    const keyAgreement = await identity.keyAgreement(this.#transport.now())
    const body = { did: identity.did, keyAgreement, ...(options.services ? { services: options.services } : {}) }
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
    const body: unknown = await response.json().catch(() => null)
    const result = resolutionResultSchema.safeParse(body)
    if (!result.success) throw new ServiceError(response.status, body, response.headers)
    if (result.data.didDocument) await checkDocument(did, result.data.didDocument, this.#keys)
    return result.data
  }
}

/**
 * Refuses a document with a key that its DID does not vouch for. A caller may use any method of it, so each is
 * checked and none may stand beside the root key and what the root key states.
 *
 * A rotated-in root key does not derive to the DID, and a resolver's word for it is no proof: it must end the history
 * of rotations that core gives and that proves itself.
 */
async function checkDocument(did: string, document: DidDocument, history: KeyHistory | undefined): Promise<void> {
  if (document.id !== did) throw new Error('the document is of another DID')
  const { verificationMethod: methods, authentication, assertionMethod, capabilityInvocation } = document
  const rootKey = methods.find((method) => method.publicKeyJwk)?.publicKeyJwk?.pub
  if (rootKey === undefined) throw new Error('the document has no root key')
  const scope = await scopeOf(did, rootKey, history)
  if (scope === null) throw new Error('the root key is not of this DID')
  const multibase = rootKeyMultibase(rootKey)
  for (const { controller, publicKeyJwk, publicKeyMultibase } of methods) {
    const isRoot = (publicKeyJwk?.pub ?? rootKey) === rootKey && (publicKeyMultibase ?? multibase) === multibase
    const isEmpty = publicKeyJwk === undefined && publicKeyMultibase === undefined
    if (controller !== did || isEmpty || !isRoot) throw new Error('a verification method is not the root key')
  }
  const ids = new Set(methods.map(({ id }) => id))
  if (![...authentication, ...assertionMethod, ...capabilityInvocation].every((id) => ids.has(id))) {
    throw new Error('the document refers to a key that it does not carry')
  }
  for (const method of document.keyAgreement ?? []) {
    if (!(await isStated(did, scope, method, rootKey)))
      throw new Error('the key-agreement key is not stated by the root key')
  }
}

/** The scope that a root key speaks for, or null when it is not the DID's root key. */
async function scopeOf(did: string, rootKey: string, history: KeyHistory | undefined): Promise<string | null> {
  if (!history) {
    const userId = userIdOfKey(rootKey)
    return didOf(userId) === did ? userId : null
  }
  // Core keeps the keys and the resolver does not: a document with a key that was superseded is an old one.
  const keys = await history.of(did)
  return keys.at(-1)?.publicKeyB64u === rootKey ? keys[0].userId : null
}

type Method = DidDocument['verificationMethod'][number]

/** Whether the root key states this very KEM key for this DID. */
async function isStated(did: string, scope: string, method: Method, rootKey: string): Promise<boolean> {
  const { controller, publicKeyJwk, publicKeyMultibase, signedStatement } = method
  if (!signedStatement || publicKeyJwk || controller !== did) return false
  const { statement } = signedStatement
  return (
    statement.did === did &&
    statement.scope === scope &&
    publicKeyMultibase === kemKeyMultibase(statement.publicKeyB64u) &&
    (await verifyStatement(signedStatement, bytesOf(rootKey)))
  )
}
