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

export type Move = readonly [label: string, next: State]

const has = (mask: number, i: number) => (mask & (1 << i)) !== 0

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

const capOf = ({ standingMs, windowMs }: rules.Times) => Math.max(standingMs, windowMs)

/** What the service knows of a device, seen from now. */
function spansOf({ on, age, lost, signs }: Device, times: rules.Times): rules.Span[] {
  const spans = on ? [{ since: -age, until: null, cosigns: signs }] : []
  const past = { since: -lost - times.windowMs, until: -lost, cosigns: signs }
  return lost < capOf(times) ? [...spans, past] : spans
}

/** The request as the service keeps it, seen from now. */
function pendingOf({ kind, left, need, cosigned, contested, approved }: Request): rules.Pending {
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

function opened(state: State, kind: Request['kind'], by: Player, cosigned: number, book: Rulebook): Request {
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

const maySign = (device: Device, book: Rulebook) =>
  device.guardians ? book.countsGuardians : book.hasCosignStanding(spansOf(device, book.times), 0, book.times)

/** A device that counted keeps its standing for a while. */
const lose = (device: Device, { windowMs }: rules.Times): Partial<Device> => ({
  on: false,
  lost: device.on && device.age >= windowMs ? 0 : device.lost,
})

const changed = (devices: readonly Device[], i: number, changes: Partial<Device>) =>
  devices.map((device, k) => (k === i ? { ...device, ...changes } : device))

const NEW_DEVICE = { signs: true, on: true, age: 0, expired: false, guardians: false, frozen: 0 }

/** Everything a player can do now. Moves that never help, like freezing one's own request, are left out. */
export function movesOf(state: State, player: Player, scene: Scene, book: Rulebook): Move[] {
  if (state.root !== 'S') return []
  const moves: Move[] = []
  const add = (label: string, changes: Partial<State>) => moves.push([`${player}: ${label}`, { ...state, ...changes }])
  const { devices, pending } = state
  const { root = false } = scene[player]
  const { times } = book
  const mine = [...devices.keys()].filter((i) => devices[i]?.holder === player)
  const sends = root || mine.some((i) => devices[i]?.on)
  const current = pending && pendingOf(pending)
  const signers = mine.filter((i) => {
    const device = devices[i]
    return device !== undefined && maySign(device, book)
  })

  if (root || (player === 'O' && state.kept > 0)) {
    const paid = root ? {} : { kept: state.kept - 1 }
    if (sends && book.mayOpen(current, false)) {
      add('request 2', { ...paid, pending: opened(state, '2', player, 0, book) })
      if (root) add('request 1', { pending: opened(state, '1', player, 0, book) })
    }
    if (book.mayOpen(current, true))
      for (const i of signers)
        add(`request 2, co-signed by ${i}`, { ...paid, pending: opened(state, '2', player, 1 << i, book) })
  }
  const ended: rules.Pending = { ...pendingOf(opened(state, '2', 'O', 0, book)), status: 'cancelled' }
  if (player === 'T' && root && scene.T.found && state.kept > 0 && !pending && !book.mayReopen(ended)) {
    add('send and cancel the kept request', { kept: state.kept - 1 })
  }
  if (player === 'T' && root && !scene.T.spares) {
    const spans = devices.map((device) => spansOf(device, times))
    const decided = book.decideDeactivation(current, spans, 0, times)
    if (decided === 'at_once') add('deactivate', { root: 'X' })
    if (decided === 'waits') {
      if (book.mayOpen(current, false)) add('deactivation', { pending: opened(state, 'E', 'T', 0, book) })
      if (book.mayOpen(current, true))
        for (const i of signers)
          add(`deactivation, co-signed by ${i}`, { pending: opened(state, 'E', 'T', 1 << i, book) })
    }
  }
  if (pending && current) {
    if (pending.by === player) {
      for (const i of mine) {
        if (pending.kind === '1' || !has(pending.eligible, i) || has(pending.cosigned, i)) continue
        add(`co-sign by ${i}`, { pending: { ...pending, cosigned: pending.cosigned | (1 << i) } })
      }
      if (book.checkDue(current, 0).ok && (sends || book.mayAnyoneActivate(current))) {
        add(`activate ${pending.kind}`, { root: pending.kind === 'E' ? 'X' : player, pending: null })
      }
    } else {
      for (const i of mine) {
        const device = devices[i]
        if (!device || device.frozen >= book.freezes) continue
        const by = {
          isActive: device.on,
          hasStanding: book.hasStanding(spansOf(device, times), 0, times),
          isWitness: has(pending.witnesses, i),
        }
        if (!book.decideVeto(current, by, 0).ok) continue
        const frozen = Number.isFinite(book.freezes) ? device.frozen + 1 : 0
        add(`freeze by ${i}`, { pending: null, devices: changed(devices, i, { frozen }) })
      }
    }
    const decided = root ? book.decideVeto(current, 'root', 0) : null
    const isOther = pending.by !== player
    if (decided?.ok && decided.value === 'stop' && (isOther || player === 'T')) add('cancel', { pending: null })
    if (decided?.ok && decided.value === 'contest' && isOther) {
      const left = pending.left + times.contestMs - times.windowMs
      add('contest', { pending: { ...pending, contested: true, left } })
    }
  }
  if (root) {
    for (const [i, device] of devices.entries()) {
      if (device.holder === player || !device.on) continue
      add(`revoke ${i}`, { devices: changed(devices, i, lose(device, times)) })
    }
    for (const i of mine.filter((k) => devices[k]?.expired)) {
      const age = book.startsAnew ? 0 : times.windowMs
      add(`attest ${i} anew`, { devices: changed(devices, i, { on: true, expired: false, age }) })
    }
    const known = (scene.O.devices ?? []).length + (scene.T.devices ?? []).length
    if (devices.length < (scene[player].attests ?? 0) + known) {
      const fresh = { ...NEW_DEVICE, holder: player, lost: capOf(times) }
      add(`attest ${devices.length}`, { devices: [...devices, fresh] })
    }
  }
  const canAsk = scene.operator && (root || scene.O.handed)
  if (player === 'O' && canAsk && state.operator === -1)
    add('ask the operator', { operator: scene.operatorTicks ?? OPERATOR })
  const canDeceive = scene.operator === 'deceived' && root
  if (player === 'T' && canDeceive && state.deceived === -1) add('deceive the operator', { deceived: OPERATOR })
  return moves
}

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
