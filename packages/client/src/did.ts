import { bytesOf } from '@svc/protocol/base64url'
import {
  type DidDocument,
  kemKeyMultibase,
  RESOLUTION_ERROR_BASE,
  type ResolutionResult,
  resolutionResultSchema,
  rootKeyMultibase,
  rootKeyOfMultibase,
} from '@svc/protocol/did'
import { didOf, userIdOfKey } from '@svc/protocol/identity'
import { type DidService, type Registration, registrationSchema } from '@svc/protocol/registration'
import { RESOLVER_KEY_FRAGMENT, verifyResolutionProof } from '@svc/protocol/resolution-proof'
import { verifyStatement } from '@svc/protocol/statement'
import * as z from 'zod'
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
  readonly #resolverKey: string | undefined

  /**
   * `keys` tells how a rotated-in root key descends from the one that a DID names; without, such documents are refused.
   * With `resolverKey` every result has to be signed by it.
   */
  constructor(
    transport: Transport,
    base: string,
    identity: Identity | undefined,
    keys?: KeyHistory,
    resolverKey?: string,
  ) {
    this.#transport = transport
    this.#base = base
    this.#identity = identity
    this.#keys = keys
    this.#resolverKey = resolverKey
  }

  /** The key that the resolver says its results are signed with, to be kept and given to later clients; or null. */
  async resolverKey(): Promise<string | null> {
    const call = { method: 'GET', url: `${this.#base}/.well-known/did.json` } as const
    const { id, verificationMethod = [] } = await this.#transport.json(call, resolverSchema)
    const method = verificationMethod.find((one) => one.id === id + RESOLVER_KEY_FRAGMENT)
    return method ? rootKeyOfMultibase(method.publicKeyMultibase) : null
  }

  /**
   * Registers this identity's DID for resolution, with its signed ML-KEM-768 key. Again updates the services. The
   * host demands an allowlisted Origin of programs too: give one in the client's options.
   */
  async register(options: { readonly services?: readonly DidService[] } = {}): Promise<Registration> {
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
   * and an Error when the document does not carry the keys that its DID and statements demand. With a version, the
   * document of that root epoch or time (RFC 3339), whose key has to be the one of that epoch in the DID's history.
   */
  async resolve(did: string, version?: Version): Promise<ResolutionResult> {
    const [name, value = ''] = Object.entries(version ?? {})[0] ?? []
    const query = name === undefined ? '' : `?${name}=${encodeURIComponent(value)}`
    const url = `${this.#base}/1.0/identifiers/${encodeURIComponent(did)}${query}`
    const response = await this.#transport.exchange({ method: 'GET', url, accept: 'application/did-resolution' })
    const body: unknown = await response.json().catch(() => null)
    const result = resolutionResultSchema.safeParse(body)
    if (!result.success) throw new ServiceError(response.status, body, response.headers)
    await this.#checkProof(result.data, did, name === undefined ? null : `${name}=${value}`)
    const { didDocument, didDocumentMetadata } = result.data
    const epoch = version && Number(didDocumentMetadata.versionId)
    if (didDocument) await checkDocument(did, didDocument, this.#keys, epoch)
    if (didDocument && version && 'versionId' in version && didDocumentMetadata.versionId !== version.versionId) {
      throw new Error('the document is of another version')
    }
    return result.data
  }

  /** What the resolver never answers for (a malformed DID, an authority out of reach) it does not sign. */
  async #checkProof(result: ResolutionResult, did: string, version: string | null): Promise<void> {
    if (this.#resolverKey === undefined || saysNothing(result)) return
    const expected = { did, version, resolverKeyB64u: this.#resolverKey }
    if (!(await verifyResolutionProof(result, expected))) throw new Error('the result is not signed by the resolver')
    const age = Math.abs(this.#transport.now() - Date.parse(result.didResolutionMetadata.retrieved))
    if (!(age <= MAX_RESULT_AGE_MS)) throw new Error('the result is an old one')
  }
}

/** A version is a root epoch, by its number or by a time in it. */
export type Version = { readonly versionId: string } | { readonly versionTime: string }

const UNPROVED: ReadonlySet<string> = new Set(
  (
    [
      'INVALID_DID',
      'INVALID_OPTIONS',
      'METHOD_NOT_SUPPORTED',
      'REPRESENTATION_NOT_SUPPORTED',
      'INTERNAL_ERROR',
    ] as const
  ).map((name) => RESOLUTION_ERROR_BASE + name),
)

/** Whether a result is about the question or the resolver, and not about the DID. The status of an answer proves nothing. */
function saysNothing({ didDocument, didDocumentMetadata, didResolutionMetadata }: ResolutionResult): boolean {
  const isEmpty = didDocument === null && Object.keys(didDocumentMetadata).length === 0
  return isEmpty && UNPROVED.has(didResolutionMetadata.error?.type ?? '')
}

/** A signed result that somebody has kept says what was so; this is the skew that the shared verifier allows, too. */
const MAX_RESULT_AGE_MS = 300_000

const resolverSchema = z.object({
  id: z.string(),
  verificationMethod: z.array(z.object({ id: z.string(), publicKeyMultibase: z.string() })).optional(),
})

/**
 * Refuses a document with a key that its DID does not vouch for. A caller may use any method of it, so each is
 * checked and none may stand beside the root key and what the root key states.
 *
 * A rotated-in root key does not derive to the DID, and a resolver's word for it is no proof: it must end the history
 * of rotations that core gives and that proves itself.
 */
async function checkDocument(
  did: string,
  document: DidDocument,
  history: KeyHistory | undefined,
  epoch?: number,
): Promise<void> {
  if (document.id !== did) throw new Error('the document is of another DID')
  const { verificationMethod: methods, authentication, assertionMethod, capabilityInvocation } = document
  const rootKey = methods.find((method) => method.publicKeyJwk)?.publicKeyJwk?.pub
  if (rootKey === undefined) throw new Error('the document has no root key')
  const scope = await scopeOf(did, rootKey, history, epoch)
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
async function scopeOf(
  did: string,
  rootKey: string,
  history: KeyHistory | undefined,
  epoch: number | undefined,
): Promise<string | null> {
  if (!history) {
    const userId = userIdOfKey(rootKey)
    return didOf(userId) === did ? userId : null
  }
  // Core keeps the keys and the resolver does not: a document with a key that was superseded is an old one.
  const keys = await history.of(did)
  const key = epoch === undefined ? keys.at(-1) : keys[epoch]
  return key?.publicKeyB64u === rootKey ? keys[0].userId : null
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
