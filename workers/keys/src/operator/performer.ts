import { err, ok, type Result } from '@svc/protocol/base/result'
import type { DirectoryCheckpoint } from '@svc/protocol/keys/transparency'
import type { RollRefusal } from '@svc/protocol/merkle/roll'
import type { KeysOperatorAct } from '@svc/protocol/operator/acts'
import type { ActPerformer, KeptLogs, ObjectRebuild } from '@svc/service'
import type { EpochStore } from '../epochs/store.ts'

type EpochRefusal = { readonly reason: 'epoch_conflict' | 'epoch_begun' | 'not_found' }
export type KeysActRefusal = EpochRefusal | RollRefusal
type Statement = KeysOperatorAct['statement']

/**
 * The key directory's operator acts: opening an epoch and withdrawing it, going on to the next log, and rebuilding accounts.
 */
export function performerOf(acted: {
  readonly epochs: EpochStore
  readonly logs: KeptLogs<DirectoryCheckpoint>
  readonly rebuild: ObjectRebuild<'accounts'>
}): ActPerformer<Statement, KeysActRefusal> {
  return async (act, now) => {
    switch (act.type) {
      case 'svc/operator-epoch/v1':
        return doneUnless(await opened(acted.epochs, act))
      case 'svc/operator-epoch-withdraw/v1':
        return doneUnless(REFUSED[await acted.epochs.withdraw(act.epoch, now)])
      case 'svc/operator-rebuild-objects/v1':
        return acted.rebuild.run(act, now)
      case 'svc/operator-roll-log/v1': {
        const rolled = await acted.logs.roll(act.log, act.next, now)
        return rolled.ok ? ok({}) : rolled
      }
    }
  }
}

/** How a withdrawal that changes nothing is refused. */
const REFUSED = { withdrawn: null, begun: 'epoch_begun', unknown: 'not_found' } as const

function doneUnless<R extends string>(reason: R | null): Result<object, { readonly reason: R }> {
  return reason === null ? ok({}) : err({ reason })
}

async function opened(
  epochs: EpochStore,
  { epoch, opensAt, closesAt }: Extract<Statement, { readonly type: 'svc/operator-epoch/v1' }>,
): Promise<'epoch_conflict' | null> {
  const isOpen = closesAt > opensAt && (await epochs.open({ epoch, opensAt, closesAt }))
  return isOpen ? null : 'epoch_conflict'
}
