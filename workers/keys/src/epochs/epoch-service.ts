import type { Caller } from '@svc/assertion'
import type { CurrentEpoch, EpochMember, KeysOperatorAct } from '@svc/protocol/key-epochs'
import { err, ok, type Result } from '@svc/protocol/result'
import type { OperatorActs, OperatorRefusal, TakenAct } from '@svc/service'
import type { EpochStore } from './epoch-store.ts'

export type EpochRefusal = { readonly reason: 'owner_mismatch' | 'no_epoch' | 'epoch_not_joined' }
type Conflict = { readonly reason: 'epoch_conflict' }

/** Epochs: the operator opens them, owners join and acknowledge the one that is open. */
export class EpochService {
  readonly #store: EpochStore
  readonly #acts: OperatorActs

  constructor(store: EpochStore, acts: OperatorActs) {
    this.#store = store
    this.#acts = acts
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

  act(act: KeysOperatorAct, now: number): Promise<Result<TakenAct, OperatorRefusal | Conflict>> {
    const open = async ({
      epoch,
      opensAt,
      closesAt,
    }: KeysOperatorAct['statement']): Promise<Result<void, Conflict>> => {
      const isOpen = closesAt > opensAt && (await this.#store.open({ epoch, opensAt, closesAt }))
      return isOpen ? ok(undefined) : err({ reason: 'epoch_conflict' })
    }
    return this.#acts.take<KeysOperatorAct['statement'], Conflict>(act, open, now)
  }
}
