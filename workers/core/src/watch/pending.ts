import type { PendingChange } from '@svc/protocol/chain/pending'
import { pendingChangeOf } from '@svc/protocol/chain/pending-summary'
import type { StandingChange } from '@svc/protocol/chain/watch'
import type { DeviceStore } from '../inception/device-store.ts'
import type { Times } from '../rotation/rules.ts'
import type { RotationStore } from '../rotation/store.ts'
import { standingChanges } from './changes.ts'

/** Members of a response to the owner. */
export interface Pending {
  readonly pending?: PendingChange
  readonly changes?: StandingChange[]
}

/** Reads the pending change and the changes of standing, which many responses to the owner include. */
export class PendingReading {
  readonly #rotations: RotationStore
  readonly #devices: DeviceStore
  readonly #times: () => Times

  constructor(rotations: RotationStore, devices: DeviceStore, times: () => Times) {
    this.#rotations = rotations
    this.#devices = devices
    this.#times = times
  }

  /** Returns the members for a response. Each is absent if there is nothing to report. */
  read(epoch: number, now: number): Pending {
    const pending = this.#rotations.pending()
    const changes = this.changes(epoch, now)
    return {
      ...(pending && { pending: pendingChangeOf({ ...pending, cosignatures: pending.cosigners.length }) }),
      ...(changes.length > 0 && { changes }),
    }
  }

  /** Rule R18: returns the changes of standing in the last window. */
  changes(epoch: number, now: number): StandingChange[] {
    return standingChanges(this.#devices.spans(epoch, now), now, this.#times())
  }
}
