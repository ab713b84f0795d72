import { bytesOf, encodeBase64url } from '#protocol/base/base64url'
import { type Signed, signStatement, verifyStatement } from '#protocol/base/statement'
import {
  type GuardianStatus,
  guardianRequestId,
  guardianStatusSchema,
  type SignedGuardianRequest,
} from '#protocol/keys/guardians'
import type { KeyHistory } from '../chain/key-history.ts'
import { endOfRoot, type RootKeys } from '../chain/root-keys.ts'
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

interface ExpectedSigner {
  readonly did: string
  /** The key that must have signed; by default, any root key of the DID. */
  readonly publicKeyB64u?: string
  /** A time, claimed by the directory, by which the statement existed, epoch ms; null if unknown. */
  readonly followedAt: number | null
}

type SigningFault = 'invalid_signature' | 'unordered'

const WHY = {
  request: {
    invalid_signature: 'The owner did not sign the request',
    unordered: 'The root key of the request was replaced before any guardian attested',
  },
  attestations: {
    invalid_signature: 'An attestation is invalid',
    unordered: 'The root key of a guardian was replaced before the directory accepted its attestation',
  },
} as const

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
   * Returns the status of a request. Verifies every signature, the owner's and each guardian's, under root keys proved by
   * core. Throws if one is invalid, or if the count does not match the attestations. A statement of a root key that has
   * been replaced is valid if the directory had it before the key ended (`attestedAt`). Otherwise throws with the reason
   * `unordered`.
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
    // Only a guardian can create an attestation, and it names the hash of the request. So the request is older.
    const followedAt = attestations.length > 0 ? Math.min(...attestations.map(({ attestedAt }) => attestedAt)) : null
    const fault = await this.#faultOf(request, { did: asked.did, followedAt })
    if (fault)
      throw unverified('guardians', fault, WHY.request[fault], { where: { member: 'request' }, evidence: request })
    const guardians = new Set(attestations.map(({ attestation }) => attestation.statement.guardianDid))
    for (const { attestation, publicKeyB64u, attestedAt } of attestations) {
      const { statement } = attestation
      const isOfIt =
        statement.requestId === requestId &&
        statement.did === asked.did &&
        statement.subjectHash === asked.subjectHash &&
        asked.guardians.includes(statement.guardianDid)
      const expected = { did: statement.guardianDid, publicKeyB64u, followedAt: attestedAt }
      const wrong = isOfIt ? await this.#faultOf(attestation, expected) : 'invalid_signature'
      if (wrong) {
        throw unverified('guardians', wrong, WHY.attestations[wrong], {
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

  /** Checks that a root key of the DID signed it before the key ended. After that, a thief may have the key. */
  async #faultOf(signed: Signed<object>, expected: ExpectedSigner): Promise<SigningFault | null> {
    const keys = await this.#keys.of(expected.did)
    const key = await this.#signerOf(signed, keys, expected)
    if (!key) return 'invalid_signature'
    const end = endOfRoot(keys, key.epoch)
    const { followedAt } = expected
    const isInTime = end === null || (followedAt !== null && followedAt <= end)
    return isInTime ? null : 'unordered'
  }

  async #signerOf(signed: Signed<object>, keys: RootKeys, { publicKeyB64u }: ExpectedSigner) {
    for (const key of keys) {
      if (publicKeyB64u !== undefined && key.publicKeyB64u !== publicKeyB64u) continue
      if (await verifyStatement(signed, bytesOf(key.publicKeyB64u), this.#transport.realms)) return key
    }
    return null
  }

  get #root(): Identity {
    if (this.#owner instanceof Identity) return this.#owner
    throw new TypeError('Only root keys can ask guardians and attest')
  }
}
