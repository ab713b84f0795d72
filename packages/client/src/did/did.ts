import type { HybridKey, KeyAgreement } from '#protocol/base/key-agreement'
import { pure } from '#protocol/base/pure'
import { RESOLUTION_ERROR_BASE, type ResolutionResult, resolutionResultSchema } from '#protocol/did/did'
import { type DidService, type Registration, registrationSchema } from '#protocol/did/registration'
import { verifyResolutionProof } from '#protocol/did/resolution-proof'
import { answerSchema } from '#protocol/http/answer-schema'
import type { KeyHistory } from '../chain/key-history.ts'
import type { TrustedKeys } from '../discovery/trusted-keys.ts'
import type { Identity } from '../identity/identity.ts'
import { KnownLogs } from '../memory/known-logs.ts'
import { readAnyJson } from '../transport/guarded-body.ts'
import { refusalOf } from '../transport/service-error.ts'
import type { Transport } from '../transport/transport.ts'
import { safeTwin } from '../verification/safe.ts'
import { unverified } from '../verification/verification-error.ts'
import { checkDocument } from './document-check.ts'
import { keyAgreementOf } from './key-agreement-of.ts'
import { KnownAgreements } from './known-agreements.ts'
import type { LoggedAgreements } from './logged-agreements.ts'

/** What registration and resolution know besides the resolver. */
interface DidParts {
  readonly identity?: Identity | undefined
  /** Shows how a rotated-in root key descends from the key in a DID. Without it, such documents are rejected. */
  readonly keys?: KeyHistory | undefined
  /**
   * With them, one of them must have signed every result. Without them, a document is still verified by the identity's own
   * keys, and the rest of a result is the resolver's word.
   */
  readonly resolverKeys?: TrustedKeys | undefined
  /** The sheets of this identity, if known. */
  readonly sheets?: readonly HybridKey[] | undefined
  readonly memory?: KnownLogs | undefined
  /** Loads what compares key agreements with the log of the key directory; null without a directory. */
  readonly logged?: (() => Promise<LoggedAgreements | null>) | undefined
}

/** Registration and resolution of `did:svc` identifiers. */
export class Did {
  // As results: see `safely`.
  readonly safeResolve = safeTwin(this, 'resolve')
  readonly safeKeyAgreementOf = safeTwin(this, 'keyAgreementOf')

  readonly #transport: Transport
  readonly #base: string
  readonly #parts: DidParts
  readonly #memory: KnownLogs

  constructor(transport: Transport, base: string, parts: DidParts = {}) {
    this.#transport = transport
    this.#base = base
    this.#parts = parts
    this.#memory = parts.memory ?? new KnownLogs()
  }

  /**
   * Registers this identity's DID for resolution, with its signed ML-KEM-768 key. Call it again to update the services.
   * A client with `sheets` publishes their keys, so that every device encrypts notes to them. A client without `sheets`
   * keeps the keys that this root key has published. The service requires an allowlisted Origin even from programs: pass
   * one in the client's options.
   */
  async register(options: { readonly services?: readonly DidService[] } = {}): Promise<Registration> {
    const { identity, sheets: own } = this.#parts
    if (!identity) throw new TypeError('Only a client with an identity can register')
    const sheets = own ?? (await this.keyAgreementOf(identity.did))?.sheets ?? []
    const known = await KnownAgreements.of(this.#memory, identity.did)
    const keyAgreement = await identity.keyAgreement({ ...(await this.#transport.signing()), sheets })
    const body = { did: identity.did, keyAgreement, ...(options.services ? { services: options.services } : {}) }
    const call = { method: 'POST', url: `${this.#base}/1.0/register`, audience: 'identity', body } as const
    const registration = await this.#transport.json(call, registrationSchema)
    await known.accept(identity.epoch, keyAgreement)
    return registration
  }

  /**
   * The keys to encrypt to for an identity, and its sheets, as its current root key states them; null without a statement.
   * The log of the key directory proves that the statement is the newest, or it was signed within a day. Throws a
   * `RollbackError` if the log has a newer one, and a `VerificationError` if it does not have this one.
   */
  async keyAgreementOf(did: string): Promise<KeyAgreement | null> {
    const { keys: history, logged = none } = this.#parts
    return keyAgreementOf({ resolver: this, history, logged }, did)
  }

  /**
   * Resolves any DID. If it does not resolve, `didDocument` is null and `didResolutionMetadata.error.type` says why.
   * Throws `ServiceError` for anything that is not a resolution result, an Error if the document lacks the keys that its
   * DID and statements require, and a `HistoryError` if it shows an older key agreement than before, or none. With a version, returns the document of that root epoch or time (RFC 3339), whose
   * key must be the one of that epoch in the DID's history.
   */
  async resolve(did: string, version?: Version): Promise<ResolutionResult> {
    const [name, value = ''] = Object.entries(version ?? {})[0] ?? []
    const query = name === undefined ? '' : `?${name}=${encodeURIComponent(value)}`
    const url = `${this.#base}/1.0/identifiers/${encodeURIComponent(did)}${query}`
    const known = await KnownAgreements.of(this.#memory, did)
    const response = await this.#transport.exchange({ method: 'GET', url, accept: 'application/did-resolution' })
    const body: unknown = await readAnyJson(response)
    const result = answerSchema(resolutionResultSchema).safeParse(body)
    if (!result.success) throw await refusalOf(response, body)
    await this.#checkProof(result.data, did, name === undefined ? null : `${name}=${value}`)
    const { didDocument, didDocumentMetadata } = result.data
    if (!didDocument) {
      if (!version && isUnregistered(result.data)) known.refuseNone()
      return result.data
    }
    const { versionId = '' } = didDocumentMetadata
    if (version && !isAnswered(version, versionId)) {
      throw unverified('resolution', 'different_answer', 'The document is of another version', {
        where: { member: 'didDocumentMetadata.versionId' },
        evidence: result.data,
      })
    }
    const trust = { history: this.#parts.keys, realms: this.#transport.realms }
    const epoch = await checkDocument(did, didDocument, trust, version && Number(versionId))
    const stated = (didDocument.keyAgreement ?? []).flatMap(({ signedStatement }) => signedStatement ?? [])
    for (const signed of stated) await known.accept(epoch, signed)
    // Earlier versions have no key agreement.
    if (!version && stated.length === 0) known.refuseNone(epoch)
    return result.data
  }

  /** The resolver does not sign errors about the request or itself (a malformed DID, an unreachable authority). */
  async #checkProof(result: ResolutionResult, did: string, version: string | null): Promise<void> {
    const { resolverKeys } = this.#parts
    if (resolverKeys === undefined || saysNothing(result)) return
    const { realms } = this.#transport
    const { proof } = result.didResolutionMetadata
    const keys = proof ? await resolverKeys(proof.statement.issuedAt) : []
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

const none = () => Promise.resolve(null)

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

/** Whether the resolver says that the DID was never registered. A registration lasts. */
function isUnregistered({ didResolutionMetadata }: ResolutionResult): boolean {
  return didResolutionMetadata.error?.type === `${RESOLUTION_ERROR_BASE}NOT_FOUND`
}

/** Limits how old a signed result may be; the same as the clock skew of the shared verifier. */
const MAX_RESULT_AGE_MS = 300_000
