/**
 * Owner and thief of an identity with a commitment move at random at the real service, by the rules and against them.
 * Each act is also a move of the model, or none: service and model must allow the same, and show the same afterwards.
 */
import { at } from '../../rotation.fixture.ts'
import { advance, initial, type Scene, type State } from '../model.ts'
import type { Random } from '../random-game.ts'
import { TICK_MS } from '../table.ts'
import { CommittedService } from './service.ts'
import { approval, BOOK, type Try, triesOf } from './tries.ts'
import { OwnersView } from './view.ts'

const PLAYERS = ['O', 'T'] as const
const WAITS = [1, 1, 1, 2, 3, 3, 6, 12, 18, 30, 60, 90]

export const pick = <T>(random: Random, from: readonly T[]): T => {
  const one = from[Math.floor(random() * from.length)]
  if (one === undefined) throw new Error('Nothing to pick from')
  return one
}

function dealt(random: Random): Scene {
  const hands = [[], ['old'], ['old'], ['old', 'veto']] as const
  const sideOf = () => ({
    root: random() < 0.75,
    successor: random() < 0.75,
    devices: pick(random, hands),
    attests: 5,
  })
  return { O: sideOf(), T: sideOf(), commitment: pick(random, ['final', 'replaceable']) }
}

/** A kind of act first, so that acts with many operands do not crowd out the others. An operator is asked now and then. */
function chosen(random: Random, tries: readonly Try[]): Try {
  const kindOf = ({ label }: Try) => label.split(/[,\d]/)[0] ?? ''
  const kinds = [...new Set(tries.map(kindOf))]
  const others = kinds.filter((kind) => kind !== 'approval')
  const kind = pick(random, others.length > 0 && random() < 0.9 ? others : kinds)
  return pick(
    random,
    tries.filter((one) => kindOf(one) === kind),
  )
}

export type Disagrees = (what: string, actual: unknown, expected: unknown) => void

/** Compares what the service says with what the model says, and tells what led to it. */
export interface Judged {
  readonly tell: (what: string) => void
  readonly compare: (what: string, actual: unknown, expected: unknown) => void
  readonly look: (state: State, now: number) => Promise<void>
}

export function comparing(title: string, service: CommittedService, view: OwnersView, disagrees: Disagrees): Judged {
  const story = [title]
  const compare: Judged['compare'] = (what, actual, expected) => {
    if (JSON.stringify(actual) !== JSON.stringify(expected)) disagrees(`${story.join('\n')}\n${what}`, actual, expected)
  }
  return {
    compare,
    tell: (what) => story.push(what),
    look: async (state, now) => {
      const [answer, expected] = [await service.seen(), shown(state, service)]
      compare('in public', visible(answer, expected), expected)
      // The game ends with the first root key.
      if (state.root !== 'S') return
      view.see(answer)
      compare('by a watch token', view.devices(state, now), state.devices)
    },
  }
}

/** Plays until the root key changes hands or the identity ends, at most so many acts. Returns how it ended. */
export async function playCommitted(
  seed: number,
  random: Random,
  acts: number,
  disagrees: Disagrees,
): Promise<State['root']> {
  const scene = dealt(random)
  const start = Date.UTC(2027, 0, 1)
  const devices = PLAYERS.flatMap((holder) =>
    (scene[holder].devices ?? []).map((kind) => ({ holder, signs: kind === 'old' })),
  )
  const isReplaceable = scene.commitment === 'replaceable'
  const dealing = { devices, isReplaceable, keeps: false }
  const service = await CommittedService.dealt(dealing, start)
  const view = new OwnersView(service, dealing, scene, start)
  let [state, now] = [initial(scene, BOOK), start]
  const title = `SVC_RANDOM_SEED=${seed} SVC_RANDOM_GAMES=1 plays this again: ${JSON.stringify(scene)}`
  const { tell, compare, look } = comparing(title, service, view, disagrees)
  for (let i = 0; i < acts && state.root === 'S'; i++) {
    if (random() < 0.3) {
      const ticks = pick(random, WAITS)
      now += ticks * TICK_MS
      for (let k = 0; k < ticks; k++) state = advance(state, scene, BOOK)
      tell(`${ticks} ticks`)
    } else {
      const player = pick(random, PLAYERS)
      const asks = scene[player].successor ? [approval(state, player, scene)] : []
      // The owner knows only what the service shows with a watch token, the thief knows everything.
      const known = player === 'O' ? view.stateOf(state, now) : state
      const tries = [...triesOf(known, player, scene), ...asks]
      const allowed = tries.filter(({ after }) => after !== null)
      const from = random() < 0.75 && allowed.length > 0 ? allowed : tries
      if (from.length === 0) continue
      const { label, ask, after } = chosen(random, from)
      tell(label)
      const { status, error } = await ask(service)
      compare('answer', status === 200 ? 'done' : status < 500 ? 'refused' : error, after ? 'done' : 'refused')
      state = after ?? state
    }
    // What is due after three ticks is due a little later.
    now += 1
    at(now)
    // A deactivation takes effect by itself.
    if (state.pending?.kind === 'E' && state.pending.left === 0) state = { ...state, root: 'X', pending: null }
    await look(state, now)
  }
  return state.root
}

/** What anybody must see of a state. */
function shown({ root, pending, disputed }: State, service: CommittedService): Record<string, unknown> {
  if (root !== 'S') return root === 'X' ? { deactivated: true } : { epoch: 1 }
  const { basis, kind, cosigned, contested, approved } = pending ?? {}
  const rotation = pending && {
    kind: kind === 'E' ? 'deactivation' : 'rotation',
    status: 'pending',
    basis,
    newUserId: basis === 'replacement' || kind === 'E' ? undefined : service.userIdOf(pending.by),
    cosignatures: cosigned === 0 ? 0 : 1,
    isContested: contested,
    isApproved: approved,
  }
  return {
    epoch: 0,
    deactivated: false,
    disputed: disputed > 0,
    isPending: rotation !== null,
    ...(rotation ? { rotation } : {}),
  }
}

/** The same members of an answer. */
function visible(answer: Record<string, unknown>, expected: Record<string, unknown>): Record<string, unknown> {
  const rotation = answer['rotation'] as Record<string, unknown> | null
  const told: Record<string, unknown> = { ...answer, isPending: rotation?.['status'] === 'pending' }
  const wanted = expected['rotation'] as Record<string, unknown> | undefined
  if (rotation && wanted) {
    const flags = { isContested: rotation['contestedAt'] !== null, isApproved: rotation['approvedAt'] !== null }
    const both: Record<string, unknown> = { ...rotation, ...flags }
    if (wanted['newUserId'] === undefined) both['newUserId'] = undefined
    told['rotation'] = Object.fromEntries(Object.keys(wanted).map((name) => [name, both[name]]))
  }
  return Object.fromEntries(Object.keys(expected).map((name) => [name, told[name]]))
}
