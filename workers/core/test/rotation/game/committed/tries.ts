/** What a player of an identity with a commitment can try: a move of the model, and how the service is asked for it. */
import { CONTEST_MS, STANDING_MS } from '@svc/protocol/chain/rotation'
import type { Vetoer } from '../../../../src/rotation/rules.ts'
import { DAY_MS } from '../../rotation.fixture.ts'
import { approvedOf, type Player, pendingOf, type Request, type Scene, type State, stands } from '../model.ts'
import { movesOf } from '../moves.ts'
import { RULEBOOK, type Rulebook } from '../rulebook.ts'
import { type Answer, TICK_MS } from '../table.ts'
import { has } from '../turn.ts'
import type { By, CommittedService } from './service.ts'

const MAX_DEVICES = 5

/** The model with the times of the service, in ticks: 3, 21 and 90. */
export const BOOK: Rulebook = {
  ...RULEBOOK,
  times: { windowMs: DAY_MS / TICK_MS, contestMs: CONTEST_MS / TICK_MS, standingMs: STANDING_MS / TICK_MS },
}

/** Something that a player tries: which move of the model it is, and how the service is asked. */
export interface Try {
  readonly label: string
  readonly ask: (service: CommittedService) => Promise<Answer>
  /** The state after it; null if the model refuses. */
  readonly after: State | null
}

type Add = (label: string, ask: Try['ask'], after?: State | null) => void

interface Trying {
  readonly state: State
  readonly player: Player
  readonly scene: Scene
  readonly mine: readonly number[]
  /** Of the model, without the player. */
  readonly moves: ReadonlyMap<string, State>
  readonly add: Add
}

/** Everything that a player could try. What the model leaves out because it never helps is not tried. */
export function triesOf(state: State, player: Player, scene: Scene): Try[] {
  const moves = new Map(movesOf(state, player, scene, BOOK).map(([label, after]) => [label.slice(3), after]))
  const mine = [...state.devices.keys()].filter((i) => state.devices[i]?.holder === player)
  const tries: Try[] = []
  const add: Add = (label, ask, after = moves.get(label) ?? null) => tries.push({ label, ask, after })
  const trying = { state, player, scene, mine, moves, add }
  const { pending } = state
  if (pending?.by !== player) requests(trying)
  if (pending?.by === player) decisions(trying, pending)
  if (pending && pending.by !== player) vetoes(trying, pending)
  if (scene[player].root) devices(trying)
  return tries
}

function requests({ state, player, scene, mine, moves, add }: Trying): void {
  const { root = false, successor = false } = scene[player]
  const signsRoot = root || (player === 'O' && state.kept > 0)
  for (const device of [null, ...mine]) {
    const opens = (what: string, signs: 'full' | 'successor' | 'replacement') => {
      const label = device === null ? what : `${what}, co-signed by ${device}`
      const after = moves.get(`${label}: disputed`) ?? moves.get(label) ?? null
      add(label, (service) => service.request(player, signs, device), after)
    }
    if (signsRoot && successor) opens('request', 'full')
    if (successor && device === null) opens('slow request', 'successor')
    if (root) opens('request for another key', 'replacement')
  }
  if (player !== 'T' || !root) return
  const after = successor ? (moves.get('deactivation') ?? null) : null
  add('deactivation', (service) => service.deactivate(player, successor), after)
}

/** A committed key asks the operator, who takes no time here. */
export function approval(state: State, player: Player, scene: Scene): Try {
  const after = { ...state, pending: approvedOf(state, player, scene, BOOK) }
  return { label: 'approval', ask: (service) => service.approve(player), after }
}

function decisions({ mine, add }: Trying, { kind, basis, cosigned }: Request): void {
  const signers = basis === 'replacement' || cosigned !== 0 ? [] : mine
  for (const i of signers) add(`co-sign by ${i}`, (service) => service.cosign(i))
  if (kind !== 'E') add('activate', (service) => service.activate())
}

function vetoes({ state, player, scene, mine, add }: Trying, pending: Request): void {
  const { root = false, successor = false } = scene[player]
  const vetoers: By[] = [...(successor ? ['successor' as const] : []), ...(root ? ['root' as const] : []), ...mine]
  for (const by of vetoers) {
    const decided = BOOK.decideVeto(pendingOf(pending), vetoerOf(state, pending, by), 0)
    const label = decided.ok ? { stop: 'end it', contest: 'contest' }[decided.value] : 'veto'
    add(label, (service) => service.freeze(player, by))
  }
}

function vetoerOf({ devices: all }: State, pending: Request, by: By): Vetoer {
  const device = typeof by === 'number' ? all[by] : undefined
  if (typeof by !== 'number' || !device) return by === 'successor' ? 'successor' : 'root'
  return { isActive: device.on, hasStanding: stands(device, BOOK), isWitness: has(pending.witnesses, by) }
}

function devices({ state, player, scene, mine, add }: Trying): void {
  for (const [i, { holder, on }] of state.devices.entries())
    if (holder !== player && on) add(`revoke ${i}`, async (service) => service.revoke(i))
  const known = (scene.O.devices ?? []).length + (scene.T.devices ?? []).length
  if (state.devices.length >= Math.min(MAX_DEVICES, (scene[player].attests ?? 0) + known)) return
  const agreeing = mine.filter((i) => state.devices[i] && stands(state.devices[i], BOOK))
  const label = `attest ${state.devices.length}`
  add(label, async (service) => service.attest(true, agreeing[0] ?? null))
  const young = mine.find((i) => !agreeing.includes(i))
  if (young !== undefined) add(`${label}, agreed by ${young}`, async (service) => service.attest(true, young))
}
