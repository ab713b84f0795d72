/** Requests, vetoes and deactivations of identities that commit to their successors: R12 to R19. */
import type { RotationBasis } from '@svc/protocol/chain/rotation'
import type { Vetoer } from '../../../../src/rotation/rules.ts'
import { maySign, opened, pendingOf, type Request, stands } from '../model.ts'
import { type Add, has, type Turn } from '../turn.ts'
import type { Factors } from './rules.ts'

export function committedMoves(turn: Turn, add: Add): void {
  const { pending } = turn.state
  openings(turn, add)
  if (pending?.by === turn.player) decisions(turn, pending, add)
  if (pending && pending.by !== turn.player) vetoes(turn, pending, add)
}

const LABELS: Readonly<Record<RotationBasis, string>> = {
  root: 'request by the root key',
  full: 'request',
  successor: 'slow request',
  replacement: 'request for another key',
}

function openings(turn: Turn, add: Add): void {
  const { state, player, scene, book, mine } = turn
  const { root = false, successor = false, spares = false } = scene[player]
  const isReplaceable = scene.commitment === 'replaceable'
  const signers = mine.filter((i) => state.devices[i] && maySign(state.devices[i], book))
  for (const signer of [null, ...signers]) {
    const device = signer !== null
    for (const factors of handsOf(turn, device)) {
      const basis = book.basisOf(factors, isReplaceable)
      // A device adds nothing to a committed key alone.
      if (basis !== null && !(basis === 'successor' && device)) open(turn, '2', basis, signer, add)
    }
    const ends = player === 'T' && !spares && book.mayEnd({ root, successor, device })
    if (ends) open(turn, 'E', 'full', signer, add)
  }
}

/** What the player can sign with: all that they have, the committed key alone, or without it. */
function handsOf({ state, player, scene }: Turn, device: boolean): Factors[] {
  const { root = false, successor = false } = scene[player]
  // What is kept is a request for a committed key.
  const signsRoot = root || (player === 'O' && state.kept > 0)
  const all = { root: signsRoot, successor, device }
  const alone = { root: false, successor, device }
  const without = { root, successor: false, device }
  return successor ? [...(signsRoot ? [all] : []), alone, without] : [without]
}

function open(turn: Turn, kind: Request['kind'], basis: RotationBasis, signer: number | null, add: Add): void {
  const { state, player, book } = turn
  const { pending, disputed } = state
  const [cosigned, cosigners] = signer === null ? [0, []] : [1 << signer, ['a device']]
  const wanted = { basis, version: 2, cosigners } as const
  const decided = book.decideSuccession(pending && pendingOf(pending), wanted, disputed, kind !== 'E')
  const isOwn = pending?.by === player
  // Nobody gains by asking again for what they have asked for: that could go on for ever within a tick.
  const isRepeated = isOwn && pending.basis === basis && (pending.cosigned !== 0) === (signer !== null)
  if (!decided.ok || isRepeated) return
  const what = kind === 'E' ? 'deactivation' : LABELS[basis]
  const label = signer === null ? what : `${what}, co-signed by ${signer}`
  if (decided.value !== 'disputes') {
    add(label, { pending: opened(state, { kind, basis, by: player, cosigned }, book) })
    return
  }
  // A device counts against what all three factors opened if it had standing then.
  const isWitness = signer === null || (pending !== null && has(pending.witnesses, signer))
  if (!isOwn && isWitness) add(`${label}: disputed`, { pending: null, disputed: signer === null ? 3 : 4 })
}

/** Of one's own request. */
function decisions({ player, mine }: Turn, pending: Request, add: Add): void {
  const isOpen = pending.basis === 'full' && pending.cosigned === 0 && !pending.approved
  for (const i of mine.filter((k) => isOpen && has(pending.eligible, k))) {
    add(`co-sign by ${i}`, { pending: { ...pending, cosigned: 1 << i } })
  }
  if (pending.left === 0) add('activate', { root: pending.kind === 'E' ? 'X' : player, pending: null })
}

function vetoes({ state, player, scene, book, mine }: Turn, pending: Request, add: Add): void {
  const { root = false, successor = false } = scene[player]
  const devices = mine.flatMap((i): Vetoer[] => {
    const device = state.devices[i]
    if (!device) return []
    const isWitness = has(pending.witnesses, i)
    return [{ isActive: device.on, hasStanding: stands(device, book), isWitness }]
  })
  const vetoers: Vetoer[] = [
    ...(successor ? ['successor' as const] : []),
    ...(root ? ['root' as const] : []),
    ...devices,
  ]
  const decided = vetoers.map((by) => book.decideVeto(pendingOf(pending), by, 0))
  const may = (what: 'stop' | 'contest') => decided.some((one) => one.ok && one.value === what)
  if (may('stop')) add('end it', { pending: null })
  const left = pending.left + book.times.contestMs - book.times.windowMs
  if (may('contest')) add('contest', { pending: { ...pending, contested: true, left } })
}
