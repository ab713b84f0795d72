/**
 * Counts what a JSON body holds, in one pass over its bytes and before anything is parsed: a parser takes up to a
 * microsecond and a hundred bytes for three bytes of input, so the size of a body does not bound what it costs.
 *
 * It does not validate. A malformed body may be counted too high, never too low for what a parser would have built
 * before it found the fault.
 *
 * @module
 */

/** What a body may hold. */
export interface JsonBudget {
  /** Strings, numbers, literals, objects and arrays. */
  readonly values: number
  /** Objects, arrays and the names of members, which cost a parser some ten times as much as other values. */
  readonly structures: number
  /** Objects and arrays inside each other. */
  readonly depth: number
}

/** What a body holds, in the units of its budget, and how many of its bytes are white space or in numbers. */
export type JsonMeasure = { -readonly [Unit in keyof JsonBudget | 'loose']: number }

/** A number of 25 digits on a line of its own, indented by four for each of fifty levels. */
const MAX_LOOSE_OF_A_VALUE = 256
/** So much costs a parser little, whatever the rest: bodies may be padded. */
const MIN_LOOSE = 2 * 1024 * 1024

const DEFAULT_VALUES = 131_072
/** 16,384 distinct names take a parser some 20 ms. */
const DEFAULT_STRUCTURES = 16_384
/** Documented shapes nest less than ten deep, and the free members of a policy 32. */
const DEFAULT_DEPTH = 64

/** One value for eight bytes: a vector of 256 signs takes at least two for each, but fills a part of a body only. */
export function budgetOf(maxBodyBytes: number, declared: Partial<JsonBudget> = {}): JsonBudget {
  return {
    values: Math.min(Math.floor(maxBodyBytes / 8), DEFAULT_VALUES),
    structures: DEFAULT_STRUCTURES,
    depth: DEFAULT_DEPTH,
    ...declared,
  }
}

/** The member of the budget that is exceeded, if any; `loose` if a large body is mostly blank. */
export function exceeded(measure: JsonMeasure, budget: JsonBudget): keyof JsonMeasure | null {
  if (measure.loose > MIN_LOOSE + MAX_LOOSE_OF_A_VALUE * (measure.values + measure.structures)) return 'loose'
  if (measure.depth > budget.depth) return 'depth'
  if (measure.structures > budget.structures) return 'structures'
  return measure.values > budget.values ? 'values' : null
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
/** From this length of a string without escapes, a native search is faster than a loop. */
const SHORT_RUN = 24
/** In this order, because a scalar that begins after `SPACE` counts 1 and one that goes on counts 0. */
const [SCALAR, SPACE, OPEN, CLOSE, STRING, COLON] = [0, 1, 2, 3, 4, 5] as const

/** What a byte outside of strings begins or ends. Non-ASCII bytes are a byte order mark, or malformed. */
const KINDS = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte === 0x7b || byte === 0x5b) return OPEN
  if (byte === 0x7d || byte === 0x5d) return CLOSE
  if (byte === QUOTE) return STRING
  if (byte === 0x3a) return COLON
  return byte <= 0x20 || byte === 0x2c || byte >= 0x80 ? SPACE : SCALAR
})

/** Measures a body piece by piece, wherever the pieces are cut. */
export class JsonMeter {
  readonly measure: JsonMeasure = { values: 0, structures: 0, depth: 0, loose: 0 }
  #depth = 0
  #isInString = false
  #isEscaped = false
  #isInScalar = false
  readonly #quotes = new NextByte(QUOTE)
  readonly #backslashes = new NextByte(BACKSLASH)

  take(piece: Uint8Array): void {
    // Locals, because this loop runs for every byte of every body.
    const kinds = KINDS
    const { length } = piece
    let { values, structures, depth: deepest, loose } = this.measure
    let depth = this.#depth
    let last: number = this.#isInScalar ? SCALAR : SPACE
    for (let i = this.#endOfString(piece, 0); i < length; i++) {
      const kind = kinds[piece[i] as number] as number
      // A scalar begins where the byte before it is none.
      if (kind === SCALAR) values += last
      last = kind
      if (kind <= SPACE) {
        loose++
        continue
      }
      last = SPACE
      if (kind === STRING) {
        values++
        this.#isInString = true
        i = this.#endOfString(piece, i + 1) - 1
      } else if (kind === OPEN) {
        values++
        structures++
        depth++
        if (depth > deepest) deepest = depth
      } else if (kind === CLOSE) {
        depth--
      } else {
        // The string before it was a name: counted as a structure instead.
        values--
        structures++
      }
    }
    this.measure.values = values
    this.measure.structures = structures
    this.measure.depth = deepest
    this.measure.loose = loose
    this.#depth = depth
    this.#isInScalar = last === SCALAR
  }

  /** Where the string that is open ends, `from` if none is. Long runs are searched natively, each byte once. */
  #endOfString(piece: Uint8Array, from: number): number {
    if (!this.#isInString) return from
    const { length } = piece
    let plain = 0
    for (let i = from; i < length; i++) {
      const byte = piece[i]
      if (this.#isEscaped) {
        this.#isEscaped = false
      } else if (byte === BACKSLASH) {
        this.#isEscaped = true
        plain = 0
      } else if (byte === QUOTE) {
        this.#isInString = false
        return i + 1
      } else if (++plain === SHORT_RUN) {
        i = Math.min(this.#quotes.from(piece, i), this.#backslashes.from(piece, i)) - 1
        plain = 0
      }
    }
    return length
  }
}

/** Finds a byte of a piece from ever later places. It remembers where the next one is, so that a piece is read once. */
class NextByte {
  readonly #byte: number
  #piece: Uint8Array | null = null
  #next = -1

  constructor(byte: number) {
    this.#byte = byte
  }

  from(piece: Uint8Array, from: number): number {
    if (this.#piece !== piece || this.#next < from) {
      const found = piece.indexOf(this.#byte, from)
      this.#piece = piece
      this.#next = found < 0 ? piece.length : found
    }
    return this.#next
  }
}
