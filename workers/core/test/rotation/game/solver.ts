/**
 * Solves the game exactly: builds the graph of all reachable states, and finds backwards from a goal the states from
 * which a player can force it, with the number of ticks. "Never" is a fixpoint, not a horizon.
 */
import { advance, initial, LOOK, MOVES, type Player, type Rulebook, type Scene, type State } from './model.ts'
import { movesOf } from './moves.ts'

interface Node {
  readonly state: State
  readonly turn: Player
  /** Moves that both have left in this tick. */
  readonly thief: number
  readonly owner: number
  readonly next: number[]
  readonly labels: string[]
}

export interface Outcome {
  /** Ticks until the thief has taken or ended the identity, whatever the owner does; Infinity: never. */
  readonly thief: number
  /** Ticks until the owner has a key of their own, whatever the thief does; Infinity: never. */
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
  for (let phase = 0; phase < LOOK; phase++) {
    const nodes = reachable(scene, book, phase)
    const lost = forced(nodes, 'T', ({ root }) => root === 'T' || root === 'X')
    const won = forced(nodes, 'O', ({ root }) => root === 'O')
    const at = ticksOf(lost[0])
    if (at < thief) [thief, play] = [at, played(nodes, lost, 'T')]
    owner = Math.max(owner, ticksOf(won[0]))
    count += nodes.length
  }
  return { thief, owner, nodes: count, play }
}

const ticksOf = (cost = Number.POSITIVE_INFINITY) => Math.floor(cost / TICK_COST)

function reachable(scene: Scene, book: Rulebook, phase: number): Node[] {
  const nodes: Node[] = []
  const index = new Map<string, number>()
  const idOf = (state: State, turn: Player, thief: number, owner: number): number => {
    const key = `${turn}${thief}${owner}${keyOf(state)}`
    const known = index.get(key)
    if (known !== undefined) return known
    index.set(key, nodes.length)
    return nodes.push({ state, turn, thief, owner, next: [], labels: [] }) - 1
  }
  const looks = ({ clock }: State) => (clock === phase ? MOVES : 0)
  const first = initial(scene, book)
  idOf(first, 'T', MOVES, looks(first))
  for (const { state, turn, thief, owner, next, labels } of nodes) {
    if (state.root !== 'S') continue
    const to = (label: string, id: number) => {
      labels.push(label)
      next.push(id)
    }
    if (turn === 'O') {
      for (const [label, after] of movesOf(state, 'O', scene, book)) to(label, idOf(after, 'T', thief, owner - 1))
      to('', idOf(state, 'T', thief, 0))
      continue
    }
    if (thief > 0)
      for (const [label, after] of movesOf(state, 'T', scene, book)) to(label, idOf(after, 'T', thief - 1, owner))
    if (owner > 0) to('', idOf(state, 'O', thief, owner))
    else {
      const after = advance(state, book)
      to(TICK, idOf(after, 'T', MOVES, looks(after)))
    }
  }
  return nodes
}

function keyOf({ root, devices, pending: p, kept, operator, deceived, clock }: State): string {
  const each = devices
    .map((d) => `;${d.holder}${+d.signs}${+d.on}${+d.expired}${+d.guardians}${d.age},${d.lost},${d.frozen}`)
    .join('')
  const about = p
    ? `/${p.kind}${p.by}${p.left},${+p.need}${p.cosigned},${p.witnesses},${p.eligible},${+p.contested}${+p.approved}`
    : ''
  return `${root}${clock},${operator},${deceived},${kept}${each}${about}`
}

/** The cost at which a player can force a goal from each node. */
function forced(nodes: readonly Node[], player: Player, isGoal: (state: State) => boolean): number[] {
  const cost = nodes.map(() => Number.POSITIVE_INFINITY)
  const waiting = nodes.map(({ next }) => next.length)
  const slowest = nodes.map(() => 0)
  const before: number[][] = nodes.map(() => [])
  for (const [i, { next }] of nodes.entries()) for (const target of next) before[target]?.push(i)
  const buckets: number[][] = [[...nodes.keys()].filter((i) => nodes[i] && isGoal(nodes[i].state))]
  for (let at = 0; at < buckets.length; at++)
    for (const i of buckets[at] ?? []) {
      if ((cost[i] ?? 0) <= at) continue
      cost[i] = at
      for (const b of before[i] ?? []) {
        const node = nodes[b]
        if (!node) continue
        const then = at + (node.labels[node.next.indexOf(i)] === TICK ? TICK_COST : 1)
        slowest[b] = Math.max(slowest[b] ?? 0, then)
        waiting[b] = (waiting[b] ?? 0) - 1
        const decides = node.turn === player
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
