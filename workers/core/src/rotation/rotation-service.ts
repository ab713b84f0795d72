import type { SpendRefusal, VerifiedAssertion } from '@svc/assertion'
import { bytesOf } from '@svc/protocol/base64url'
import { userIdOfKey } from '@svc/protocol/identity'
import { err, ok, type Result } from '@svc/protocol/result'
import {
  type CurrentRotation,
  type KeyHistory,
  type RehearsalAnswer,
  type RotationRecord,
  type SignedCosign,
  type SignedRotationRehearsal,
  type SignedRotationRequest,
  type SignedVeto,
  verifyRotation,
} from '@svc/protocol/rotation'
import { verifyStatement } from '@svc/protocol/statement'
import type { Alias } from '../identity/identity.ts'
import type { IdentityService } from '../identity/identity-service.ts'
import type { DeviceService } from '../inception/device-service.ts'
import type { ActivationRefusal, CosignRefusal, RequestRefusal, RotationGate, VetoRefusal } from './rotation.ts'
import type { Signing, SigningRefusal } from './rotation-session.ts'

type Unverified = { readonly reason: 'not_found' | 'owner_mismatch' | 'invalid_signature' }
export type RequestFailure = RequestRefusal | Unverified | { readonly reason: 'key_in_use' }
export type SigningFailure = SigningRefusal | VetoRefusal | CosignRefusal | Unverified

/** Rotations of root keys. Signatures are verified here, before the object that decides is asked to write. */
export class RotationService {
  readonly #identities: IdentityService
  readonly #devices: DeviceService
  readonly #gate: RotationGate

  constructor(identities: IdentityService, devices: DeviceService, gate: RotationGate) {
    this.#identities = identities
    this.#devices = devices
    this.#gate = gate
  }

  async request(did: string, signed: SignedRotationRequest): Promise<Result<RotationRecord, RequestFailure>> {
    if (signed.statement.did !== did) return err({ reason: 'owner_mismatch' })
    const identity = await this.#identities.ask(did, async (object) => object.read())
    if (!identity || identity.deactivatedAt !== null) return err({ reason: 'not_found' })
    const { current } = identity
    if (signed.statement.epoch !== current.epoch + 1) {
      // After its activation the request's signer is the root no more, and a retry still finds what it opened.
      const found = await this.#identities.ask(did, async (object) => object.requestRotation(signed, '', this.#gate))
      return found.ok ? found : err({ reason: 'stale_epoch', epoch: current.epoch })
    }
    if (!(await verifyRotation(signed, current.publicKey))) return err({ reason: 'invalid_signature' })
    if (!(await this.#identities.isFree(aliasOf(signed.statement)))) return err({ reason: 'key_in_use' })
    return this.#identities.ask(did, async (object) => object.requestRotation(signed, current.userId, this.#gate))
  }

  /** Everything that a request is held to, and nothing done. */
  async rehearse(
    assertion: VerifiedAssertion,
    signed: SignedRotationRehearsal,
    now: number,
  ): Promise<Result<RehearsalAnswer, SpendRefusal | RequestFailure>> {
    const { statement } = signed
    const planned = await this.#identities.act(assertion, async (object) =>
      object.rehearseRotation(assertion, statement, this.#gate),
    )
    if (!planned.ok) return planned
    // After the assertion is spent: a stranger costs no verification.
    if (!(await verifyRotation(signed, bytesOf(assertion.publicKeyB64u)))) return err({ reason: 'invalid_signature' })
    if (!(await this.#identities.isFree(aliasOf(statement)))) return err({ reason: 'key_in_use' })
    const { epoch, eligible, requiredCosigners } = planned.value
    const { version } = statement
    return ok({
      wouldSucceed: true,
      rehearsedAt: now,
      version,
      epoch,
      windowMs: version === 2 ? this.#gate.windowMs : 0,
      requiredCosigners,
      eligibleCosigners: [...eligible],
      needsApproval: version === 1,
    })
  }

  async veto(signed: SignedVeto): Promise<Result<RotationRecord, SigningFailure>> {
    const signing = await this.#signing(signed)
    if (!signing.ok) return signing
    const { value } = signing
    if ('placed' in value) return ok(value.placed)
    return this.#identities.ask(signed.statement.did, async (object) => object.veto(signed, value.keyB64u))
  }

  async cosign(signed: SignedCosign): Promise<Result<RotationRecord, SigningFailure>> {
    if (!this.#gate.acceptsV2) return err({ reason: 'rotation_v2_disabled' })
    const signing = await this.#signing(signed)
    if (!signing.ok) return signing
    const { value } = signing
    if ('placed' in value) return ok(value.placed)
    return this.#identities.ask(signed.statement.did, async (object) => object.cosign(signed, value.keyB64u))
  }

  /**
   * In DESIGN's order: the assertion is spent and the rotation found ready, the new key's alias is reserved in its own
   * object, and then the identity's object, which stays authoritative, decides again and activates. A crash after the
   * reservation leaves a key that only this identity can use, and the same call finishes or the root key cancels.
   */
  async activate(
    assertion: VerifiedAssertion,
    rotationId: string,
    version: 1 | 2,
  ): Promise<Result<RotationRecord, SpendRefusal | ActivationRefusal>> {
    const prepared = await this.#identities.act(assertion, async (object) =>
      object.prepareActivation(assertion, rotationId, version),
    )
    if (!prepared.ok || prepared.value.status === 'active') return prepared
    if (version === 2 && !this.#gate.acceptsV2) return err({ reason: 'rotation_v2_disabled' })
    const { statement } = prepared.value.request
    if (!(await this.#identities.reserve(aliasOf(statement)))) return err({ reason: 'key_in_use' })
    const activated = await this.#identities.ask(statement.did, async (object) => object.activateRotation(rotationId))
    // Attestations by the key that was superseded are stale; what a cache says of them ends with it.
    if (activated.ok) await this.#devices.forgetAll(statement.did)
    return activated
  }

  current(assertion: VerifiedAssertion): Promise<Result<CurrentRotation, SpendRefusal>> {
    return this.#identities.act(assertion, async (object) => object.currentRotation(assertion))
  }

  /** One rotation of an identity, the newest unless told. */
  find(did: string, rotationId: string | null): Promise<RotationRecord | null> {
    return this.#identities.ask(did, async (object) => object.rotation(rotationId))
  }

  approve(did: string, rotationId: string, operator: string, nonce: string): Promise<boolean> {
    return this.#identities.ask(did, async (object) => object.approveRotation(rotationId, { operator, nonce }))
  }

  async keyHistory(did: string, from: number): Promise<KeyHistory | null> {
    const page = await this.#identities.ask(did, async (object) => object.keyHistory(from))
    if (!page) return null
    const { identity, keys, next, rotation } = page
    return { did, scope: identity.scope, keys: [...keys], next, rotation }
  }

  /** The signer's key, once its signature over the statement is good. Which devices there are is nobody's to find out. */
  async #signing(signed: SignedVeto | SignedCosign): Promise<Result<Signing, SigningRefusal | Unverified>> {
    const { did, signedBy } = signed.statement
    const signing = await this.#identities.ask(did, async (object) => object.prepareSignature(signed))
    if (!signing.ok || 'placed' in signing.value) return signing
    if (await verifyStatement(signed, bytesOf(signing.value.keyB64u))) return signing
    return err({ reason: signedBy === 'root' ? 'invalid_signature' : 'not_eligible' })
  }
}

function aliasOf(request: { readonly did: string; readonly scope: string; readonly newPublicKeyB64u: string }): Alias {
  const { did, scope, newPublicKeyB64u } = request
  return { kind: 'root', userId: userIdOfKey(newPublicKeyB64u), did, scope }
}
