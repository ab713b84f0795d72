import type { ObjectStorage } from '@svc/objects'
import { type WatchToken, works } from './rules.ts'

const FACT = 'watchTokens'

/**
 * The watch tokens of one identity, by their hashes: one fact, which is read alike whether there are any. What no longer
 * works is deleted with the next change.
 */
export class WatchStore {
  readonly #stored: ObjectStorage
  readonly #standingMs: () => number

  constructor(stored: ObjectStorage, standingMs: () => number) {
    this.#stored = stored
    this.#standingMs = standingMs
  }

  get standingMs(): number {
    return this.#standingMs()
  }

  /** Those that work, the oldest first. */
  all(now: number): WatchToken[] {
    return this.#read().filter((token) => works(token, now, this.standingMs))
  }

  /** Takes the place of a withdrawn one of this hash. Call inside a transaction. */
  put(token: WatchToken, now: number): void {
    this.#write([...this.all(now).filter(({ tokenHash }) => tokenHash !== token.tokenHash), token])
  }

  /** Withdraws those that match and are not withdrawn. Call inside a transaction. */
  withdraw(matches: (token: WatchToken) => boolean, now: number): void {
    const tokens = this.all(now)
    if (!tokens.some((token) => token.withdrawnAt === null && matches(token))) return
    this.#write(
      tokens.map((token) => (token.withdrawnAt === null && matches(token) ? { ...token, withdrawnAt: now } : token)),
    )
  }

  #read(): readonly WatchToken[] {
    return this.#stored.facts.get<readonly WatchToken[]>(FACT) ?? []
  }

  #write(tokens: readonly WatchToken[]): void {
    this.#stored.facts.put(FACT, tokens)
  }
}
