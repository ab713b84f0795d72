/**
 * Explores a model exhaustively: every state that any order of moves leads to, breadth first, so that the trace to a
 * violation is the shortest one. States are plain values; two with the same JSON are one.
 */
export interface Model<State> {
  readonly initial: State
  /** What can happen next: the name of a move, and the state after it. */
  moves(state: State): Iterable<readonly [move: string, after: State]>
}

/** Whether a promise holds in a state. */
export type Invariants<State> = Readonly<Record<string, (state: State) => boolean>>

export interface Explored<State> {
  readonly states: readonly State[]
  readonly moves: number
  /** By promise, the shortest way to break it. Empty if all hold. */
  readonly violations: Readonly<Record<string, readonly string[]>>
  /** States without a way to an end: something hangs there. */
  readonly stuck: number
}

interface Reached<State> {
  readonly state: State
  readonly from: number
  readonly by: string
  readonly before: number[]
}

/** `isEnd` tells where nothing has to happen any more. */
export function explore<State>(
  model: Model<State>,
  invariants: Invariants<State>,
  isEnd: (state: State) => boolean,
): Explored<State> {
  const reached: Reached<State>[] = [{ state: model.initial, from: -1, by: '', before: [] }]
  const index = new Map([[JSON.stringify(model.initial), 0]])
  const violations: Record<string, readonly string[]> = {}
  let moves = 0
  for (const [at, { state }] of reached.entries()) {
    for (const [name, holds] of Object.entries(invariants))
      if (!(name in violations) && !holds(state)) violations[name] = traceTo(reached, at)
    for (const [by, after] of model.moves(state)) {
      moves++
      const key = JSON.stringify(after)
      const known = index.get(key)
      if (known !== undefined) reached[known]?.before.push(at)
      else {
        index.set(key, reached.length)
        reached.push({ state: after, from: at, by, before: [at] })
      }
    }
  }
  const states = reached.map(({ state }) => state)
  return { states, moves, violations, stuck: states.length - countLeading(reached, isEnd) }
}

function traceTo<State>(reached: readonly Reached<State>[], at: number): readonly string[] {
  const step = reached[at]
  return step && step.from >= 0 ? [...traceTo(reached, step.from), step.by] : []
}

/** How many states lead to an end. */
function countLeading<State>(reached: readonly Reached<State>[], isEnd: (state: State) => boolean): number {
  const leading = new Set<number>()
  const open = [...reached.keys()].filter((at) => reached[at] && isEnd(reached[at].state))
  for (const at of open) {
    if (leading.has(at)) continue
    leading.add(at)
    open.push(...(reached[at]?.before ?? []))
  }
  return leading.size
}
