import { mix } from './hash.ts'
import { HashSet } from './hash-set.ts'

export const DIMENSIONS = 256
export type Sign = 1 | -1

const LANES = DIMENSIONS / 32
/** What a counter of one byte holds. */
const MAX_PENDING = 255

/**
 * The signs of a sum of pseudo-random vectors of 1 and -1, one for each distinct feature, times its weight. The share of
 * signs in which two such sums differ is the angle between them over π (Charikar 2002). A feature counts once however
 * often it comes: counted each time, the words of a topic make strangers alike.
 */
export class Projection {
  /** The weights of the features whose vector has a 1 there. Integers, so no order of addition changes a sign. */
  readonly #ones = new Int32Array(DIMENSIONS)
  /** Of the last features, four counters to a number: those of bits s, s + 8, s + 16 and s + 24 of a lane. */
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

  /** With an odd total no sum is zero, so there is no tie to break in the same way for every text. */
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
