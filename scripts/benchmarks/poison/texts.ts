import { fingerprintText, packVector, type TextRegistration, toTextRegistration } from '@svc/fingerprint'
import { textIdOf } from '@svc/protocol/provenance/text-id'
import type { Random } from '../traffic/random.ts'

const VOCABULARY = 5_000
const WORDS = 150

export type Chunks = TextRegistration['chunks']

/** What is sent to register a text, and by whom. */
export interface Sent extends TextRegistration {
  readonly asset_id: string
  readonly by: string
}

export interface HonestText {
  readonly words: readonly string[]
  readonly sent: Sent
}

/** A text of words with the frequencies of a language, registered as the SDK does. */
export function honestText(random: Random, by: string): HonestText {
  const words = wordsOf(random, WORDS)
  const registration = toTextRegistration(fingerprintText(words.join(' ')))
  return { words, sent: { asset_id: certifiedId(registration), by, ...registration } }
}

/** Ranks follow Zipf's law with exponent 1, approximately. */
export function wordsOf(random: Random, count: number): string[] {
  return Array.from({ length: count }, () => `w${Math.floor((VOCABULARY + 1) ** random()).toString(36)}`)
}

export function certifiedId({ word_count, chunks }: TextRegistration): string {
  return textIdOf(
    word_count,
    chunks.map(({ values, ...place }) => ({ ...place, packed: packVector(values) })),
  )
}

/** An id that certifies nothing. */
export function randomId(random: Random): string {
  return `text-${Array.from({ length: 32 }, () => Math.floor(random() * 16).toString(16)).join('')}`
}

/** Half of a text with every tenth word replaced, or, for every second query, as it is before as many words of another text. */
export function queryOf({ words }: HonestText, turn: number, random: Random): Chunks {
  const from = Math.floor(random() * (words.length / 3))
  const half = words.slice(from, from + words.length / 2)
  const others = wordsOf(random, half.length)
  const asked =
    turn % 2 === 0 ? half.map((word, i) => (i % 10 === 5 ? (others[i] ?? word) : word)) : [...half, ...others]
  return toTextRegistration(fingerprintText(asked.join(' '))).chunks
}
