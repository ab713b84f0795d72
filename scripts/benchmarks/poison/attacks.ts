import type { Random } from '../traffic/random.ts'
import { type Chunks, certifiedId, type HonestText, randomId, type Sent } from './texts.ts'

export interface Attack {
  readonly name: string
  /** Whether the attacker comes before the honest texts. */
  readonly isFirst: boolean
  /** The texts that it is about. */
  readonly victims: readonly HonestText[]
  readonly sent: readonly Sent[]
}

type Sign = Chunks[number]['values'][number]
/** Registrations that one free identity makes in a month. */
const PER_IDENTITY = 20
/** As many as an answer holds. */
const SPAN_FAKES = 10
const REPEATS = 60
/** More than the sets that the index names for a vector. */
const JITTERED = 60
const GATHERED = 25

/** The five attacks with as many registrations each. `next` gives fresh victims. */
export function attacksOf(each: number, next: (count: number) => HonestText[], random: Random): Attack[] {
  const by = (name: string, i: number) => `${name} ${Math.floor(i / PER_IDENTITY)}`
  const cancelled = next(each)
  const covered = next(Math.ceil(each / SPAN_FAKES))
  const crowded = next(each)
  const copied = next(Math.ceil(each / JITTERED))
  const gathered = next(each)
  const attack = (
    name: string,
    isFirst: boolean,
    victims: readonly HonestText[],
    make: (i: number) => Made,
  ): Attack => {
    const sent = Array.from({ length: each }, (_, i): Sent => {
      const { id, words, chunks } = make(i)
      const registration = { word_count: words, chunks: chunks.map((chunk, index) => ({ ...chunk, index })) }
      return { asset_id: id ?? randomId(random), by: by(name, i), ...registration }
    })
    return { name, isFirst, victims, sent }
  }
  return [
    attack('cancel: a random vector under the id of a text', true, cancelled, (i) => ({
      id: cancelled[i]!.sent.asset_id,
      words: 5,
      chunks: [{ index: 0, start: 0, words: 5, values: noise(random) }],
    })),
    attack('take over: one chunk of a million words in a text of five', false, covered, (i) => {
      const { chunks } = covered[Math.floor(i / SPAN_FAKES)]!.sent
      return { words: 5, chunks: [{ ...chunks[i % chunks.length]!, start: 0, words: 1_000_000 }] }
    }),
    attack('crowd out: half of the chunks, sixty times each, beforehand', true, crowded, (i) => {
      const { chunks, word_count: words } = crowded[i]!.sent
      const half = chunks.slice(0, chunks.length / 2)
      return { words: words * REPEATS, chunks: half.flatMap((chunk) => repeated(chunk, words)) }
    }),
    attack('outbid: sixty copies with a few values changed', false, copied, (i) => {
      const { chunks, word_count: words } = copied[Math.floor(i / JITTERED)]!.sent
      return { words, chunks: chunks.map((chunk) => ({ ...chunk, values: changed(chunk.values, random) })) }
    }),
    attack('gather: all chunks of 25 texts in one', false, gathered, (i) => {
      const texts = Array.from({ length: GATHERED }, (_, n) => gathered[(i + n) % gathered.length]!.sent)
      const chunks = texts.flatMap((text, n) =>
        text.chunks.map((chunk) => ({ ...chunk, start: chunk.start + n * 150 })),
      )
      const numbered = chunks.map((chunk, index) => ({ ...chunk, index }))
      return { id: certifiedId({ word_count: 150 * GATHERED, chunks: numbered }), words: 150 * GATHERED, chunks }
    }),
  ]
}

interface Made {
  readonly id?: string
  readonly words: number
  readonly chunks: Chunks
}

function repeated(chunk: Chunks[number], words: number): Chunks {
  return Array.from({ length: REPEATS }, (_, n) => ({ ...chunk, start: chunk.start + n * words }))
}

function noise(random: Random): Sign[] {
  return Array.from({ length: 256 }, () => (random() < 0.5 ? 1 : -1))
}

function changed(values: readonly Sign[], random: Random): Sign[] {
  const copy = [...values]
  for (let i = 0; i < 10; i++) {
    const at = Math.floor(random() * copy.length)
    copy[at] = copy[at] === 1 ? -1 : 1
  }
  return copy
}
