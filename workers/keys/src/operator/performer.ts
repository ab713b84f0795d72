import { err, ok } from '@svc/protocol/base/result'
import type { KeysOperatorAct } from '@svc/protocol/operator/acts'
import type { ActPerformer } from '@svc/service'
import type { EpochStore } from '../epochs/store.ts'

export type EpochConflict = { readonly reason: 'epoch_conflict' }

/** The key directory's operator act: opening an epoch. */
export function performerOf(epochs: EpochStore): ActPerformer<KeysOperatorAct['statement'], EpochConflict> {
  return async ({ epoch, opensAt, closesAt }) => {
    const isOpen = closesAt > opensAt && (await epochs.open({ epoch, opensAt, closesAt }))
    return isOpen ? ok({}) : err({ reason: 'epoch_conflict' })
  }
}
