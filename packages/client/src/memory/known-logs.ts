import { ForkError, type LogName, type Piece } from './errors.ts'
import { isSamePlace } from './extension.ts'

/** At about 10 kB each, 100 MB. Beyond it, the log that was not used for longest is forgotten. */
const MAX_LOGS = 10_000

/** What is kept of one log. */
export interface Remembered {
  readonly name: LogName
  readonly pieces: readonly Piece[]
  readonly pending: unknown
}

/**
 * For each log, the newest signed piece that a client has seen, and what it sent without an answer. Its methods are
 * asynchronous so that a storage can stand behind them.
 */
export class KnownLogs {
  readonly #logs = new Map<string, Remembered>()

  /** What is known of a log, ascending; every entry must be extended by what the service shows next. */
  recall<P extends Piece>(name: LogName): Promise<readonly P[]> {
    return Promise.resolve((this.#logs.get(keyOf(name))?.pieces ?? []) as readonly P[])
  }

  /** Remembers a piece instead of those that it provably extends. Throws a `ForkError` if another took its place. */
  advance(name: LogName, piece: Piece, proved: readonly Piece[]): Promise<void> {
    this.#add(name, piece, proved)
    return Promise.resolve()
  }

  /** The logs of one kind. */
  names(kind: LogName['kind']): Promise<readonly LogName[]> {
    const names = [...this.#logs.values()].map(({ name }) => name)
    return Promise.resolve(names.filter((name) => name.kind === kind))
  }

  /** What was signed for the next place of a log and has no answer yet. */
  pending(name: LogName): Promise<unknown> {
    return Promise.resolve(this.#logs.get(keyOf(name))?.pending ?? null)
  }

  /** Keeps what is about to be sent, or with null forgets it. */
  hold(name: LogName, pending: unknown): Promise<void> {
    this.#set({ name, pieces: this.#logs.get(keyOf(name))?.pieces ?? [], pending })
    return Promise.resolve()
  }

  /** Everything that is kept. */
  protected all(): readonly Remembered[] {
    return [...this.#logs.values()]
  }

  /** Adds what somebody else knows of a log. Throws a `ForkError` if another piece took its place. */
  protected learn({ name, pieces, pending }: Remembered): void {
    for (const piece of pieces) this.#add(name, piece, [])
    const held = this.#logs.get(keyOf(name))
    if (pending !== null && (held?.pending ?? null) === null) this.#set({ name, pieces: held?.pieces ?? [], pending })
  }

  #add(name: LogName, piece: Piece, proved: readonly Piece[]): void {
    const { pieces = [], pending = null } = this.#logs.get(keyOf(name)) ?? {}
    const kept = pieces.filter((one) => !proved.includes(one) && !isSamePlace(one, piece))
    const other = kept.find(({ position }) => position === piece.position)
    if (other) throw new ForkError({ log: name, remembered: other, received: piece })
    const ascending = [...kept, piece].toSorted((a, b) => a.position - b.position)
    this.#set({ name, pieces: ascending, pending })
  }

  #set(log: Remembered): void {
    // A Map keeps the order of insertion: the first one is the one that was not used for longest.
    this.#logs.delete(keyOf(log.name))
    this.#logs.set(keyOf(log.name), log)
    if (this.#logs.size <= MAX_LOGS) return
    const [oldest] = [...this.#logs.values()].filter(({ pending }) => pending === null)
    if (oldest) this.#logs.delete(keyOf(oldest.name))
  }
}

function keyOf({ kind, of }: LogName): string {
  return `${kind}/${of}`
}
