import { ForkError, type LogName, type Piece } from './errors.ts'
import { isSamePlace } from './extension.ts'
import { type TrustStore, VolatileStore } from './trust-store.ts'

/** At about 10 kB each, 100 MB. Beyond it, the logs that were not used for longest are forgotten. */
const MAX_LOGS = 10_000
/** How often the number of logs is looked at. */
const SETS_PER_COUNT = 100
const LOG = 'log/'

/** What is kept of one log. */
export interface Remembered {
  readonly name: LogName
  readonly pieces: readonly Piece[]
  readonly pending: unknown
}

/** For each log, the newest signed piece that a client has seen, and what it sent without an answer. */
export class KnownLogs {
  protected readonly store: TrustStore
  #sets = 0

  constructor(store: TrustStore = new VolatileStore()) {
    this.store = store
  }

  /** What is known of a log, ascending; every entry must be extended by what the service shows next. */
  async recall<P extends Piece>(name: LogName): Promise<readonly P[]> {
    await this.ready()
    return (await this.#read(name)).pieces as readonly P[]
  }

  /** Remembers a piece instead of those that it provably extends. Throws a `ForkError` if another took its place. */
  async advance(name: LogName, piece: Piece, proved: readonly Piece[]): Promise<void> {
    await this.ready()
    await this.#change(name, (kept) => ({ ...kept, pieces: withPiece(name, kept.pieces, piece, proved) }))
  }

  /** What is known of every log of a kind whose name begins with `prefix`. */
  async recallAll(kind: LogName['kind'], prefix: string): Promise<readonly Remembered[]> {
    await this.ready()
    return this.#entries(`${LOG}${kind}/${prefix}`)
  }

  /** What was signed for the next place of a log and has no answer yet. */
  async pending(name: LogName): Promise<unknown> {
    await this.ready()
    return (await this.#read(name)).pending
  }

  /** Keeps what is about to be sent, or with null forgets it. */
  async hold(name: LogName, pending: unknown): Promise<void> {
    await this.ready()
    await this.#change(name, (kept) => ({ ...kept, pending }))
  }

  /** Lets the writers of one log wait for each other: an entry is signed on a head that nobody else is signing on. */
  writing<T>(name: LogName, work: () => Promise<T>): Promise<T> {
    return this.store.exclusively(`write ${keyOf(name)}`, work)
  }

  /** Called before anything is read or kept. */
  protected ready(): Promise<void> {
    return Promise.resolve()
  }

  /** What the store returned, if all of it has the form that was kept. */
  protected checked(values: readonly unknown[]): Promise<readonly Remembered[]> {
    return Promise.resolve(values as readonly Remembered[])
  }

  /** Everything that is kept. */
  protected all(): Promise<readonly Remembered[]> {
    return this.#entries(LOG)
  }

  /** Adds what somebody else knows of a log. Throws a `ForkError` if another piece took its place. */
  protected async learn({ name, pieces, pending }: Remembered): Promise<void> {
    await this.#change(name, (kept) => {
      const known = pieces.reduce((all, piece) => withPiece(name, all, piece), [...kept.pieces])
      return { name, pieces: known, pending: kept.pending ?? pending }
    })
  }

  async #read(name: LogName): Promise<Remembered> {
    const [kept] = await this.checked(present(await this.store.get(keyOf(name))))
    return kept ?? { name, pieces: [], pending: null }
  }

  async #entries(prefix: string): Promise<readonly Remembered[]> {
    return this.checked((await this.store.entries(prefix)).map(([, value]) => value))
  }

  async #change(name: LogName, change: (kept: Remembered) => Remembered): Promise<void> {
    const key = keyOf(name)
    await this.store.exclusively(key, async () => this.store.set(key, change(await this.#read(name))))
    this.#sets += 1
    if (this.#sets % SETS_PER_COUNT === 0) await this.#forgetOldest()
  }

  async #forgetOldest(): Promise<void> {
    const keys = (await this.store.keys()).filter((key) => key.startsWith(LOG))
    for (const key of keys.slice(0, Math.max(0, keys.length - MAX_LOGS))) {
      await this.store.exclusively(key, async () => {
        const [kept] = await this.checked(present(await this.store.get(key)))
        if (kept?.pending === null) await this.store.delete(key)
      })
    }
  }
}

const present = (value: unknown) => (value === undefined ? [] : [value])

function withPiece(name: LogName, pieces: readonly Piece[], piece: Piece, proved: readonly Piece[] = []): Piece[] {
  const kept = pieces.filter((one) => !isSamePlace(one, piece) && !proved.some((other) => isSamePlace(one, other)))
  const other = kept.find(({ position }) => position === piece.position)
  if (other) throw new ForkError({ log: name, remembered: other, received: piece })
  return [...kept, piece].toSorted((a, b) => a.position - b.position)
}

function keyOf({ kind, of }: LogName): string {
  return `${LOG}${kind}/${of}`
}
