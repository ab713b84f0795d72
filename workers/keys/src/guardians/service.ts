import type { Caller } from '@svc/assertion'
import { bytesOf } from '@svc/protocol/base/base64url'
import type { Realms } from '@svc/protocol/base/realm'
import { err, ok, type Result } from '@svc/protocol/base/result'
import { verifyStatement } from '@svc/protocol/base/statement'
import {
  type GuardianStatus,
  guardianRequestId,
  type SignedGuardianAttestation,
  type SignedGuardianRequest,
} from '@svc/protocol/keys/guardians'
import {
  type AttestationRefusal,
  attestationRefusal,
  KEPT_BEYOND_MS,
  type RequestRefusal,
  requestRefusal,
  stateOf,
} from './rules.ts'
import type { GuardianStore } from './store.ts'

export type GuardianRefusal = {
  readonly reason:
    | RequestRefusal
    | AttestationRefusal
    | 'invalid_signature'
    | 'not_found'
    | 'guardian_limit'
    | 'guardian_attested'
}

/** Guardian requests and attestations. Every signature is by the caller's current root key. */
export class GuardianService {
  readonly #store: GuardianStore
  readonly #realms: Realms

  constructor(store: GuardianStore, realms: Realms) {
    this.#store = store
    this.#realms = realms
  }

  /** Idempotent: repeating a request returns the same answer. */
  async open(
    caller: Caller,
    request: SignedGuardianRequest,
    now: number,
  ): Promise<Result<GuardianStatus, GuardianRefusal>> {
    const requestId = guardianRequestId(request.statement)
    const fault = requestRefusal(request.statement, caller, now)
    if (fault) return err({ reason: fault })
    const isSigned = await verifyStatement(request, bytesOf(caller.publicKeyB64u), this.#realms)
    if (!isSigned) return err({ reason: 'invalid_signature' })
    const isOpen = await this.#store.open(
      { requestId, signed: request, rootEpoch: caller.epoch },
      now - KEPT_BEYOND_MS,
      now,
    )
    return isOpen ? this.#told(requestId, now) : err({ reason: 'guardian_limit' })
  }

  async attest(
    caller: Caller,
    attestation: SignedGuardianAttestation,
    now: number,
  ): Promise<Result<GuardianStatus, GuardianRefusal>> {
    const { requestId } = attestation.statement
    const found = await this.#store.find(requestId)
    if (!found) return err({ reason: 'not_found' })
    const fault = attestationRefusal(attestation, found.request.statement, caller.did, now)
    if (fault) return err({ reason: fault })
    if (!(await verifyStatement(attestation, bytesOf(caller.publicKeyB64u), this.#realms))) {
      return err({ reason: 'invalid_signature' })
    }
    const isTaken = await this.#store.attest(attestation, caller.publicKeyB64u, now)
    return isTaken ? this.#told(requestId, now) : err({ reason: 'guardian_attested' })
  }

  async status(requestId: string, now: number): Promise<GuardianStatus | null> {
    const found = await this.#store.find(requestId)
    if (!found) return null
    const { request, attestations } = found
    const attested = attestations.length
    const state = stateOf(request.statement, attested, now)
    return { requestId, state, threshold: request.statement.threshold, attested, request, attestations }
  }

  async #told(requestId: string, now: number): Promise<Result<GuardianStatus, GuardianRefusal>> {
    const status = await this.status(requestId, now)
    return status ? ok(status) : err({ reason: 'not_found' })
  }
}
