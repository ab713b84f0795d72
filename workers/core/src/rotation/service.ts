import type { SpendRefusal, VerifiedAssertion } from '@svc/assertion'
import { bytesOf } from '@svc/protocol/base/base64url'
import { userIdOfKey } from '@svc/protocol/base/identity'
import type { Realms } from '@svc/protocol/base/realm'
import { err, ok, type Result } from '@svc/protocol/base/result'
import { verifyStatement } from '@svc/protocol/base/statement'
import { DEACTIVATION_TOLERANCE_MS, type Deactivated, type SignedDeactivation } from '@svc/protocol/chain/deactivation'
import type { Kept } from '@svc/protocol/chain/prospects'
import type { RehearsalAnswer, SignedRotationRehearsal } from '@svc/protocol/chain/rehearsal'
import {
  type ActivateRotation,
  type CurrentRotation,
  type KeyHistory,
  type RotationRecord,
  rotationIdOf,
  type SignedCosign,
  type SignedRotationRequest,
  type SignedVeto,
} from '@svc/protocol/chain/rotation'
import { isEndedBySuccessor, isRotationRequest } from '@svc/protocol/chain/rotation-verification'
import { verifyRotation } from '@svc/protocol/chain/succession'
import type { Alias } from '../identity/rules.ts'
import type { Background, IdentityService } from '../identity/service.ts'
import type { DeviceService } from '../inception/device-service.ts'
import type { DeactivationRefusal } from './deactivation.ts'
import { prospectsOf } from './prospects.ts'
import type { CarriedRequest, RequestRefusal, RotationGate } from './request-rules.ts'
import type { Approval } from './rows.ts'
import type { ActivationRefusal, CosignRefusal, VetoRefusal } from './rules.ts'
import type { SigningRefusal } from './signing.ts'
import { keptBeside } from './theft/holdings.ts'
import type { ApprovalRefusal } from './transaction.ts'

type Unverified = { readonly reason: 'not_found' | 'owner_mismatch' | 'invalid_signature' }
export type OpeningRefusal = RequestRefusal | Unverified | { readonly reason: 'key_in_use' }
export type EndingRefusal = DeactivationRefusal | { readonly reason: 'statement_expired' | 'invalid_signature' }
export type StatementRefusal = SigningRefusal | VetoRefusal | CosignRefusal | Unverified

/** Rotations of root keys. Signatures are verified here before the deciding object is asked to write. */
export class RotationService {
  readonly #identities: IdentityService
  readonly #devices: DeviceService
  readonly #realms: Realms
  readonly #gate: RotationGate
  readonly #hasOperator: boolean

  constructor(parts: {
    readonly identities: IdentityService
    readonly devices: DeviceService
    readonly realms: Realms
    readonly gate: RotationGate
    readonly hasOperator: boolean
  }) {
    this.#identities = parts.identities
    this.#devices = parts.devices
    this.#realms = parts.realms
    this.#gate = parts.gate
    this.#hasOperator = parts.hasOperator
  }

  /** `caller` is the DID of who sends it. Anybody may send what a committed key has signed. */
  async request(
    did: string,
    signed: SignedRotationRequest,
    caller: string,
  ): Promise<Result<RotationRecord, OpeningRefusal>> {
    if (signed.statement.did !== did) return err({ reason: 'owner_mismatch' })
    const identity = await this.#identities.ask(did, async (object) => object.read())
    if (!identity || identity.deactivatedAt !== null) return err({ reason: 'not_found' })
    const { current, commitment } = identity
    if (caller !== did && commitment.next.length === 0) return err({ reason: 'owner_mismatch' })
    if (signed.statement.epoch !== current.epoch + 1) {
      // After activation the signer of the request is no longer the root, but a retry still finds its request.
      const found = await this.#identities.ask(did, async (object) => object.requestRotation(signed, null, this.#gate))
      return found.ok ? found : err({ reason: 'stale_epoch', epoch: current.epoch })
    }
    if (!(await verifyRotation(signed, current.publicKey, this.#realms))) return err({ reason: 'invalid_signature' })
    if (!(await this.#identities.isFree(aliasOf(signed.statement)))) return err({ reason: 'key_in_use' })
    const signer = signed.signatureB64u === null ? null : current.userId
    return this.#identities.ask(did, async (object) => object.requestRotation(signed, signer, this.#gate))
  }

  /**
   * Runs every check of a request and changes nothing. `kept` is what the owner says that they keep: by default, what they
   * rehearse.
   */
  async rehearse(
    assertion: VerifiedAssertion,
    signed: SignedRotationRehearsal,
    kept: Kept | null,
    now: number,
  ): Promise<Result<RehearsalAnswer, SpendRefusal | OpeningRefusal>> {
    const { statement } = signed
    const planned = await this.#identities.act(assertion, async (object) =>
      object.rehearseRotation(assertion, statement, this.#gate),
    )
    if (!planned.ok) return planned
    // After the assertion is spent, so that a stranger costs no verification.
    const isSigned = await verifyRotation(signed, bytesOf(assertion.publicKeyB64u), this.#realms)
    if (!isSigned) return err({ reason: 'invalid_signature' })
    if (!(await this.#identities.isFree(aliasOf(statement)))) return err({ reason: 'key_in_use' })
    const { epoch, eligible, requiredCosigners, devices, commitment } = planned.value
    const { version } = statement
    const { acceptsV2, times } = this.#gate
    const holdings = { devices, operator: this.#hasOperator, acceptsV2 }
    const prospects = prospectsOf({ ...holdings, ...keptBeside(statement, commitment, kept) }, times)
    return ok({
      wouldSucceed: true,
      rehearsedAt: now,
      version,
      epoch,
      windowMs: version === 2 ? times.windowMs : 0,
      requiredCosigners,
      eligibleCosigners: [...eligible],
      needsApproval: version === 1,
      devices,
      prospects,
    })
  }

  /** Ends the caller's identity: at once, or after a window while a device has standing. */
  async deactivate(
    assertion: VerifiedAssertion,
    signed: SignedDeactivation,
    now: number,
  ): Promise<Result<Deactivated, SpendRefusal | EndingRefusal>> {
    const spent = await this.#identities.spend(assertion)
    if (!spent.ok) return spent
    const { did } = spent.value
    const { statement } = signed
    if (statement.did !== did) return err({ reason: 'owner_mismatch' })
    if (Math.abs(now - statement.issuedAt) > DEACTIVATION_TOLERANCE_MS) return err({ reason: 'statement_expired' })
    const isSigned = await verifyStatement(signed, bytesOf(assertion.publicKeyB64u), this.#realms)
    if (!isSigned) return err({ reason: 'invalid_signature' })
    const identity = await this.#identities.ask(did, async (object) => object.read())
    const isBySuccessor = !identity || (await isEndedBySuccessor(signed, identity.commitment, this.#realms))
    if (!isBySuccessor) return err({ reason: 'successor_required' })
    const ended = await this.#identities.act({ keyDid: did }, async (object) =>
      object.deactivate(assertion, signed, this.#gate.times),
    )
    // Cached records of its devices end with it.
    if (ended.ok && ended.value.status === 'deactivated') await this.#devices.forgetAll(did)
    return ended
  }

  async veto(signed: SignedVeto): Promise<Result<RotationRecord, StatementRefusal>> {
    const { times } = this.#gate
    const signing = await this.#identities.ask(signed.statement.did, async (object) =>
      object.prepareVeto(signed, times),
    )
    if (!signing.ok) return signing
    const { value } = signing
    if ('placed' in value) return ok(value.placed)
    const refusal = await this.#refusalOf(signed, value.keyB64u)
    if (refusal) return err(refusal)
    return this.#identities.ask(signed.statement.did, async (object) => object.veto(signed, value.keyB64u, times))
  }

  /** `request` is what the co-signature carries: it is opened, reopened, or put in the place of a weaker one. */
  async cosign(
    signed: SignedCosign,
    request: SignedRotationRequest | null,
  ): Promise<Result<RotationRecord, StatementRefusal | OpeningRefusal>> {
    if (!this.#gate.acceptsV2) return err({ reason: 'rotation_v2_disabled' })
    const { did, rotationId } = signed.statement
    const { times } = this.#gate
    if (request && (request.statement.did !== did || rotationIdOf(request.statement) !== rotationId)) {
      return err({ reason: 'owner_mismatch' })
    }
    const signing = await this.#identities.ask(did, async (object) =>
      object.prepareCosign(signed, request !== null, times),
    )
    if (!signing.ok) return signing
    const { value } = signing
    if ('placed' in value) return ok(value.placed)
    const refusal = await this.#refusalOf(signed, value.keyB64u)
    if (refusal) return err(refusal)
    const carried = request ? await this.#verified(did, request) : ok(null)
    if (!carried.ok) return carried
    return this.#identities.ask(did, async (object) => object.cosign(signed, value.keyB64u, carried.value, this.#gate))
  }

  /**
   * In this order: the assertion is spent and the rotation found ready; the new key's alias is reserved in its own object;
   * then the identity's object, which stays authoritative, decides again and activates. A crash after the reservation
   * leaves a key that only this identity can use; repeating the call finishes it, or the root key cancels.
   */
  async activate(
    assertion: VerifiedAssertion,
    { rotationId, did }: ActivateRotation,
    version: 1 | 2,
  ): Promise<Result<RotationRecord, SpendRefusal | ActivationRefusal>> {
    // A caller that names its own identity acts for itself.
    const prepared =
      did === undefined || did === assertion.keyDid
        ? await this.#identities.act(assertion, async (object) =>
            object.prepareActivation(assertion, rotationId, version),
          )
        : await this.#prepareForAnother(assertion, did, rotationId, version)
    if (!prepared.ok || prepared.value.status === 'active') return prepared
    if (version === 2 && !this.#gate.acceptsV2) return err({ reason: 'rotation_v2_disabled' })
    const { request } = prepared.value
    if (!isRotationRequest(request)) return err({ reason: 'not_found' })
    const { statement } = request
    if (!(await this.#identities.reserve(aliasOf(statement)))) return err({ reason: 'key_in_use' })
    const activated = await this.#identities.ask(statement.did, async (object) => object.activateRotation(rotationId))
    // Attestations by the superseded key are stale, so cached copies of them are dropped.
    if (activated.ok) await this.#devices.forgetAll(statement.did)
    return activated
  }

  current(assertion: VerifiedAssertion): Promise<Result<CurrentRotation, SpendRefusal>> {
    return this.#identities.act(assertion, async (object) => object.currentRotation(assertion))
  }

  /** One rotation of an identity; by default the newest. */
  find(did: string, rotationId: string | null): Promise<RotationRecord | null> {
    return this.#identities.ask(did, async (object) => object.rotation(rotationId))
  }

  /** `request` is what the approval carries, if core does not have it. */
  async approve(
    did: string,
    rotationId: string,
    approval: Omit<Approval, 'approvedAt'>,
    request: SignedRotationRequest | null,
  ): Promise<Result<void, ApprovalRefusal>> {
    const unknown = err({ reason: 'not_found' } as const)
    if (request && (request.statement.did !== did || rotationIdOf(request.statement) !== rotationId)) return unknown
    const carried = request ? await this.#verified(did, request) : ok(null)
    if (!carried.ok) return unknown
    return this.#identities.ask(did, async (object) =>
      object.approveRotation(rotationId, approval, carried.value, this.#gate),
    )
  }

  async keyHistory(did: string, from: number, background?: Background): Promise<KeyHistory | null> {
    const name = `key-history ${from}`
    const page = await this.#identities.read(did, name, async (object) => object.keyHistory(from), background)
    if (!page) return null
    const { identity, keys, next, rotation } = page
    return { did, scope: identity.scope, keys: [...keys], next, rotation }
  }

  async #prepareForAnother(
    assertion: VerifiedAssertion,
    did: string,
    rotationId: string,
    version: 1 | 2,
  ): Promise<Result<RotationRecord, SpendRefusal | ActivationRefusal>> {
    const spent = await this.#identities.spend(assertion)
    if (!spent.ok) return spent
    return this.#identities.ask(did, async (object) => object.prepareActivationByAnyone(rotationId, version))
  }

  /** A request that came with something else, for a key that is free; its signatures are verified. */
  async #verified(did: string, request: SignedRotationRequest): Promise<Result<CarriedRequest, OpeningRefusal>> {
    const identity = await this.#identities.ask(did, async (object) => object.read())
    if (!identity || identity.deactivatedAt !== null) return err({ reason: 'not_found' })
    const { current } = identity
    if (request.statement.epoch !== current.epoch + 1) return err({ reason: 'stale_epoch', epoch: current.epoch })
    if (!(await verifyRotation(request, current.publicKey, this.#realms))) return err({ reason: 'invalid_signature' })
    if (!(await this.#identities.isFree(aliasOf(request.statement)))) return err({ reason: 'key_in_use' })
    return ok({ request, requestedBy: request.signatureB64u === null ? null : current.userId })
  }

  /** Why a signature does not count. Does not reveal which devices exist. */
  async #refusalOf(
    signed: SignedVeto | SignedCosign,
    keyB64u: string,
  ): Promise<{ readonly reason: 'invalid_signature' | 'not_eligible' } | null> {
    if (await verifyStatement(signed, bytesOf(keyB64u), this.#realms)) return null
    const { signedBy } = signed.statement
    return { reason: signedBy === 'root' || signedBy === 'successor' ? 'invalid_signature' : 'not_eligible' }
  }
}

function aliasOf(request: { readonly did: string; readonly scope: string; readonly newPublicKeyB64u: string }): Alias {
  const { did, scope, newPublicKeyB64u } = request
  return { kind: 'root', userId: userIdOfKey(newPublicKeyB64u), did, scope }
}
