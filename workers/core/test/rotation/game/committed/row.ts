/**
 * A row of the table, played at the real service: the thief moves at random by the rules, the owner looks twice in a
 * window and does what the page says. Each move must be allowed, and everybody must see what the model says.
 *
 * The owner learns of a theft only from the root response to a watch token, and acts on the devices that it showed.
 */
import { at } from '../../rotation.fixture.ts'
import { advance, initial, type Player, type Scene, type State } from '../model.ts'
import { looked } from '../moves.ts'
import type { Random } from '../random-game.ts'
import { TICK_MS } from '../table.ts'
import { comparing, type Disagrees, type Judged, pick } from './play.ts'
import { sceneOf } from './scenes.ts'
import { CommittedService } from './service.ts'
import { approval, BOOK, triesOf } from './tries.ts'
import { OwnersView } from './view.ts'

export interface Row {
  readonly thief: string
  readonly owner: string
  readonly rest?: Partial<Scene>
  /** Ticks from the first sign of the theft to the owner's new key; null: nobody gets one. */
  readonly within: number | null
}

/** What the page says to do, the first that is possible. */
const ADVICE = [
  /^activate/,
  /^request, co-signed/,
  /^request$/,
  /^co-sign/,
  /^end it/,
  /^contest/,
  /^slow request/,
  /^request for another key/,
  /^revoke/,
]
const MOVES = 4
/** Five days. */
const OPERATOR = 15

/** Chooses a move by its label, or none. */
export type Thief = (allowed: readonly string[]) => string | null

/** Moves at random, some more often than others. */
export function randomThief(random: Random): Thief {
  const eager = pick(random, [1, 2, 4, 8])
  return (allowed) => (allowed.length > 0 && random() < 1 / eager ? pick(random, allowed) : null)
}

interface Game extends Judged {
  readonly scene: Scene
  readonly service: CommittedService
  readonly view: OwnersView
  readonly thief: Thief
  now: number
}

/** Returns who has the identity after so many ticks, and how many of them the owner knew of the theft. */
export async function playRow(
  { thief: holds, owner, rest }: Row,
  thief: Thief,
  ticks: number,
  disagrees: Disagrees,
): Promise<{ readonly root: State['root']; readonly took: number }> {
  const scene = sceneOf(holds, owner, { commitment: 'final', view: 'devices', operatorTicks: OPERATOR, ...rest })
  const start = Date.UTC(2027, 0, 1)
  const devices = (['O', 'T'] as const).flatMap((holder) =>
    (scene[holder].devices ?? []).map(() => ({ holder, signs: true })),
  )
  const isReplaceable = scene.commitment === 'replaceable'
  const keeps = (scene.O.requests ?? 0) > 0
  const dealing = { devices, isReplaceable, keeps }
  const service = await CommittedService.dealt(dealing, start)
  const view = new OwnersView(service, dealing, scene, start)
  const judged = comparing(`${holds} | ${owner}`, service, view, disagrees)
  const game: Game = { scene, service, view, thief, now: start, ...judged }
  let [state, since] = [initial(scene, BOOK), 0]
  for (let tick = 0; tick < ticks && state.root === 'S'; tick++) {
    for (let k = 0; k < MOVES; k++) state = await thiefMoves(state, game)
    if (tick % BOOK.look === 0) {
      if (!state.isKnown) since = tick
      const known = looked(state, scene)
      if (state.root === 'S' && !state.isKnown) game.compare('signs of the theft', view.hasSigns, known.isKnown)
      state = await ownerLooks(known, game)
    }
    state = await tickPasses(state, game)
    if (state.root !== 'S') return { root: state.root, took: tick - since }
  }
  return { root: state.root, took: ticks - since }
}

async function thiefMoves(state: State, game: Game): Promise<State> {
  if (state.root !== 'S') return state
  const allowed = triesOf(state, 'T', game.scene).filter(({ after }) => after !== null)
  const label = game.thief(allowed.map((one) => one.label))
  return label === null ? state : move(state, 'T', label, game)
}

async function ownerLooks(seen: State, game: Game): Promise<State> {
  let state = seen
  if (game.scene.operator && state.isKnown && state.operator === -1) state = { ...state, operator: OPERATOR }
  // Each piece of advice once a look: core takes 100 requests of one factor in 30 days.
  for (const advice of ADVICE) {
    if (!state.isKnown || state.root !== 'S') break
    const known = game.view.stateOf(state, game.now)
    const allowed = triesOf(known, 'O', game.scene).filter((one) => one.after !== null)
    const wanted = allowed.find(({ label }) => advice.test(label))
    if (!wanted) continue
    state = await move(state, 'O', wanted.label, game)
    state = await thiefMoves(state, game)
  }
  return state
}

async function move(state: State, player: Player, label: string, game: Game): Promise<State> {
  const one = triesOf(state, player, game.scene).find((each) => each.label === label && each.after !== null)
  if (!one?.after) throw new Error(`The model does not know: ${label}`)
  game.tell(`${player}: ${label}`)
  game.compare('answer', (await one.ask(game.service)).error, null)
  return settled(one.after, game)
}

async function settled(state: State, game: Game): Promise<State> {
  game.now += 1
  at(game.now)
  const ends = state.pending?.kind === 'E' && state.pending.left === 0
  const next: State = ends ? { ...state, root: 'X', pending: null } : state
  await game.look(next, game.now)
  return next
}

async function tickPasses(state: State, game: Game): Promise<State> {
  if (state.root !== 'S') return state
  game.now += TICK_MS
  at(game.now)
  const next = advance(state, game.scene, BOOK)
  if (state.operator === 1) {
    game.tell('the operator approves')
    game.compare('answer', (await approval(state, 'O', game.scene).ask(game.service)).error, null)
  }
  game.tell('+')
  return settled(next, game)
}
