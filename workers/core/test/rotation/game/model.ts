/**
 * Owner and thief as players, with the moves that the rules of rotation give them. Time goes in ticks, three to a
 * window. In each tick the thief moves first, answers every move of the owner at once, and moves last; the owner moves
 * only when they look, every second tick, so at least once strictly inside a window. Ages are capped, so the state
 * space is finite.
 *
 * Both may hold the root key. The operator approves for the owner, and for the thief where a scene says that they can be
 * deceived. Guardians are players' co-signers, for rules that would count them. Officers have no move: a veto or a
 * co-signature names the root key or a device, so an organization is recovered like everybody. Left out: capabilities
 * (losing one is like a revocation), the chain, and holds, which stop no rotation.
 */
import * as rules from '../../../src/rotation/rules.ts'

export type Player = 'O' | 'T'
/**
 * Devices: one that can co-sign, one that only vetoes, one that could co-sign until it expired. `guardians` are not a device:
 * a threshold of them that helps the player, by conviction or deceived, named longer ago than standing lasts.
 */
export type DeviceKind = 'old' | 'veto' | 'expired' | 'guardians'

export interface Side {
  readonly root?: boolean
  readonly devices?: readonly DeviceKind[]
  /** Version-2 requests that the root key signed in advance. */
  readonly requests?: number
  /** How many devices the player may attest. */
  readonly attests?: number
  /** The thief found the owner's kept request. */
  readonly found?: boolean
  /** The thief wants the identity, not its end. */
  readonly spares?: boolean
  /** The owner gave the operator a version-1 request in advance. */
  readonly handed?: boolean
}

export interface Scene {
  readonly T: Side
  readonly O: Side
  /** `deceived`: also approves for a thief who asks. */
  readonly operator?: boolean | 'deceived'
  /** Ticks that the operator takes, if not `OPERATOR`. */
  readonly operatorTicks?: number
}

/** The rules that the game is played by: those of the service, or those with one left out. */
export interface Rulebook
  extends Pick<
    typeof rules,
    | 'hasStanding'
    | 'hasCosignStanding'
    | 'needsCosigner'
    | 'mayOpen'
    | 'mayReopen'
    | 'mayAnyoneActivate'
    | 'checkDue'
    | 'decideVeto'
    | 'decideDeactivation'
    | 'mayApprove'
  > {
  /** Ticks of a window, of a contested request, and of standing. */
  readonly times: rules.Times
  /** R3: whether an attestation starts the window of a device anew. */
  readonly startsAnew: boolean
  /** R2: how often one device may freeze. */
  readonly freezes: number
  /** Whether a threshold of guardians counts as a co-signature. The service knows of none. */
  readonly countsGuardians: boolean
}

export const RULEBOOK: Rulebook = {
  ...rules,
  times: { windowMs: 3, contestMs: 6, standingMs: 9 },
  startsAnew: true,
  freezes: Number.POSITIVE_INFINITY,
  countsGuardians: false,
}
/** The owner looks once in so many ticks, and the operator takes so many. */
export const LOOK = 2
export const OPERATOR = 3
export const MOVES = 3

export interface Device {
  readonly holder: Player
  readonly signs: boolean
  readonly on: boolean
  /** Ticks that it is active, at most a window. */
  readonly age: number
  /** Ticks since it was lost after it had counted, at most the time of standing. */
  readonly lost: number
  readonly expired: boolean
  /** Guardians co-sign, and nothing else. The root key cannot revoke them in time. */
  readonly guardians: boolean
  /** Freezes that it has used, where they run out. */
  readonly frozen: number
}

export interface Request {
  readonly kind: '1' | '2' | 'E'
  readonly by: Player
  readonly left: number
  readonly need: boolean
  /** Masks of devices: who co-signed, who had standing, who could co-sign. */
  readonly cosigned: number
  readonly witnesses: number
  readonly eligible: number
  readonly contested: boolean
  readonly approved: boolean
}

/** `root`: S stolen, so both may hold it; O, T rotated to a key of one player alone; X ended by the thief. */
export interface State {
  readonly root: 'S' | 'O' | 'T' | 'X'
  readonly devices: readonly Device[]
  readonly pending: Request | null
  readonly kept: number
  /** Ticks until the operator approves; -1 not asked, -2 done. */
  readonly operator: number
  /** The same for the thief. */
  readonly deceived: number
  readonly clock: number
}

export function initial(scene: Scene, { times }: Rulebook): State {
  const deviceOf = (holder: Player, kind: DeviceKind): Device => ({
    holder,
    signs: kind !== 'veto',
    on: kind !== 'expired' && kind !== 'guardians',
    age: times.windowMs,
    lost: capOf(times),
    expired: kind === 'expired',
    guardians: kind === 'guardians',
    frozen: 0,
  })
  const devices = (['O', 'T'] as const).flatMap((player) =>
    (scene[player].devices ?? []).map((kind) => deviceOf(player, kind)),
  )
  return { root: 'S', devices, pending: null, kept: scene.O.requests ?? 0, operator: -1, deceived: -1, clock: 0 }
}

export const capOf = ({ standingMs, windowMs }: rules.Times) => Math.max(standingMs, windowMs)

/** What the service knows of a device, seen from now. */
export function spansOf({ on, age, lost, signs }: Device, times: rules.Times): rules.Span[] {
  const spans = on ? [{ since: -age, until: null, cosigns: signs }] : []
  const past = { since: -lost - times.windowMs, until: -lost, cosigns: signs }
  return lost < capOf(times) ? [...spans, past] : spans
}

/** The request as the service keeps it, seen from now. */
export function pendingOf({ kind, left, need, cosigned, contested, approved }: Request): rules.Pending {
  return {
    status: 'pending',
    version: kind === '1' ? 1 : 2,
    requestedAt: -1,
    deadline: kind === '1' ? null : left,
    contestedAt: contested ? -1 : null,
    requiredCosigners: need ? 1 : 0,
    cosigners: cosigned === 0 ? [] : ['a device'],
    approvedAt: approved ? -1 : null,
  }
}

const maskOf = (devices: readonly Device[], test: (device: Device) => boolean) =>
  devices.reduce((mask, device, i) => (test(device) ? mask | (1 << i) : mask), 0)

export function opened(state: State, kind: Request['kind'], by: Player, cosigned: number, book: Rulebook): Request {
  const { times } = book
  const spans = state.devices.map((device) => spansOf(device, times))
  return {
    kind,
    by,
    left: kind === '1' ? 0 : times.windowMs,
    need: kind !== '1' && book.needsCosigner(spans, 0, times),
    cosigned,
    witnesses: maskOf(state.devices, (device) => book.hasStanding(spansOf(device, times), 0, times)),
    eligible: maskOf(state.devices, (device) => maySign(device, book)),
    contested: false,
    approved: false,
  }
}

export const maySign = (device: Device, book: Rulebook) =>
  device.guardians ? book.countsGuardians : book.hasCosignStanding(spansOf(device, book.times), 0, book.times)

const passed = (ticks: number) => (ticks > 0 ? ticks - 1 : ticks)

/** A tick passes: for devices, requests, and the operator, who then approves. */
export function advance(state: State, book: Rulebook): State {
  const { times } = book
  const devices = state.devices.map((device) => ({
    ...device,
    age: device.on ? Math.min(device.age + 1, times.windowMs) : device.age,
    lost: Math.min(device.lost + 1, capOf(times)),
  }))
  const pending = state.pending && { ...state.pending, left: Math.max(0, state.pending.left - 1) }
  const [operator, deceived] = [passed(state.operator), passed(state.deceived)]
  const next = { ...state, devices, pending, operator, deceived, clock: (state.clock + 1) % LOOK }
  if (state.root !== 'S') return next
  if (deceived === 0) return { ...next, deceived: -2, pending: { ...opened(next, '1', 'T', 0, book), approved: true } }
  if (operator !== 0) return next
  const isKnown = pending?.kind === '1' && pending.by === 'O'
  if (!isKnown && !book.mayApprove({ version: 1, status: 'frozen' })) return next
  return { ...next, operator: -2, pending: { ...opened(next, '1', 'O', 0, book), approved: true } }
}
