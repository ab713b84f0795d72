/** A set of 32-bit hashes with open addressing. Clearing is O(1): an entry only counts in the round it was added in. */
export class HashSet {
  readonly #hashes: Int32Array
  readonly #rounds: Int32Array
  readonly #mask: number
  readonly #capacity: number
  #round = 1
  #size = 0

  /** Holds `capacity` hashes. The table is at most half full, which keeps probes short. */
  constructor(capacity: number) {
    const slots = 2 ** Math.ceil(Math.log2(2 * capacity))
    this.#hashes = new Int32Array(slots)
    this.#rounds = new Int32Array(slots)
    this.#mask = slots - 1
    this.#capacity = capacity
  }

  has(hash: number): boolean {
    return this.#rounds[this.#slotOf(hash)] === this.#round
  }

  /** Returns whether the hash is new. */
  add(hash: number): boolean {
    const slot = this.#slotOf(hash)
    if (this.#rounds[slot] === this.#round) return false
    if (this.#size === this.#capacity) throw new RangeError('the set is full')
    this.#hashes[slot] = hash
    this.#rounds[slot] = this.#round
    this.#size += 1
    return true
  }

  clear(): void {
    this.#round += 1
    this.#size = 0
  }

  /** Slot of the hash, or the free slot where it would go. */
  #slotOf(hash: number): number {
    let slot = hash & this.#mask
    while (this.#rounds[slot] === this.#round && this.#hashes[slot] !== hash) slot = (slot + 1) & this.#mask
    return slot
  }
}
