import { mix } from './hash.ts'
import { HashSet } from './hash-set.ts'

export const DIMENSIONS = 256
export type Sign = 1 | -1

const LANES = DIMENSIONS / 32
/** Maximum of a one-byte counter. */
const MAX_PENDING = 255

/**
 * The signs of a weighted sum of pseudo-random ±1 vectors, one per distinct feature. The fraction of signs in which two
 * such sums differ is the angle between them divided by π (Charikar 2002). A repeated feature counts once: otherwise the
 * frequent words of a topic would make unrelated texts similar.
 */
export class Projection {
  /** Per dimension, total weight of the features with a 1. Integers, so the order of addition cannot change a sign. */
  readonly #ones = new Int32Array(DIMENSIONS)
  /** Recent features, four one-byte counters per number: bits s, s + 8, s + 16 and s + 24 of a lane. */
  readonly #pending = new Int32Array(LANES * 8)
  readonly #seen: HashSet
  #pendingWeight = 0
  #total = 0
  #all = 0

  constructor(maxFeatures: number) {
    this.#seen = new HashSet(maxFeatures)
  }

  clear(): void {
    this.#settle()
    this.#ones.fill(0)
    this.#seen.clear()
    this.#total = 0
    this.#all = 0
  }

  add(hash: number, weight: number): void {
    if (!this.#seen.add(hash)) return
    this.#all = (this.#all + hash) | 0
    if (weight > 0) this.#sum(hash, weight)
  }

  /** Makes the total odd, so that no sum is zero and no tie needs breaking, which would bias all texts the same way. */
  signs(): Sign[] {
    if (this.#total % 2 === 0) this.#sum(mix(this.#all), 1)
    this.#settle()
    const signs: Sign[] = []
    for (let i = 0; i < DIMENSIONS; i++) signs.push(2 * this.#ones[i]! > this.#total ? 1 : -1)
    return signs
  }

  #sum(hash: number, weight: number): void {
    if (this.#pendingWeight + weight > MAX_PENDING) this.#settle()
    const pending = this.#pending
    let seed = hash
    for (let i = 0; i < pending.length; ) {
      seed = (seed + 0x9e3779b1) | 0
      const lane = mix(seed)
      for (let shift = 0; shift < 8; shift++) pending[i++]! += Math.imul((lane >>> shift) & 0x01010101, weight)
    }
    this.#pendingWeight += weight
    this.#total += weight
  }

  #settle(): void {
    for (let i = 0; i < this.#pending.length; i++) {
      const counters = this.#pending[i]!
      const bit = (i >> 3) * 32 + (i & 7)
      for (let byte = 0; byte < 4; byte++) this.#ones[bit + 8 * byte]! += (counters >>> (8 * byte)) & 0xff
    }
    this.#pending.fill(0)
    this.#pendingWeight = 0
  }
}
