/** Requests, vetoes and deactivations of identities that commit to their successors: R12 to R19. */
import { maySign, opened, type Request, stands } from '../model.ts'
import { type Add, has, type Turn } from '../turn.ts'
import type { Basis, Factors, Rival, Vetoer } from './rules.ts'

export function committedMoves(turn: Turn, add: Add): void {
  const { pending } = turn.state
  openings(turn, add)
  if (pending?.by === turn.player) decisions(turn, pending, add)
  if (pending && pending.by !== turn.player) vetoes(turn, pending, add)
}

const rivalOf = ({ basis, cosigned, approved }: Request): Rival => ({
  basis: basis as Basis,
  isCosigned: cosigned !== 0,
  isApproved: approved,
})

const LABELS: Readonly<Record<Basis, string>> = {
  full: 'request',
  successor: 'slow request',
  replacement: 'request for another key',
}

function openings(turn: Turn, add: Add): void {
  const { state, player, scene, book, mine } = turn
  const { root = false, successor = false, spares = false } = scene[player]
  const signsRoot = root || (player === 'O' && state.kept > 0)
  const signers = mine.filter((i) => state.devices[i] && maySign(state.devices[i], book))
  const open = (label: string, kind: Request['kind'], basis: Basis, device: number | null) => {
    const cosigned = device === null ? 0 : 1 << device
    const isWitness = device !== null && state.pending !== null && has(state.pending.witnesses, device)
    const request = { basis, isCosigned: device !== null, isWitness }
    const decided = book.committed.decideOpening(state.pending && rivalOf(state.pending), request, state.disputed)
    const told = device === null ? label : `${label}, co-signed by ${device}`
    if (decided === 'opens') add(told, { pending: opened(state, { kind, basis, by: player, cosigned }, book) })
    const isOther = state.pending?.by !== player
    if (decided === 'disputes' && isOther)
      add(`${told}: disputed`, { pending: null, disputed: book.committed.strengthOf(request) || state.disputed })
  }
  const may = (factors: Factors) => book.committed.basisOf(factors, scene.commitment === 'replaceable')
  for (const device of [null, ...signers]) {
    const bases = new Set([
      may({ root: signsRoot, successor, device: device !== null }),
      may({ root: false, successor, device: device !== null }),
      // What is kept is a request for a key that was committed.
      may({ root, successor: false, device: device !== null }),
    ])
    for (const basis of bases) {
      // A device adds nothing to a committed key alone.
      if (basis !== null && !(basis === 'successor' && device !== null)) open(LABELS[basis], '2', basis, device)
    }
    const ends = book.committed.mayDeactivate({ root, successor, device: device !== null })
    if (player === 'T' && !spares && ends) open('deactivation', 'E', 'full', device)
  }
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
  const counts = mine.some((i) => {
    const device = state.devices[i]
    return device && (device.on || has(pending.witnesses, i) || stands(device, book))
  })
  const vetoers: Vetoer[] = [
    ...(successor ? (['successor'] as const) : []),
    ...(root ? (['root'] as const) : []),
    ...(counts ? [{ counts }] : []),
  ]
  const at = { isContested: pending.contested, isDue: pending.left === 0 }
  const decided = vetoers.map((by) => book.committed.decideVeto(rivalOf(pending), by, at))
  const may = (what: 'stop' | 'contest') => decided.some((one) => one.ok && one.value === what)
  if (may('stop')) add('end it', { pending: null })
  const { contestMs, windowMs } = book.times
  if (may('contest'))
    add('contest', { pending: { ...pending, contested: true, left: pending.left + contestMs - windowMs } })
}
