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
  if (act === 'start' && isCommitted) return startCommitted(recovery, device)
  const signer = act === 'start' ? device : (device ?? rootCopy)
  if (!signer) return 'device'
  const doing = act === 'start' ? recovery.start(device) : recovery.contest(signer)
  return (await refusalOf(doing, ['not_eligible'])) === null ? null : 'operator'
}

/** A committed key needs no device, so a device without standing is left out. */
async function startCommitted(recovery: Recovery, device: RecoveringDevice | undefined): Promise<Refused> {
  if (device) {
    const refused = await refusalOf(recovery.start(device), ['not_eligible', 'rotation_disputed'])
    if (refused !== 'not_eligible') return refused === null ? null : 'operator'
  }
  // Other keys than the committed ones need a device, and so does an end to a dispute.
  const refused = await refusalOf(recovery.start(), ['key_not_committed', 'rotation_disputed'])
  return refused === null ? null : 'device'
}

/** The code with which an act was refused, if it is one of these; null if it was accepted. */
async function refusalOf(act: Promise<unknown>, codes: readonly string[]): Promise<string | null> {
  try {
    await act
    return null
  } catch (error) {
    if (error instanceof ServiceError && codes.includes(error.error)) return error.error
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
