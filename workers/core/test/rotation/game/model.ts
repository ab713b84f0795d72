/**
 * Owner and thief as players, with the moves that the rules of rotation give them. Time goes in ticks. In each tick the
 * thief moves first, answers every move of the owner at once, and moves last; the owner moves only when they look. Ages
 * are capped, so the state space is finite.
 *
 * Both may hold the root key, and a key that the identity has committed to. The operator approves for the owner, and for
 * the thief where a scene says that they can be deceived. Guardians are players' co-signers, for rules that would count
 * them. Officers have no move: a veto or a co-signature names the root key or a device, so an organization is recovered
 * like everybody. Left out: capabilities (losing one is like a revocation), the chain, and holds, which stop no rotation.
 */
import type { RotationBasis } from '@svc/protocol/chain/rotation'
import type * as rules from '../../../src/rotation/rules.ts'
import type { Span } from '../../../src/rotation/standing-rules.ts'
import type { Disputed } from '../../../src/rotation/succession-rules.ts'
import { capOf, type Rulebook } from './rulebook.ts'

export type Player = 'O' | 'T'
/**
 * Devices: one that can co-sign, one that only vetoes, one that could co-sign until it expired. `guardians` are not a device:
 * a threshold of them that helps the player, by conviction or deceived, named longer ago than standing lasts.
 */
export type DeviceKind = 'old' | 'veto' | 'expired' | 'guardians'

export interface Side {
  readonly root?: boolean
  readonly devices?: readonly DeviceKind[]
  /** A key that the identity has committed to. */
  readonly successor?: boolean
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
  /** Whether the identity commits to its successors, and whether root key and device may replace them (R19). */
  readonly commitment?: 'final' | 'replaceable'
  /** `deceived`: also approves for a thief who asks. */
  readonly operator?: boolean | 'deceived'
  /** Ticks that the operator takes, if not those of the rulebook. */
  readonly operatorTicks?: number
  /** R18, what tells the owner of the theft: rotations alone, changes of devices too, or a thief who is caught in the act. */
  readonly view?: 'rotations' | 'devices' | 'at once'
  /** The owner never looks. */
  readonly isAbsent?: boolean
  /** How often the thief may bring the service back to the beginning. */
  readonly restores?: number
}

export interface Device {
  readonly holder: Player
  readonly signs: boolean
  readonly on: boolean
  /** Ticks that it is active, at most as many as it must wait. */
  readonly age: number
  /** Ticks until it counts (R3'). */
  readonly wait: number
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
  readonly basis: RotationBasis
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
  readonly disputed: Disputed
  readonly kept: number
  /** Ticks until the operator approves; -1 not asked, -2 done. */
  readonly operator: number
  /** The same for the thief. */
  readonly deceived: number
  readonly restores: number
  /** What the thief has done that can be seen. */
  readonly traces: { readonly rotations: boolean; readonly devices: boolean }
  /** Whether the owner knows of the theft. */
  readonly isKnown: boolean
  readonly clock: number
}

export const NO_TRACES: State['traces'] = { rotations: false, devices: false }

export function initial(scene: Scene, { times }: Rulebook): State {
  const deviceOf = (holder: Player, kind: DeviceKind): Device => ({
    holder,
    signs: kind !== 'veto',
    on: kind !== 'expired' && kind !== 'guardians',
    age: times.windowMs,
    wait: times.windowMs,
    lost: capOf(times),
    expired: kind === 'expired',
    guardians: kind === 'guardians',
    frozen: 0,
  })
  const devices = (['O', 'T'] as const).flatMap((player) =>
    (scene[player].devices ?? []).map((kind) => tidied(deviceOf(player, kind), times)),
  )
  return {
    root: 'S',
    devices,
    pending: null,
    disputed: 0,
    kept: scene.O.requests ?? 0,
    operator: -1,
    deceived: -1,
    restores: scene.restores ?? 0,
    traces: NO_TRACES,
    isKnown: (scene.view ?? 'at once') === 'at once',
    clock: 0,
  }
}

/** Without what no rule asks any more, so that equal states are one. */
export function tidied(device: Device, times: rules.Times): Device {
  if (!device.on) return { ...device, age: 0, wait: 0 }
  return device.age >= device.wait ? { ...device, age: 0, wait: 0, lost: capOf(times) } : device
}

const isSeasoned = ({ on, age, wait }: Device) => on && age >= wait

/** What the service knows of a device, seen from now. */
export function spansOf(device: Device, times: rules.Times): Span[] {
  const { on, lost, signs } = device
  const since = isSeasoned(device) ? -times.windowMs : 0
  const [cosigns, wait] = [signs, 'window'] as const
  const spans = on ? [{ since, until: null, cosigns, wait }] : []
  const past = { since: -lost - times.windowMs, until: -lost, cosigns, wait }
  return lost < capOf(times) ? [...spans, past] : spans
}

/** A device that counted keeps its standing for a while. */
export const lost = (device: Device): Partial<Device> => ({
  on: false,
  age: 0,
  wait: 0,
  lost: isSeasoned(device) ? 0 : device.lost,
})

/** The request as the service keeps it, seen from now. */
export function pendingOf({ kind, basis, left, need, cosigned, contested, approved }: Request): rules.Pending {
  return {
    status: 'pending',
    basis,
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

export type Opening = Pick<Request, 'kind' | 'basis' | 'by' | 'cosigned'>

export function opened(state: State, opening: Opening, book: Rulebook): Request {
  const { times } = book
  const { kind, basis } = opening
  const spans = state.devices.map((device) => spansOf(device, times))
  return {
    ...opening,
    left: book.deadlineOf(basis, kind === '1' ? 1 : 2, 0, times) ?? 0,
    need: basis === 'root' && kind !== '1' && book.needsCosigner(spans, 0, times),
    witnesses: maskOf(state.devices, (device) => stands(device, book)),
    eligible: maskOf(state.devices, (device) => maySign(device, book)),
    contested: false,
    approved: false,
  }
}

export const stands = (device: Device, book: Rulebook) => book.hasStanding(spansOf(device, book.times), 0, book.times)

export const maySign = (device: Device, book: Rulebook) =>
  device.guardians ? book.countsGuardians : book.hasCosignStanding(spansOf(device, book.times), 0, book.times)

const passed = (ticks: number) => (ticks > 0 ? ticks - 1 : ticks)

/** A tick passes: for devices, requests, and the operator, who then approves. */
export function advance(state: State, scene: Scene, book: Rulebook): State {
  const { times } = book
  const devices = state.devices.map((device) =>
    tidied({ ...device, age: device.age + 1, lost: Math.min(device.lost + 1, capOf(times)) }, times),
  )
  const pending = state.pending && { ...state.pending, left: passed(state.pending.left) }
  const [operator, deceived] = [passed(state.operator), passed(state.deceived)]
  const next = { ...state, devices, pending, operator, deceived, clock: (state.clock + 1) % book.look }
  if (state.root !== 'S') return next
  if (deceived === 0) {
    const traces = state.isKnown ? NO_TRACES : { ...state.traces, rotations: true }
    return { ...next, deceived: -2, traces, pending: approvedOf(next, 'T', scene, book) }
  }
  if (operator !== 0) return next
  const isKnown = scene.commitment !== undefined || (pending?.kind === '1' && pending.by === 'O')
  if (!isKnown && !book.mayApprove({ version: 1, status: 'frozen' })) return next
  return { ...next, operator: -2, pending: approvedOf(next, 'O', scene, book) }
}

export function approvedOf(state: State, by: Player, { commitment }: Scene, book: Rulebook): Request {
  const opening: Opening = { kind: '1', basis: commitment ? 'successor' : 'root', by, cosigned: 0 }
  return { ...opened(state, opening, book), approved: true, left: 0 }
}
