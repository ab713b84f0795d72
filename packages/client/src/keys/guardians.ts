import { bytesOf, encodeBase64url } from '#protocol/base/base64url'
import { signStatement, verifyStatement } from '#protocol/base/statement'
import {
  type GuardianStatus,
  guardianRequestId,
  guardianStatusSchema,
  type SignedGuardianRequest,
} from '#protocol/keys/guardians'
import type { KeyHistory } from '../chain/key-history.ts'
import type { Device } from '../identity/device.ts'
import { Identity } from '../identity/identity.ts'
import { placed } from '../identity/signing.ts'
import { signerOf } from '../identity/signing-key.ts'
import type { Transport } from '../transport/transport.ts'
import { safeTwin } from '../verification/safe.ts'
import { unverified } from '../verification/verification-error.ts'

export interface GuardianTerms {
  /** SHA3-384 of what the guardians were shown, 96 hex characters. */
  readonly subjectHash: string
  /** DIDs, 1 to 16, not this identity's own. */
  readonly guardians: readonly string[]
  /** How many of them must attest. */
  readonly threshold: number
  /** Epoch ms, at most 30 days ahead; defaults to seven days. */
  readonly expiresAt?: number
}

const WEEK_MS = 7 * 24 * 3_600_000

/** Requests attestations from guardians, and attests as one. Root keys only. Bookkeeping: nothing acts on the result. */
export class Guardians {
  // As results: see `safely`.
  readonly safeStatus = safeTwin(this, 'status')

  readonly #transport: Transport
  readonly #base: string
  readonly #owner: Identity | Device
  readonly #keys: KeyHistory

  constructor(parts: {
    readonly transport: Transport
    readonly keys: string
    readonly owner: Identity | Device
    readonly history: KeyHistory
  }) {
    this.#transport = parts.transport
    this.#base = `${parts.keys}/api/guardian`
    this.#owner = parts.owner
    this.#keys = parts.history
  }

  /** Signs a request without sending it: keep it to resend it. `guardianRequestId(statement)` returns its id. */
  async makeRequest({ subjectHash, guardians, threshold, expiresAt }: GuardianTerms): Promise<SignedGuardianRequest> {
    const { did, scope } = this.#root
    const place = placed(await this.#transport.signing())
    return signStatement(
      {
        type: 'svc/guardian-request/v1',
        ...place,
        did,
        scope,
        subjectHash,
        guardians: [...guardians],
        threshold,
        expiresAt: expiresAt ?? place.issuedAt + WEEK_MS,
        nonce: encodeBase64url(crypto.getRandomValues(new Uint8Array(16))),
      },
      signerOf(this.#root),
    )
  }

  /** Opens a request. Idempotent per request. */
  open(request: SignedGuardianRequest): Promise<GuardianStatus> {
    return this.#attest({ request })
  }

  /** Attests a request as one of its guardians, once. `status` shows what it asks; you get the subject another way. */
  async attest(requestId: string, expectedSubjectHash: string): Promise<GuardianStatus> {
    const { request } = await this.status(requestId)
    const { did, subjectHash } = request.statement
    if (subjectHash !== expectedSubjectHash)
      throw unverified('guardians', 'different_answer', 'The request is about a different subject')
    const attestation = await signStatement(
      {
        type: 'svc/guardian-attestation/v1',
        ...placed(await this.#transport.signing()),
        requestId,
        did,
        subjectHash,
        guardianDid: this.#root.did,
      },
      signerOf(this.#root),
    )
    return this.#attest({ attestation })
  }

  /**
   * The status of a request with every signature verified: the owner's and each guardian's, under root keys proved by
   * core. Throws if one is invalid, or the count does not match the attestations.
   */
  async status(requestId: string): Promise<GuardianStatus> {
    const status = await this.#transport.data(
      { method: 'GET', url: `${this.#base}/status/${requestId}` },
      guardianStatusSchema,
    )
    return this.#check(requestId, status)
  }

  async #attest(body: unknown): Promise<GuardianStatus> {
    const call = { method: 'POST', url: `${this.#base}/attest`, audience: 'keys', body } as const
    const status = await this.#transport.data(call, guardianStatusSchema)
    return this.#check(status.requestId, status)
  }

  async #check(requestId: string, status: GuardianStatus): Promise<GuardianStatus> {
    const { request, attestations, threshold, attested, state } = status
    const asked = request.statement
    if (guardianRequestId(asked) !== requestId || status.requestId !== requestId)
      throw unverified('guardians', 'different_answer', 'The directory answered for a different request', {
        evidence: status,
      })
    if (!(await this.#signed(asked.did, request)))
      throw unverified('guardians', 'invalid_signature', 'The owner did not sign the request', {
        where: { member: 'request' },
        evidence: request,
      })
    const guardians = new Set(attestations.map(({ attestation }) => attestation.statement.guardianDid))
    for (const { attestation, publicKeyB64u } of attestations) {
      const { statement } = attestation
      const isOfIt =
        statement.requestId === requestId &&
        statement.did === asked.did &&
        statement.subjectHash === asked.subjectHash &&
        asked.guardians.includes(statement.guardianDid)
      if (!isOfIt || !(await this.#signed(statement.guardianDid, attestation, publicKeyB64u))) {
        throw unverified('guardians', 'invalid_signature', 'An attestation is invalid', {
          where: { member: 'attestations' },
          evidence: attestation,
        })
      }
    }
    const isCounted = guardians.size === attestations.length && attested === guardians.size
    const isMet = attested >= asked.threshold
    if (!isCounted || threshold !== asked.threshold || isMet !== (state === 'met'))
      throw unverified('guardians', 'mismatch', 'The count does not match the attestations', { evidence: status })
    return status
  }

  /** By a root key of that DID, current or superseded. */
  async #signed(did: string, signed: Parameters<typeof verifyStatement>[0], publicKeyB64u?: string): Promise<boolean> {
    for (const key of await this.#keys.of(did)) {
      if (publicKeyB64u !== undefined && key.publicKeyB64u !== publicKeyB64u) continue
      if (await verifyStatement(signed, bytesOf(key.publicKeyB64u), this.#transport.realms)) return true
    }
    return false
  }

  get #root(): Identity {
    if (this.#owner instanceof Identity) return this.#owner
    throw new TypeError('Only root keys can ask guardians and attest')
  }
}
