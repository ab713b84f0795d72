import type { ObjectStorage } from '@svc/objects'
import { type WatchToken, works } from './rules.ts'

const FACT = 'watchTokens'

/**
 * The watch tokens of one identity, by hash. They are one fact, so that reading it takes the same steps with and without
 * tokens. Tokens that no longer work are deleted with the next change.
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

  /** Returns the tokens that work, oldest first. */
  all(now: number): WatchToken[] {
    return this.#read().filter((token) => works(token, now, this.standingMs))
  }

  /** Stores a token, in place of a withdrawn token with the same hash. Call inside a transaction. */
  put(token: WatchToken, now: number): void {
    this.#write([...this.all(now).filter(({ tokenHash }) => tokenHash !== token.tokenHash), token])
  }

  /** Withdraws the matching tokens that are not withdrawn yet. Call inside a transaction. */
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
