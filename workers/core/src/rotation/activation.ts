import type { VerifiedAssertion } from '@svc/assertion'
import { bytesOf } from '@svc/protocol/base/base64url'
import { userIdOfKey } from '@svc/protocol/base/identity'
import { err, ok, type Result } from '@svc/protocol/base/result'
import type { RotationRecord } from '@svc/protocol/chain/rotation'
import type { IdentityRecord } from '../identity/rules.ts'
import type { IdentityTransaction, Refused } from '../identity/transaction.ts'
import { type ActivationRefusal, checkActivation, mayAnyoneActivate, type Rotation } from './rules.ts'

/** How a rotation takes effect, inside an identity's object. */
export class ActivationTransaction {
  readonly #transaction: IdentityTransaction

  constructor(transaction: IdentityTransaction) {
    this.#transaction = transaction
  }

  /** Spends the assertion and checks whether the rotation could become active now; reserves nothing. */
  prepare(
    assertion: VerifiedAssertion,
    rotationId: string,
    version: 1 | 2,
  ): Result<RotationRecord, ActivationRefusal | Refused> {
    return this.#transaction.authorized(
      assertion,
      (identity, caller): Result<RotationRecord, ActivationRefusal | { readonly reason: 'capability' }> => {
        const ready = this.#ready(identity, rotationId, version)
        if (!ready.ok) return ready
        const { device } = caller
        const isAllowed = device === null || device.capabilities.includes('rotation:request')
        return isAllowed || mayAnyoneActivate(ready.value)
          ? ok(this.#transaction.rotations.record(ready.value))
          : err({ reason: 'capability' })
      },
    )
  }

  /** The same for a caller with another identity, whose assertion is spent. */
  prepareByAnyone(rotationId: string, version: 1 | 2): Result<RotationRecord, ActivationRefusal> {
    const identity = this.#transaction.living()
    const ready = identity ? this.#ready(identity, rotationId, version) : err({ reason: 'not_found' as const })
    if (!ready.ok) return ready
    return mayAnyoneActivate(ready.value)
      ? ok(this.#transaction.rotations.record(ready.value))
      : err({ reason: 'owner_mismatch' })
  }

  /** One compare-and-set over status, deadline, vetoes and co-signers; the new key's alias is already reserved. */
  activate(rotationId: string): Result<RotationRecord, ActivationRefusal> {
    const { rotations, identities, stored } = this.#transaction
    return stored.transact((): Result<RotationRecord, ActivationRefusal> => {
      const identity = this.#transaction.living()
      const rotation = identity && rotations.find(rotationId)
      if (!identity || rotation?.kind !== 'rotation') return err({ reason: 'not_found' })
      if (rotation.status === 'active') return ok(rotations.record(rotation))
      const now = Date.now()
      const checked = checkActivation(rotation, identity.current.epoch, now)
      if (!checked.ok) return checked
      const request = rotations.request(rotationId)
      if (!request) throw new Error('Rotation without its request')
      const { epoch, newPublicKeyB64u, next, replaceable } = request.statement
      const publicKey = bytesOf(newPublicKeyB64u)
      identities.putKey({ epoch, userId: userIdOfKey(newPublicKeyB64u), publicKey, activatedAt: now })
      identities.putCommitment({ next, replaceable })
      rotations.activate(rotationId, now)
      // Withdrawn tokens work for as long as standing lasts, so the previous holder of the root key can watch meanwhile.
      this.#transaction.watch.withdraw(() => true, now)
      this.#transaction.updates.add({ kind: 'rotation', statementHash: rotationId }, now)
      return ok(rotations.recordOf(rotationId))
    })
  }

  #ready(identity: IdentityRecord, rotationId: string, version: 1 | 2): Result<Rotation, ActivationRefusal> {
    const rotation = this.#transaction.rotations.find(rotationId)
    // A deactivation takes effect by itself.
    if (rotation?.version !== version || rotation.kind !== 'rotation') return err({ reason: 'not_found' })
    if (rotation.status === 'active') return ok(rotation)
    const checked = checkActivation(rotation, identity.current.epoch, Date.now())
    return checked.ok ? ok(rotation) : checked
  }
}
