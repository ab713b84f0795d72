import type { ObjectStorage } from '@svc/objects'
import { deactivationIdOf, type SignedDeactivation } from '@svc/protocol/chain/deactivation'
import { isRotationRequest } from '@svc/protocol/chain/rotation-verification'
import { checkDue } from '../rotation/rules.ts'
import type { RotationStore } from '../rotation/store.ts'
import type { UpdateOutbox } from '../rotation/updates/outbox.ts'
import type { IdentityStore } from './store.ts'

/** The stores of an identity that its end concerns. */
export interface EndingStores {
  readonly stored: ObjectStorage
  readonly identities: IdentityStore
  readonly rotations: RotationStore
  readonly updates: UpdateOutbox
}

/** How an identity ends: by itself, or by a transaction of the owner, and never under a hold. */
export class Ending {
  readonly #stores: EndingStores

  constructor(stores: EndingStores) {
    this.#stores = stores
  }

  get isHeld(): boolean {
    return this.#stores.identities.hold().held
  }

  /** A deactivation takes effect by itself: any read after its deadline finds the identity ended, unless it is held. */
  endIfDue(now: number): void {
    const { stored, rotations } = this.#stores
    const due = rotations.dueDeactivation(now)
    if (!due || this.isHeld || !checkDue(due, now).ok) return
    const { request } = rotations.record(due)
    if (isRotationRequest(request)) throw new Error('Deactivation without its statement')
    stored.transact(() => {
      this.end(request, now)
      rotations.activate(due.rotationId, now)
    })
  }

  /** The only caller of `deactivate`. Call inside a transaction that has asked whether the identity is held. */
  end(signed: SignedDeactivation, now: number): void {
    if (this.isHeld) throw new Error('An identity under a hold does not end')
    this.#stores.identities.deactivate(signed, now)
    this.#stores.updates.add({ kind: 'deactivation', statementHash: deactivationIdOf(signed.statement) }, now)
  }
}
