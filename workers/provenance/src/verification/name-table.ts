export const NAME_BYTES = 16
/** Of 32 bits. */
const WORDS = 4
const FIRST_CAPACITY = 128

/**
 * Names of 16 bytes in the order in which they came, each once. A set of strings would take five times the memory, and
 * the runtime would walk through it whenever it collects its garbage.
 */
export class NameTable {
  /** One behind the other. */
  #names = new Uint32Array(FIRST_CAPACITY * WORDS)
  /** Open addressing: one more than the place of a name, at the first free slot from where it hashes to. */
  #slots = new Uint32Array(FIRST_CAPACITY * 2)
  #size = 0
  /** Nobody else knows it, so whoever tries nonces cannot tell which of their names would share a slot. */
  readonly #seed = crypto.getRandomValues(new Uint32Array(WORDS))

  get size(): number {
    return this.#size
  }

  /** All of them, one behind the other, until the next is added or any is dropped. */
  get bytes(): Uint8Array {
    return bytesOfWords(this.#names.subarray(0, this.#size * WORDS))
  }

  /** Whether it holds the `i`th of these. */
  has(names: Uint32Array, i: number): boolean {
    return this.#slots[this.#slotOf(names, i)] !== 0
  }

  /** Adds the `i`th of these, and says whether it was new. */
  add(names: Uint32Array, i: number): boolean {
    if (this.has(names, i)) return false
    if ((this.#size + 1) * WORDS > this.#names.length) this.#grow()
    this.#names.set(names.subarray(i * WORDS, (i + 1) * WORDS), this.#size * WORDS)
    this.#slots[this.#slotOf(names, i)] = this.#size + 1
    this.#size += 1
    return true
  }

  addAll(names: Uint32Array): void {
    for (let i = 0; i < countOf(names); i++) this.add(names, i)
  }

  dropOldest(count: number): void {
    this.#names.copyWithin(0, count * WORDS, this.#size * WORDS)
    this.#size -= count
    this.#hashAll()
  }

  #grow(): void {
    const names = new Uint32Array(this.#names.length * 2)
    names.set(this.#names)
    this.#names = names
    this.#slots = new Uint32Array(this.#slots.length * 2)
    this.#hashAll()
  }

  #hashAll(): void {
    this.#slots.fill(0)
    for (let place = 0; place < this.#size; place++) this.#slots[this.#slotOf(this.#names, place)] = place + 1
  }

  /** Where it is, or may be put: half of the slots are free at least. */
  #slotOf(names: Uint32Array, i: number): number {
    const last = this.#slots.length - 1
    let slot = hashOf(names, i * WORDS, this.#seed) & last
    for (;;) {
      const taken = this.#slots[slot] ?? 0
      if (taken === 0 || isSame(this.#names, (taken - 1) * WORDS, names, i * WORDS)) return slot
      slot = (slot + 1) & last
    }
  }
}

/** Names that are one behind the other, as words; those of an array copied, since words begin at multiples of four. */
export const wordsOf = (bytes: Uint8Array | ArrayBuffer) => new Uint32Array(new Uint8Array(bytes).buffer)
export const bytesOfWords = ({ buffer, byteOffset, byteLength }: Uint32Array) =>
  new Uint8Array(buffer, byteOffset, byteLength)
export const countOf = (names: Uint32Array) => names.length / WORDS

/** Names are random already. Each bit of them and of the seed moves those above it; the upper half is folded down. */
function hashOf(names: Uint32Array, at: number, seed: Uint32Array): number {
  let hash = 0
  for (let word = 0; word < WORDS; word++)
    hash = Math.imul(hash ^ (names[at + word] ?? 0) ^ (seed[word] ?? 0), 0x9e3779b1)
  return hash ^ (hash >>> 16)
}

function isSame(some: Uint32Array, at: number, others: Uint32Array, otherAt: number): boolean {
  for (let word = 0; word < WORDS; word++) if (some[at + word] !== others[otherAt + word]) return false
  return true
}
