import type * as rules from '../../../src/rotation/rules.ts'
import {
  capOf,
  type Device,
  maySign,
  OPERATOR,
  opened,
  type Player,
  pendingOf,
  type Rulebook,
  type Scene,
  type State,
  spansOf,
} from './model.ts'

export type Move = readonly [label: string, next: State]

const has = (mask: number, i: number) => (mask & (1 << i)) !== 0

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
