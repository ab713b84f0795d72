import { bytesOf, encodeBase64url } from '@svc/protocol/base64url'
import {
  type GuardianRequest,
  type GuardianStatus,
  guardianRequestId,
  guardianStatusSchema,
  type SignedGuardianRequest,
} from '@svc/protocol/guardians'
import { signStatement, verifyStatement } from '@svc/protocol/statement'
import type { Device } from './device.ts'
import { Identity } from './identity.ts'
import type { KeyHistory } from './key-history.ts'
import type { Transport } from './transport.ts'

export interface GuardianTerms {
  /** SHA3-384 of what the guardians were shown, 96 hex characters. */
  readonly subjectHash: string
  /** DIDs, 1 to 16, not this identity's own. */
  readonly guardians: readonly string[]
  /** How many of them must attest. */
  readonly threshold: number
  /** Epoch ms, at most 30 days ahead; seven days unless given. */
  readonly expiresAt?: number
}

const WEEK_MS = 7 * 24 * 3_600_000

/** Asking guardians, and being one (document 2 section 4.4). By root keys alone. */
export class Guardians {
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

  /** Signs a request, and sends nothing: keep it to send it again. Its id is `Guardians.idOf`. */
  makeRequest({ subjectHash, guardians, threshold, expiresAt }: GuardianTerms): Promise<SignedGuardianRequest> {
    const { did, scope } = this.#root
    const issuedAt = this.#transport.now()
    return signStatement(
      {
        type: 'svc/guardian-request/v1',
        did,
        scope,
        subjectHash,
        guardians: [...guardians],
        threshold,
        expiresAt: expiresAt ?? issuedAt + WEEK_MS,
        nonce: encodeBase64url(crypto.getRandomValues(new Uint8Array(16))),
        issuedAt,
      },
      (message) => this.#root.sign(message),
    )
  }

  static idOf(request: GuardianRequest): string {
    return guardianRequestId(request)
  }

  /** Opens a request. Again is the same answer. */
  open(request: SignedGuardianRequest): Promise<GuardianStatus> {
    return this.#attest({ request })
  }

  /** Attests a request as one of its guardians, once. `status` shows what it asks; the subject came to you elsewhere. */
  async attest(requestId: string, expectedSubjectHash: string): Promise<GuardianStatus> {
    const { request } = await this.status(requestId)
    const { did, subjectHash } = request.statement
    if (subjectHash !== expectedSubjectHash) throw new Error('the request is about another subject')
    const attestation = await signStatement(
      {
        type: 'svc/guardian-attestation/v1',
        requestId,
        did,
        subjectHash,
        guardianDid: this.#root.did,
        issuedAt: this.#transport.now(),
      },
      (message) => this.#root.sign(message),
    )
    return this.#attest({ attestation })
  }

  /**
   * How a request stands, with every signature checked: the owner's and each guardian's, under root keys that core
   * proves. Throws when one does not hold, or the count is not that of the attestations.
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
    if (guardianRequestId(asked) !== requestId || status.requestId !== requestId) throw new Error('another request')
    if (!(await this.#signed(asked.did, request))) throw new Error('the request is not signed by its owner')
    const guardians = new Set(attestations.map(({ attestation }) => attestation.statement.guardianDid))
    for (const { attestation, publicKeyB64u } of attestations) {
      const { statement } = attestation
      const isOfIt =
        statement.requestId === requestId &&
        statement.did === asked.did &&
        statement.subjectHash === asked.subjectHash &&
        asked.guardians.includes(statement.guardianDid)
      if (!isOfIt || !(await this.#signed(statement.guardianDid, attestation, publicKeyB64u))) {
        throw new Error('an attestation does not hold')
      }
    }
    const isCounted = guardians.size === attestations.length && attested === guardians.size
    const isMet = attested >= asked.threshold
    if (!isCounted || threshold !== asked.threshold || isMet !== (state === 'met')) throw new Error('a wrong count')
    return status
  }

  /** By a root key of that DID, current or superseded since. */
  async #signed(did: string, signed: Parameters<typeof verifyStatement>[0], publicKeyB64u?: string): Promise<boolean> {
    for (const key of await this.#keys.of(did)) {
      if (publicKeyB64u !== undefined && key.publicKeyB64u !== publicKeyB64u) continue
      if (await verifyStatement(signed, bytesOf(key.publicKeyB64u))) return true
    }
    return false
  }

  get #root(): Identity {
    if (this.#owner instanceof Identity) return this.#owner
    throw new TypeError('guardians are asked and attest by root keys')
  }
}
