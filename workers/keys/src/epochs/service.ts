import type { Caller } from '@svc/assertion'
import { err, ok, type Result } from '@svc/protocol/base/result'
import type { CurrentEpoch, EpochMember } from '@svc/protocol/keys/epochs'
import type { EpochStore } from './store.ts'

export type EpochRefusal = { readonly reason: 'owner_mismatch' | 'no_epoch' | 'epoch_not_joined' }

/** Epochs: the operator opens them; owners join and acknowledge the open one. */
export class EpochService {
  readonly #store: EpochStore

  constructor(store: EpochStore) {
    this.#store = store
  }

  async current(now: number): Promise<CurrentEpoch> {
    const epoch = await this.#store.current(now)
    return epoch ? { epoch } : { epoch: null, message: 'No epoch is active' }
  }

  async join({ did, userId }: Caller, claimed: string, now: number): Promise<Result<EpochMember, EpochRefusal>> {
    if (claimed !== userId) return err({ reason: 'owner_mismatch' })
    const member = await this.#store.join(did, userId, now)
    return member ? ok(member) : err({ reason: 'no_epoch' })
  }

  async acknowledge(
    { did, userId }: Caller,
    claimed: string,
    epoch: number,
    now: number,
  ): Promise<Result<EpochMember, EpochRefusal>> {
    if (claimed !== userId) return err({ reason: 'owner_mismatch' })
    const current = await this.#store.current(now)
    if (current?.number !== epoch) return err({ reason: 'no_epoch' })
    const member = await this.#store.acknowledge(did, userId, epoch, now)
    return member ? ok(member) : err({ reason: 'epoch_not_joined' })
  }

  /** Of an identity that was deactivated. */
  forget(did: string): Promise<void> {
    return this.#store.forget(did)
  }
}
