import type { Language } from './fingerprint-languages.ts'

/** xorshift32. Do not replace it: the documented thresholds were measured on exactly these texts. */
export class Chance {
  #state: number

  constructor(seed: number) {
    this.#state = Math.imul(seed + 1, 0x9e3779b1) | 1
    for (let i = 0; i < 8; i++) this.next()
  }

  /** 0 ≤ n < 1. */
  next(): number {
    let x = this.#state
    x ^= x << 13
    x ^= x >>> 17
    x ^= x << 5
    this.#state = x
    return (x >>> 0) / 2 ** 32
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit)
  }

  of<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)]
    if (item === undefined) throw new Error('nothing to choose from')
    return item
  }

  /** Approximates Zipf's law with exponent 1: the rank is log-uniform. */
  zipf<T>(items: readonly T[]): T {
    return items[Math.min(items.length - 1, Math.floor((items.length + 1) ** this.next()) - 1)] as T
  }
}

export type Sentence = readonly string[]
export interface Text {
  readonly language: Language
  readonly sentences: readonly Sentence[]
}

const VOCABULARY = 3000
const TOPIC_WORDS = 60
const PHRASES = 100

/** Generates texts in one language on one topic: half of the content words are the topic's 60, with stock phrases between. */
export class Author {
  readonly #language: Language
  readonly #vocabulary: readonly string[]
  readonly #topic: readonly string[]
  readonly #phrases: readonly Sentence[]

  constructor(language: Language, topic: number) {
    this.#language = language
    const chance = new Chance(language.name.length * 1000 + language.roots.length)
    const vocabulary = new Set<string>()
    while (vocabulary.size < VOCABULARY) {
      const second = chance.next() < 0.5 ? chance.of(language.roots) : ''
      vocabulary.add(chance.of(language.roots) + second)
    }
    this.#vocabulary = [...vocabulary]
    this.#phrases = Array.from({ length: PHRASES }, () =>
      Array.from({ length: 3 + chance.below(4) }, () => this.#word(chance, 0)),
    )
    const own = new Chance(topic * 7919 + 13)
    this.#topic = Array.from({ length: TOPIC_WORDS }, () => own.of(this.#vocabulary))
  }

  write(seed: number, words: number): Text {
    const chance = new Chance(seed)
    const sentences: Sentence[] = []
    for (let written = 0; written < words; ) {
      const sentence: string[] = []
      const length = 7 + chance.below(20)
      while (sentence.length < length) {
        if (chance.next() < 0.01) sentence.push(...chance.zipf(this.#phrases))
        else sentence.push(this.#word(chance, 50))
      }
      sentences.push(sentence.slice(0, words - written))
      written += sentence.length
    }
    return { language: this.#language, sentences }
  }

  /** One word of a text. */
  word(chance: Chance): string {
    return this.#word(chance, 50)
  }

  #word(chance: Chance, topicPercent: number): string {
    const { common, commonPercent, endings } = this.#language
    if (chance.below(100) < commonPercent) return chance.zipf(common)
    const stem = chance.below(100) < topicPercent ? chance.zipf(this.#topic) : chance.zipf(this.#vocabulary)
    return stem + chance.of(endings)
  }
}

export function wordsOf({ sentences }: Text): string[] {
  return sentences.flat()
}

export function print({ language, sentences }: Text): string {
  return sentences.map((words) => capital(words.join(language.space))).join(language.stop) + language.stop
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
