export const NAME_BYTES = 16
/** 32-bit words. */
const WORDS = 4
const FIRST_CAPACITY = 128

/**
 * A set of 16-byte names in insertion order. A set of strings would take five times the memory, and the runtime would
 * walk it at every garbage collection.
 */
export class NameTable {
  /** The names, contiguous. */
  #names = new Uint32Array(FIRST_CAPACITY * WORDS)
  /** Open addressing: one more than the place of a name, at the first free slot from its hash. */
  #slots = new Uint32Array(FIRST_CAPACITY * 2)
  #size = 0
  /** Secret, so that callers cannot craft nonces whose names collide. */
  readonly #seed = crypto.getRandomValues(new Uint32Array(WORDS))

  get size(): number {
    return this.#size
  }

  /** All names, contiguous. Valid until the next name is added or any is dropped. */
  get bytes(): Uint8Array {
    return bytesOfWords(this.#names.subarray(0, this.#size * WORDS))
  }

  /** Whether the table has the `i`th of these names. */
  has(names: Uint32Array, i: number): boolean {
    return this.#slots[this.#slotOf(names, i)] !== 0
  }

  /** Adds the `i`th of these names and returns whether it was new. */
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

  /** The slot of a name, or the one to put it in. At least half of the slots are free. */
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

/** Contiguous names as words. Copies those of an unaligned array, because words begin at multiples of four. */
export const wordsOf = (bytes: Uint8Array | ArrayBuffer) => new Uint32Array(new Uint8Array(bytes).buffer)
export const bytesOfWords = ({ buffer, byteOffset, byteLength }: Uint32Array) =>
  new Uint8Array(buffer, byteOffset, byteLength)
export const countOf = (names: Uint32Array) => names.length / WORDS

/** Names are already random. Each bit of the name and the seed affects those above it; the upper half is folded down. */
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
