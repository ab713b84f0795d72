import * as z from 'zod'
import { bytesOf } from '#protocol/base/base64url'
import { didOf, userIdOfKey } from '#protocol/base/identity'
import type { HybridKey } from '#protocol/base/key-agreement'
import { pure } from '#protocol/base/pure'
import type { Realms } from '#protocol/base/realm'
import { verifyStatement } from '#protocol/base/statement'
import {
  type DidDocument,
  kemKeyMultibase,
  RESOLUTION_ERROR_BASE,
  type ResolutionResult,
  resolutionResultSchema,
  rootKeyMultibase,
  rootKeyOfMultibase,
} from '#protocol/did/did'
import { type DidService, type Registration, registrationSchema } from '#protocol/did/registration'
import { RESOLVER_KEY_FRAGMENT, verifyResolutionProof } from '#protocol/did/resolution-proof'
import { answerSchema } from '#protocol/http/answer-schema'
import type { KeyHistory } from '../chain/key-history.ts'
import type { TrustedKeys } from '../discovery/trusted-keys.ts'
import type { Identity } from '../identity/identity.ts'
import { readAnyJson } from '../transport/guarded-body.ts'
import { serviceErrorOf } from '../transport/refusal.ts'
import type { Transport } from '../transport/transport.ts'
import { safeTwin } from '../verification/safe.ts'
import { unverified } from '../verification/verification-error.ts'
import { keyAgreementOf } from './key-agreement-of.ts'

/** Registration and resolution of `did:svc` identifiers. */
export class Did {
  // As results: see `safely`.
  readonly safeResolve = safeTwin(this, 'resolve')

  readonly #transport: Transport
  readonly #base: string
  readonly #identity: Identity | undefined
  readonly #keys: KeyHistory | undefined
  readonly #resolverKeys: TrustedKeys | undefined
  readonly #sheets: readonly HybridKey[] | undefined

  /**
   * `keys` shows how a rotated-in root key descends from the key in a DID; without it, such documents are rejected.
   * With `resolverKeys`, every result must be signed by one of them. `sheets` are the sheets of this identity, if known.
   */
  constructor(
    transport: Transport,
    base: string,
    identity: Identity | undefined,
    keys?: KeyHistory,
    resolverKeys?: TrustedKeys,
    sheets?: readonly HybridKey[],
  ) {
    this.#transport = transport
    this.#base = base
    this.#identity = identity
    this.#keys = keys
    this.#resolverKeys = resolverKeys
    this.#sheets = sheets
  }

  /** The key that the resolver signs its results with, or null. Store it and pass it to later clients. */
  async resolverKey(): Promise<string | null> {
    const call = { method: 'GET', url: `${this.#base}/.well-known/did.json` } as const
    const { id, verificationMethod = [] } = await this.#transport.json(call, resolverSchema)
    const method = verificationMethod.find((one) => one.id === id + RESOLVER_KEY_FRAGMENT)
    return method ? rootKeyOfMultibase(method.publicKeyMultibase) : null
  }

  /**
   * Registers this identity's DID for resolution, with its signed ML-KEM-768 key. Call it again to update the services.
   * A client with `sheets` publishes their keys, so that every device encrypts notes to them. A client without `sheets`
   * keeps the keys that this root key has published. The service requires an allowlisted Origin even from programs: pass
   * one in the client's options.
   */
  async register(options: { readonly services?: readonly DidService[] } = {}): Promise<Registration> {
    const identity = this.#identity
    if (!identity) throw new TypeError('Only a client with an identity can register')
    const sheets = this.#sheets ?? (await keyAgreementOf(this, identity.did))?.sheets ?? []
    const keyAgreement = await identity.keyAgreement({ ...(await this.#transport.signing()), sheets })
    const body = { did: identity.did, keyAgreement, ...(options.services ? { services: options.services } : {}) }
    const call = { method: 'POST', url: `${this.#base}/1.0/register`, audience: 'identity', body } as const
    return this.#transport.json(call, registrationSchema)
  }

  /**
   * Resolves any DID. If it does not resolve, `didDocument` is null and `didResolutionMetadata.error.type` says why.
   * Throws `ServiceError` for anything that is not a resolution result, and an Error if the document lacks the keys that
   * its DID and statements require. With a version, returns the document of that root epoch or time (RFC 3339), whose
   * key must be the one of that epoch in the DID's history.
   */
  async resolve(did: string, version?: Version): Promise<ResolutionResult> {
    const [name, value = ''] = Object.entries(version ?? {})[0] ?? []
    const query = name === undefined ? '' : `?${name}=${encodeURIComponent(value)}`
    const url = `${this.#base}/1.0/identifiers/${encodeURIComponent(did)}${query}`
    const response = await this.#transport.exchange({ method: 'GET', url, accept: 'application/did-resolution' })
    const body: unknown = await readAnyJson(response)
    const result = answerSchema(resolutionResultSchema).safeParse(body)
    if (!result.success) throw serviceErrorOf(response.status, body, response.headers)
    await this.#checkProof(result.data, did, name === undefined ? null : `${name}=${value}`)
    const { didDocument, didDocumentMetadata } = result.data
    if (!didDocument) return result.data
    const { versionId = '' } = didDocumentMetadata
    if (version && !isAnswered(version, versionId)) {
      throw unverified('resolution', 'different_answer', 'The document is of another version', {
        where: { member: 'didDocumentMetadata.versionId' },
        evidence: result.data,
      })
    }
    const trust = { history: this.#keys, realms: this.#transport.realms }
    await checkDocument(did, didDocument, trust, version && Number(versionId))
    return result.data
  }

  /** The resolver does not sign errors about the request or itself (a malformed DID, an unreachable authority). */
  async #checkProof(result: ResolutionResult, did: string, version: string | null): Promise<void> {
    if (this.#resolverKeys === undefined || saysNothing(result)) return
    const { realms } = this.#transport
    const { proof } = result.didResolutionMetadata
    const keys = proof ? this.#resolverKeys(proof.statement.issuedAt) : []
    const verdicts = await Promise.all(
      keys.map((resolverKeyB64u) => verifyResolutionProof(result, { did, version, resolverKeyB64u, realms })),
    )
    if (!verdicts.includes(true))
      throw unverified('resolution', 'invalid_signature', 'The result is not signed by the resolver', {
        where: { member: 'didResolutionMetadata.proof' },
        evidence: result,
      })
    const age = Math.abs(this.#transport.now() - Date.parse(result.didResolutionMetadata.retrieved))
    if (!(age <= MAX_RESULT_AGE_MS))
      throw unverified('resolution', 'expired', 'The result is too old', {
        where: { member: 'didResolutionMetadata.retrieved' },
        evidence: result,
      })
  }
}

/** A version is a root epoch, identified by its number or a time in it. */
export type Version = { readonly versionId: string } | { readonly versionTime: string }

/** Whether a result names the version that was asked for; at a time, any. */
const isAnswered = (version: Version, versionId: string) =>
  'versionId' in version ? version.versionId === versionId : /^\d+$/.test(versionId)

const UNPROVED: ReadonlySet<string> = /* @__PURE__ */ pure(
  () =>
    new Set(
      (
        [
          'INVALID_DID',
          'INVALID_OPTIONS',
          'METHOD_NOT_SUPPORTED',
          'REPRESENTATION_NOT_SUPPORTED',
          'INTERNAL_ERROR',
        ] as const
      ).map((name) => RESOLUTION_ERROR_BASE + name),
    ),
)

/** Whether a result is about the request or the resolver, not the DID. The status of an answer proves nothing. */
function saysNothing({ didDocument, didDocumentMetadata, didResolutionMetadata }: ResolutionResult): boolean {
  const isEmpty = didDocument === null && Object.keys(didDocumentMetadata).length === 0
  return isEmpty && UNPROVED.has(didResolutionMetadata.error?.type ?? '')
}

/** Limits how old a signed result may be; the same as the clock skew of the shared verifier. */
const MAX_RESULT_AGE_MS = 300_000

const resolverSchema = /* @__PURE__ */ pure(() =>
  z.object({
    id: z.string(),
    verificationMethod: z.array(z.object({ id: z.string(), publicKeyMultibase: z.string() })).optional(),
  }),
)

/**
 * Rejects a document with a key that its DID does not vouch for. A caller may use any method in it, so each one is
 * checked, and only the root key and what it states may be present.
 *
 * A rotated-in root key does not derive to the DID, and the resolver's claim is not proof: the key must be the last one
 * in the verified history from core.
 */
async function checkDocument(
  did: string,
  document: DidDocument,
  { history, realms }: { readonly history: KeyHistory | undefined; readonly realms: Realms },
  epoch?: number,
): Promise<void> {
  if (document.id !== did)
    throw unverified('resolution', 'wrong_identity', 'The document belongs to another DID', {
      where: { member: 'didDocument.id' },
      evidence: document,
    })
  const { verificationMethod: methods, authentication, assertionMethod, capabilityInvocation } = document
  const rootKey = methods.find((method) => method.publicKeyJwk)?.publicKeyJwk?.pub
  if (rootKey === undefined)
    throw unverified('resolution', 'no_key', 'The document has no root key', {
      where: { member: 'didDocument.verificationMethod' },
      evidence: document,
    })
  const scope = await scopeOf(did, rootKey, history, epoch)
  if (scope === null)
    throw unverified('resolution', 'wrong_key', 'The root key does not match the DID', {
      where: { member: 'didDocument.verificationMethod' },
      evidence: document,
    })
  const multibase = rootKeyMultibase(rootKey)
  for (const { controller, publicKeyJwk, publicKeyMultibase } of methods) {
    const isRoot = (publicKeyJwk?.pub ?? rootKey) === rootKey && (publicKeyMultibase ?? multibase) === multibase
    const isEmpty = publicKeyJwk === undefined && publicKeyMultibase === undefined
    if (controller !== did || isEmpty || !isRoot)
      throw unverified('resolution', 'wrong_key', 'A verification method is not the root key', {
        where: { member: 'didDocument.verificationMethod' },
        evidence: document,
      })
  }
  const ids = new Set(methods.map(({ id }) => id))
  if (![...authentication, ...assertionMethod, ...capabilityInvocation].every((id) => ids.has(id))) {
    throw unverified('resolution', 'mismatch', 'The document refers to a key that it does not contain', {
      where: { member: 'didDocument' },
      evidence: document,
    })
  }
  for (const method of document.keyAgreement ?? []) {
    if (!(await isStated(did, scope, method, { rootKey, realms })))
      throw unverified('resolution', 'invalid_signature', 'The root key does not state the key-agreement key', {
        where: { member: 'didDocument.keyAgreement' },
        evidence: document,
      })
  }
}

/** The scope of a root key, or null if it is not the DID's root key. */
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
  // Core stores the keys, the resolver does not: a document with a superseded key is outdated.
  const keys = await history.of(did)
  const key = epoch === undefined ? keys.at(-1) : keys[epoch]
  return key?.publicKeyB64u === rootKey ? keys[0].userId : null
}

type Method = DidDocument['verificationMethod'][number]

/** Whether the root key states exactly this KEM key for this DID. */
async function isStated(
  did: string,
  scope: string,
  method: Method,
  { rootKey, realms }: { readonly rootKey: string; readonly realms: Realms },
): Promise<boolean> {
  const { controller, publicKeyJwk, publicKeyMultibase, signedStatement } = method
  if (!signedStatement || publicKeyJwk || controller !== did) return false
  const { statement } = signedStatement
  return (
    statement.did === did &&
    statement.scope === scope &&
    publicKeyMultibase === kemKeyMultibase(statement.publicKeyB64u) &&
    (await verifyStatement(signedStatement, bytesOf(rootKey), realms))
  )
}
