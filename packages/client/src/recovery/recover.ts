import type { SignedRotationRequest } from '#protocol/chain/rotation'
import type { Identity } from '../identity/identity.ts'
import { ServiceError } from '../transport/service-error.ts'
import { type KeptRecovery, requestOf } from './kept-recovery.ts'
import type { RecoveringDevice, RootCopy } from './parties.ts'
import type { RecoveryAct, RecoveryStatus } from './stage.ts'

export interface RecoverOptions {
  /** The key that is rotated to: the `successor` of `prepareRecovery`, from its backup or its recovery words. */
  readonly successor: Identity
  /** A device of the identity. The thief may have revoked it. */
  readonly device?: RecoveringDevice
  /** A copy of the root key, to contest what somebody else has pending. */
  readonly rootCopy?: RootCopy
}

export interface RecoveryProgress {
  /** What it has come to. If `status.next.at` is a time, call `recover` again then. */
  readonly status: RecoveryStatus
  /** What was done by this call, in order. */
  readonly acts: readonly RecoveryAct[]
  /** Without whom it does not go on; null if it does, or has ended. */
  readonly needs: 'device' | 'operator' | null
  /** What the operator needs, if `needs` is `operator` and a version-1 request is kept. */
  readonly request: {
    readonly did: string
    readonly rotationId: string
    readonly request: SignedRotationRequest
  } | null
}

/** What is used of a recovery. */
interface Recovery {
  status(): Promise<RecoveryStatus>
  start(device?: RecoveringDevice): Promise<unknown>
  contest(by: RecoveringDevice | RootCopy): Promise<unknown>
  finish(): Promise<unknown>
  forOperator(): Promise<NonNullable<RecoveryProgress['request']>>
}

type Act = 'start' | 'contest' | 'finish'
type Refused = RecoveryProgress['needs']

/** See `client.recovery(kept).recover`. `kept` is complete. Each act is done at most once, so it ends. */
export async function recover(
  recovery: Recovery,
  kept: KeptRecovery,
  by: Omit<RecoverOptions, 'successor'>,
): Promise<RecoveryProgress> {
  const acts: Act[] = []
  for (;;) {
    const status = await recovery.status()
    const act = actOf(status)
    if (act === null || acts.includes(act))
      return progress(recovery, kept, { status, acts, needs: status.next.act === 'operator' ? 'operator' : null })
    const needs = await attempt(recovery, act, { ...by, isCommitted: status.isCommitted })
    if (needs) return progress(recovery, kept, { status, acts, needs })
    acts.push(act)
  }
}

/** What can be done now. */
function actOf({ stage, next }: RecoveryStatus): Act | null {
  if (next.act === 'finish') return stage === 'due' ? 'finish' : null
  return next.act === 'start' || next.act === 'contest' ? next.act : null
}

/** Null if it was done, otherwise who is missing. */
async function attempt(
  recovery: Recovery,
  act: Act,
  { device, rootCopy, isCommitted }: Omit<RecoverOptions, 'successor'> & { readonly isCommitted: boolean },
): Promise<Refused> {
  if (act === 'finish') {
    await recovery.finish()
    return null
  }
  const signer = act === 'start' ? device : (device ?? rootCopy)
  if (!signer && !(isCommitted && act === 'start')) return 'device'
  try {
    await (act === 'start' ? recovery.start(device) : recovery.contest(signer as RecoveringDevice | RootCopy))
    return null
  } catch (error) {
    const refused = error instanceof ServiceError ? error.error : ''
    if (refused === 'not_eligible' || (refused === 'rotation_disputed' && device)) return 'operator'
    if (refused === 'rotation_disputed') return 'device'
    throw error
  }
}

async function progress(
  recovery: Recovery,
  kept: KeptRecovery,
  state: Omit<RecoveryProgress, 'request'>,
): Promise<RecoveryProgress> {
  const isForOperator = state.needs === 'operator' && requestOf(kept, 1) !== null
  return { ...state, request: isForOperator ? await recovery.forOperator() : null }
}
