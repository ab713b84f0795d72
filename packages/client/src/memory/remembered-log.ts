import { ForkError, type Piece, type Place } from './errors.ts'
import { follow, type Log, refuseOlder } from './extension.ts'
import type { KnownLogs } from './known-logs.ts'

/** A log of the service beside what this client remembers of it. */
export class RememberedLog<E> {
  readonly #memory: KnownLogs
  readonly #log: Log<E>

  constructor(memory: KnownLogs, log: Log<E>) {
    this.#memory = memory
    this.#log = log
  }

  /**
   * Asks the service, and remembers the place that the answer names if it extends what was known before the question:
   * what is learned while the answer is on its way is not contradicted by it.
   */
  async ask<A>(question: () => Promise<A>, placeOf: (answer: A) => Place): Promise<A> {
    const known = await this.#known()
    const answer = await question()
    const piece = await follow(this.#log, known, placeOf(answer))
    await this.#memory.advance(this.#log.name, piece, known)
    return answer
  }

  /** The same without proof that the place extends what is known: refuses only what is older, or something else. */
  async glance<A>(question: () => Promise<A>, placeOf: (answer: A) => Place): Promise<A> {
    const known = await this.#known()
    const answer = await question()
    await refuseOlder(this.#log, known, placeOf(answer))
    return answer
  }

  /** Remembers a place that the service names, if it extends what is known. */
  async follow(claimed: Place): Promise<Piece<E>> {
    const known = await this.#known()
    const piece = await follow(this.#log, known, claimed)
    await this.#memory.advance(this.#log.name, piece, known)
    return piece
  }

  /** Remembers what this client appended: it was signed on a head that extends everything before it. */
  async appended(piece: Piece<E>): Promise<void> {
    const before = (await this.#known()).filter(({ position }) => position < piece.position)
    await this.#memory.advance(this.#log.name, piece, before)
  }

  /** For readers of the whole log: compares every piece with what is known, and remembers the last one. */
  async replay(): Promise<{ saw: (piece: Piece<E>) => void; end: (last: Piece<E>) => Promise<void> }> {
    const known = await this.#known()
    return {
      saw: (piece) => {
        const same = known.find(({ position }) => position === piece.position)
        if (same && same.hash !== piece.hash)
          throw new ForkError({ log: this.#log.name, remembered: same, received: piece })
      },
      end: async (last) => {
        await refuseOlder(this.#log, known, last)
        await this.#memory.advance(this.#log.name, last, known)
      },
    }
  }

  /** The newest place that is known; null before the first contact. */
  async newest(): Promise<Piece<E> | null> {
    return (await this.#known()).at(-1) ?? null
  }

  #known(): Promise<readonly Piece<E>[]> {
    return this.#memory.recall<Piece<E>>(this.#log.name)
  }
}
