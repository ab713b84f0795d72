/**
 * What one turn of the publisher may call of other stores. A request can make 1,000 calls; a turn goes on until it has
 * made `TURN_CALLS`, and a step that has begun takes at most 16 bundles, a head and the 256 buckets more.
 *
 * @module
 */
export const TURN_CALLS = 500

export class CallBudget {
  #left = TURN_CALLS

  renew(): void {
    this.#left = TURN_CALLS
  }

  spend(calls: number): void {
    this.#left -= calls
  }

  get isSpent(): boolean {
    return this.#left <= 0
  }
}
