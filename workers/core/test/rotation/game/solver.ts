/**
 * Solves the game exactly: builds the graph of all reachable states, and finds backwards from a goal the states from
 * which a player can force it, with the number of ticks. "Never" is a fixpoint, not a horizon.
 */
import { advance, initial, type Player, type Scene, type State } from './model.ts'
import { looked, movesOf } from './moves.ts'
import type { Rulebook } from './rulebook.ts'

interface Node {
  readonly state: State
  readonly turn: Player
  /** Moves that the owner has left in this tick. */
  readonly owner: number
  readonly next: number[]
  readonly labels: string[]
}

interface Graph {
  readonly nodes: readonly Node[]
  /** Where the owner learns of the theft. */
  readonly alarms: readonly number[]
}

export interface Outcome {
  /** Ticks until the thief has taken or ended the identity, whatever the owner does; Infinity: never. */
  readonly thief: number
  /** Ticks until the owner has a key of their own, whatever the thief does; Infinity: never. From when they learn of it. */
  readonly owner: number
  readonly nodes: number
  /** The thief's play, if it wins. */
  readonly play: string
}

const TICK = '+'
/** A tick costs as much as many moves, so that the fastest play is also the shortest. */
const TICK_COST = 10_000

/** The worst for the owner over when they happen to look first. */
export function solve(scene: Scene, book: Rulebook): Outcome {
  let [thief, owner, count, play] = [Number.POSITIVE_INFINITY, 0, 0, '']
  for (let phase = 0; phase < book.look; phase++) {
    const { nodes, alarms } = reachable(scene, book, phase)
    const lost = forced(nodes, 'T', ({ root }) => root === 'T' || root === 'X')
    const won = forced(nodes, 'O', ({ root, restores }) => root === 'O' && restores === 0)
    const at = ticksOf(lost[0])
    if (at < thief) [thief, play] = [at, played(nodes, lost, 'T')]
    for (const i of alarms) owner = Math.max(owner, ticksOf(won[i]))
    count += nodes.length
  }
  return { thief, owner, nodes: count, play }
}

const ticksOf = (cost = Number.POSITIVE_INFINITY) => Math.floor(cost / TICK_COST)

function reachable(scene: Scene, book: Rulebook, phase: number): Graph {
  const nodes: Node[] = []
  const alarms = new Set<number>()
  const index = new Map<string, number>()
  const idOf = (state: State, turn: Player, owner: number): number => {
    const key = `${turn}${owner}${keyOf(state)}`
    const known = index.get(key)
    if (known !== undefined) return known
    index.set(key, nodes.length)
    return nodes.push({ state, turn, owner, next: [], labels: [] }) - 1
  }
  const looks = ({ clock }: State) => (clock === phase && !scene.isAbsent ? book.moves : 0)
  const first = initial(scene, book)
  idOf(first, 'T', looks(first))
  if (first.isKnown) alarms.add(0)
  for (const { state, turn, owner, next, labels } of nodes) {
    const to = (label: string, id: number) => {
      labels.push(label)
      next.push(id)
    }
    // A thief who can still restore the service plays on against an owner who has won.
    const isOver = state.root !== 'S'
    if (isOver && !(state.root === 'O' && state.restores > 0)) continue
    const left = turn === 'O' ? owner - 1 : isOver ? 0 : owner
    for (const [label, after] of movesOf(state, turn, scene, book)) to(label, idOf(after, 'T', left))
    if (isOver) to('', idOf({ ...state, restores: 0 }, 'T', 0))
    else if (turn === 'O') to('', idOf(state, 'T', 0))
    else if (owner > 0) {
      const seen = looked(state, scene)
      const id = idOf(seen, 'O', owner)
      if (seen !== state) alarms.add(id)
      to('', id)
    } else {
      const after = advance(state, scene, book)
      to(TICK, idOf(after, 'T', looks(after)))
    }
  }
  return { nodes, alarms: [...alarms] }
}

function keyOf(state: State): string {
  const { root, devices, pending: p, disputed, kept, operator, deceived, restores, traces, isKnown, clock } = state
  const each = devices
    .map((d) => `;${d.holder}${+d.signs}${+d.on}${+d.expired}${+d.guardians}${d.age},${d.wait},${d.lost},${d.frozen}`)
    .join('')
  const about = p
    ? `/${p.kind}${p.basis}${p.by}${p.left},${+p.need}${p.cosigned},${p.witnesses},${p.eligible},${+p.contested}${+p.approved}`
    : ''
  const seen = `${+traces.rotations}${+traces.devices}${+isKnown}`
  return `${root}${clock},${operator},${deceived},${kept}${disputed}${restores}${seen}${each}${about}`
}

/** The cost at which a player can force a goal from each node. */
function forced(nodes: readonly Node[], player: Player, isGoal: (state: State) => boolean): number[] {
  const cost = nodes.map(() => Number.POSITIVE_INFINITY)
  const waiting = nodes.map(({ next }) => next.length)
  const slowest = nodes.map(() => 0)
  /** Of each node: a node before it and the cost of the move, in pairs. */
  const before: number[][] = nodes.map(() => [])
  for (const [i, { next, labels }] of nodes.entries())
    for (const [k, target] of next.entries()) before[target]?.push(i, labels[k] === TICK ? TICK_COST : 1)
  const buckets: number[][] = [[...nodes.keys()].filter((i) => nodes[i] && isGoal(nodes[i].state))]
  for (let at = 0; at < buckets.length; at++)
    for (const i of buckets[at] ?? []) {
      if ((cost[i] ?? 0) <= at) continue
      cost[i] = at
      const pairs = before[i] ?? []
      for (let k = 0; k < pairs.length; k += 2) {
        const b = pairs[k] ?? 0
        const then = at + (pairs[k + 1] ?? 0)
        slowest[b] = Math.max(slowest[b] ?? 0, then)
        waiting[b] = (waiting[b] ?? 0) - 1
        const decides = nodes[b]?.turn === player
        if ((cost[b] ?? 0) < Number.POSITIVE_INFINITY || !(decides || waiting[b] === 0)) continue
        const when = decides ? then : (slowest[b] ?? 0)
        buckets[when] ??= []
        buckets[when].push(b)
      }
    }
  return cost
}

/** The play in which both do their best, for a reader. */
function played(nodes: readonly Node[], cost: readonly number[], player: Player): string {
  const told: string[] = []
  let ticks = 0
  for (let i = 0; told.length < 60; ) {
    const node = nodes[i]
    if (!node || node.next.length === 0) break
    const costs = node.next.map((id) => cost[id] ?? Number.POSITIVE_INFINITY)
    const k = costs.indexOf(node.turn === player ? Math.min(...costs) : Math.max(...costs))
    const label = node.labels[k] ?? ''
    if (label === TICK) ticks++
    else if (label !== '') told.push(`${ticks}: ${label}`)
    i = node.next[k] ?? -1
  }
  return told.join(' | ')
}
