import type { SignedRotationRequest } from '#protocol/chain/rotation'
import type { Identity } from '../identity/identity.ts'
import { ConfigurationError } from '../transport/configuration-error.ts'
import { ServiceError } from '../transport/service-error.ts'
import { type KeptRecovery, requestOf } from './kept-recovery.ts'
import type { RecoveringDevice, RootCopy, Successor } from './parties.ts'
import type { RecoveryStatus } from './stage.ts'
import type { RecoveryAct } from './steps.ts'

export interface RecoverOptions {
  /** The key that is rotated to: the `successor` of `prepareRecovery`, from its backup or its recovery words. */
  readonly successor: Identity
  /** A device of the identity. The thief may have revoked it. */
  readonly device?: RecoveringDevice
  /** A copy of the root key, to contest what somebody else has pending. */
  readonly rootCopy?: RootCopy
  /**
   * Ends or delays a pending rotation to another committed key (`status.isRival`). Pass true only if neither you nor
   * anyone for you has requested it. If both rest on root key and words, they end each other, and only a device with
   * standing or the operator can continue.
   */
  readonly dispute?: boolean
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
  start(device?: RecoveringDevice): Promise<{ readonly status: string }>
  contest(by: RecoveringDevice | RootCopy | Successor): Promise<unknown>
  finish(): Promise<unknown>
  forOperator(): Promise<NonNullable<RecoveryProgress['request']>>
}

type Act = 'start' | 'contest' | 'finish'
type Needs = RecoveryProgress['needs']

/** See `client.recovery(kept).recover`. `kept` is complete. Each act is done at most once, so it ends. */
export async function recover(recovery: Recovery, kept: KeptRecovery, by: RecoverOptions): Promise<RecoveryProgress> {
  const acts: Act[] = []
  for (;;) {
    const status = await recovery.status()
    const act = actOf(status)
    if (act === null || acts.includes(act))
      return progress(recovery, kept, { status, acts, needs: needsAfter(status, act) })
    const done = await attempt(recovery, act, by, status)
    acts.push(...done.acts)
    if (done.needs) return progress(recovery, kept, { status: await recovery.status(), acts, needs: done.needs })
  }
}

/** What can be done now. */
function actOf({ stage, next }: RecoveryStatus): Act | null {
  if (next.act === 'finish') return stage === 'due' ? 'finish' : null
  return next.act === 'start' || next.act === 'contest' ? next.act : null
}

/** Returns who must act next, after everything possible was done. */
function needsAfter({ next }: RecoveryStatus, again: Act | null): Needs {
  if (again === 'start') return 'device'
  return again === 'contest' || next.act === 'operator' ? 'operator' : null
}

interface Attempt {
  /** What was done, in order. */
  readonly acts: readonly Act[]
  /** Who is missing; null if it goes on. */
  readonly needs: Needs
}

async function attempt(recovery: Recovery, act: Act, by: RecoverOptions, status: RecoveryStatus): Promise<Attempt> {
  if (act === 'finish') {
    await recovery.finish()
    return { acts: [act], needs: null }
  }
  if (act === 'start') return status.isCommitted ? startCommitted(recovery, by, status) : start(recovery, by, status)
  return status.isCommitted ? contestCommitted(recovery, by, status) : contest(recovery, by)
}

/** Without a commitment, a device has to co-sign. If none can, what somebody else has pending must not take effect. */
async function start(recovery: Recovery, by: RecoverOptions, { rotation, isOurs }: RecoveryStatus): Promise<Attempt> {
  const { device } = by
  if (device && (await refusalOf(recovery.start(device), ['not_eligible'])) === null)
    return { acts: ['start'], needs: null }
  const isTheirs = rotation?.status === 'pending' && rotation.approvedAt === null && !isOurs
  const { acts } = isTheirs ? await contest(recovery, by) : { acts: [] }
  return { acts, needs: device ? 'operator' : 'device' }
}

/** A copy of the root key delays what a device without standing cannot stop. */
async function contest(recovery: Recovery, { device, rootCopy }: RecoverOptions): Promise<Attempt> {
  for (const one of [device, rootCopy]) {
    if (!one) continue
    const refused = await refusalOf(recovery.contest(one), ['not_eligible', 'rotation_cosigned'])
    if (refused === null) return { acts: ['contest'], needs: null }
  }
  return { acts: [], needs: device || rootCopy ? 'operator' : 'device' }
}

/** A committed key needs no device, so a device without standing is left out. */
async function startCommitted(recovery: Recovery, by: RecoverOptions, status: RecoveryStatus): Promise<Attempt> {
  const { device } = by
  if (device) {
    const refused = await refusalOf(recovery.start(device), ['not_eligible', 'rotation_disputed'])
    if (refused !== 'not_eligible') return refused === null ? { acts: ['start'], needs: null } : toOperator
  }
  refuseRival(by, status)
  // Other keys than the committed ones need a device, and so does an end to a dispute.
  const refused = await refusalOf(recovery.start(), ['key_not_committed', 'rotation_disputed'])
  return refused === null ? { acts: ['start'], needs: null } : { acts: [], needs: 'device' }
}

/**
 * Contests a pending rotation with a committed key. That ends a request that lacks the root key or the words. A request
 * that has both is delayed once, or, if it is co-signed, ended by a dispute with another device.
 */
async function contestCommitted(recovery: Recovery, by: RecoverOptions, status: RecoveryStatus): Promise<Attempt> {
  refuseRival(by, status)
  if (by.device && status.rotation?.basis === 'full') {
    const codes = ['not_eligible', 'rotation_pending', 'rotation_disputed']
    if ((await refusalOf(recovery.start(by.device), codes)) === 'rotation_disputed') return toOperator
  }
  const contested = recovery.contest({ asSuccessor: by.successor })
  return (await refusalOf(contested, ['rotation_full'])) === null ? { acts: ['contest'], needs: null } : toOperator
}

const toOperator: Attempt = { acts: [], needs: 'operator' }

/** Rule R14: requests for the keys of two sheets of an owner would end each other for the whole epoch. */
function refuseRival({ dispute }: RecoverOptions, { isRival }: RecoveryStatus): void {
  if (!isRival || dispute) return
  throw new ConfigurationError(
    'dispute',
    'A rotation with other words or other sheets of this identity is pending. If it is yours, continue with the words that it was started with. If it is not, pass `dispute` as true',
  )
}

/**
 * Returns the error code of a refused act if it is one of `codes`, or null if the act was accepted. Core answers a request
 * that it already has with its record, so a disputed request counts as refused.
 */
async function refusalOf(act: Promise<unknown>, codes: readonly string[]): Promise<string | null> {
  try {
    const answer = await act
    const isDisputed = (answer as { readonly status?: string } | undefined)?.status === 'disputed'
    return isDisputed ? 'rotation_disputed' : null
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
