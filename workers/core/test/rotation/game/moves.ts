/** Everything a player can do now. Moves that never help, like freezing one's own request, are left out. */
import { countsAt } from '../../../src/rotation/standing-rules.ts'
import { committedMoves } from './committed/moves.ts'
import { initial, lost, NO_TRACES, type Player, type Scene, type State, spansOf, stands } from './model.ts'
import { plainMoves } from './plain-moves.ts'
import { capOf, type Rulebook } from './rulebook.ts'
import { type Add, changed, type Move, type Turn } from './turn.ts'

export function movesOf(state: State, player: Player, scene: Scene, book: Rulebook): Move[] {
  const moves: Move[] = []
  const adding =
    (trace: Partial<State['traces']>): Add =>
    (label, changes) => {
      const leaves = player === 'T' && !state.isKnown
      const traces = leaves ? { ...state.traces, ...trace } : state.traces
      moves.push([`${player}: ${label}`, { ...state, ...changes, traces }])
    }
  if (player === 'T' && state.restores > 0) adding({})('restore', restored(state, scene, book))
  if (state.root !== 'S' || (player === 'O' && !state.isKnown)) return moves
  const mine = [...state.devices.keys()].filter((i) => state.devices[i]?.holder === player)
  const turn: Turn = { state, player, scene, book, mine }
  const requests = scene.commitment ? committedMoves : plainMoves
  requests(turn, adding({ rotations: true }))
  if (scene[player].root) deviceMoves(turn, adding({ devices: true }))
  operatorMoves(turn, adding({}))
  return moves
}

/** What the thief has left to see is seen at this look; what the owner sees tells them of the theft. */
export function looked(state: State, { view }: Scene): State {
  const { rotations, devices } = state.traces
  const isSeen = rotations || (view === 'devices' && devices)
  return state.isKnown || !isSeen ? state : { ...state, isKnown: true, traces: NO_TRACES }
}

/** The service as it was at the beginning; the players keep what they know. */
function restored(state: State, scene: Scene, book: Rulebook): Partial<State> {
  const { root, devices, pending, disputed, kept } = initial(scene, book)
  const operator = state.operator === -2 ? -1 : state.operator
  return { root, devices, pending, disputed, kept, operator, restores: state.restores - 1 }
}

const NEW_DEVICE = { signs: true, on: true, age: 0, expired: false, guardians: false, frozen: 0 }

/** The root key revokes and attests. */
function deviceMoves({ state, player, scene, book, mine }: Turn, add: Add): void {
  const { devices } = state
  for (const [i, device] of devices.entries()) {
    if (device.holder === player || !device.on) continue
    add(`revoke ${i}`, { devices: changed(devices, i, lost(device)) })
  }
  const spans = devices.map((device) => spansOf(device, book.times))
  /** Returns the ticks until a device that is attested now gains standing. The player's other devices agree if they can. */
  const waitFor = (i: number) => {
    const isAgreed = mine.some((k) => k !== i && devices[k] && stands(devices[k], book))
    const beginning = { isAttestation: true, isAgreed, own: spans[i] ?? [], others: spans.filter((_, k) => k !== i) }
    return countsAt({ since: 0, wait: book.waitOf(beginning, 0, book.times) }, book.times)
  }
  for (const i of mine.filter((k) => devices[k]?.expired)) {
    const wait = waitFor(i)
    const age = book.startsAnew ? 0 : wait
    add(`attest ${i} anew`, { devices: changed(devices, i, { on: true, expired: false, age, wait }) })
  }
  const known = (scene.O.devices ?? []).length + (scene.T.devices ?? []).length
  if (devices.length < (scene[player].attests ?? 0) + known) {
    const fresh = { ...NEW_DEVICE, holder: player, wait: waitFor(devices.length), lost: capOf(book.times) }
    add(`attest ${devices.length}`, { devices: [...devices, fresh] })
  }
}

function operatorMoves({ state, player, scene, book }: Turn, add: Add): void {
  const { root = false, successor = false, handed = false } = scene[player]
  const may = scene.commitment ? book.mayAsk({ root, successor, device: false }) : root || handed
  const takes = scene.operatorTicks ?? book.operator
  if (player === 'O' && scene.operator && may && state.operator === -1) add('ask the operator', { operator: takes })
  const canDeceive = scene.operator === 'deceived' && may
  if (player === 'T' && canDeceive && state.deceived === -1) add('deceive the operator', { deceived: takes })
}
