/** Requests, vetoes and deactivations of identities that commit to no successor: R1 to R11. */
import type * as rules from '../../../src/rotation/rules.ts'
import { maySign, opened, pendingOf, type Request, spansOf } from './model.ts'
import { type Add, changed, has, type Turn } from './turn.ts'

export function plainMoves(turn: Turn, add: Add): void {
  const signers = turn.mine.filter((i) => {
    const device = turn.state.devices[i]
    return device !== undefined && maySign(device, turn.book)
  })
  const { root = false } = turn.scene[turn.player]
  const { pending } = turn.state
  if (root || (turn.player === 'O' && turn.state.kept > 0)) requests(turn, signers, add)
  if (turn.player === 'T' && root && !turn.scene.T.spares) deactivations(turn, signers, add)
  if (pending?.by === turn.player) decisions(turn, pending, add)
  if (!pending || pending.by === turn.player) return
  vetoes(turn, pending, add)
  if (root) rootVetoes(turn, pending, add)
}

const opening = ({ state, player, book }: Turn, kind: Request['kind'], cosigned: number) =>
  opened(state, { kind, basis: 'root', by: player, cosigned }, book)

const sends = ({ state, player, scene, mine }: Turn) =>
  scene[player].root === true || mine.some((i) => state.devices[i]?.on)

function requests(turn: Turn, signers: readonly number[], add: Add): void {
  const { state, player, scene, book } = turn
  const { root = false } = scene[player]
  const { pending } = state
  const current = pending && pendingOf(pending)
  const paid = root ? {} : { kept: state.kept - 1 }
  if (sends(turn) && book.mayOpen(current, false)) {
    add('request 2', { ...paid, pending: opening(turn, '2', 0) })
    if (root) add('request 1', { pending: opening(turn, '1', 0) })
  }
  if (book.mayOpen(current, true))
    for (const i of signers) add(`request 2, co-signed by ${i}`, { ...paid, pending: opening(turn, '2', 1 << i) })
  const ended: rules.Pending = { ...pendingOf(opening({ ...turn, player: 'O' }, '2', 0)), status: 'cancelled' }
  if (player === 'T' && root && scene.T.found && state.kept > 0 && !pending && !book.mayReopen(ended)) {
    add('send and cancel the kept request', { kept: state.kept - 1 })
  }
}

function deactivations(turn: Turn, signers: readonly number[], add: Add): void {
  const { book, state } = turn
  const current = state.pending && pendingOf(state.pending)
  const spans = state.devices.map((device) => spansOf(device, book.times))
  const decided = book.decideDeactivation(current, spans, 0, book.times)
  if (decided === 'at_once') add('deactivate', { root: 'X' })
  if (decided !== 'waits') return
  if (book.mayOpen(current, false)) add('deactivation', { pending: opening(turn, 'E', 0) })
  if (book.mayOpen(current, true))
    for (const i of signers) add(`deactivation, co-signed by ${i}`, { pending: opening(turn, 'E', 1 << i) })
}

/** Of one's own request. */
function decisions(turn: Turn, pending: Request, add: Add): void {
  const current = pendingOf(pending)
  for (const i of turn.mine) {
    if (pending.kind === '1' || !has(pending.eligible, i) || has(pending.cosigned, i)) continue
    add(`co-sign by ${i}`, { pending: { ...pending, cosigned: pending.cosigned | (1 << i) } })
  }
  if (turn.book.checkDue(current, 0).ok && (sends(turn) || turn.book.mayAnyoneActivate(current))) {
    add(`activate ${pending.kind}`, { root: pending.kind === 'E' ? 'X' : turn.player, pending: null })
  }
}

function vetoes({ state: { devices }, mine, book }: Turn, pending: Request, add: Add): void {
  for (const i of mine) {
    const device = devices[i]
    if (!device || device.frozen >= book.freezes) continue
    const by = {
      isActive: device.on,
      hasStanding: book.hasStanding(spansOf(device, book.times), 0, book.times),
      isWitness: has(pending.witnesses, i),
    }
    if (!book.decideVeto(pendingOf(pending), by, 0).ok) continue
    const frozen = Number.isFinite(book.freezes) ? device.frozen + 1 : 0
    add(`freeze by ${i}`, { pending: null, devices: changed(devices, i, { frozen }) })
  }
}

function rootVetoes({ book: { decideVeto, times } }: Turn, pending: Request, add: Add): void {
  const decided = decideVeto(pendingOf(pending), 'root', 0)
  if (!decided.ok) return
  const left = pending.left + times.contestMs - times.windowMs
  if (decided.value === 'stop') add('cancel', { pending: null })
  else add('contest', { pending: { ...pending, contested: true, left } })
}
