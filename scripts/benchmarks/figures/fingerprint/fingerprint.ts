import {
  type Fingerprint,
  fingerprintText,
  hammingDistance,
  MATCH_DISTANCE,
  matchChunks,
  packVector,
  scoreTexts,
} from '@svc/fingerprint'
import type { Figure } from '../figure.ts'
import { EDITS, type Edit, excerpt } from './fingerprint-edits.ts'
import { LANGUAGES, type Language } from './fingerprint-languages.ts'
import { Author, Chance, print } from './fingerprint-texts.ts'

const TEXTS = 60
const LENGTHS = [1000, 60]
const FALSE_POSITIVES = 0.001
const SPEED_BYTES = 1_000_000
const ROUNDS = 5

/** The required recall over all languages. Edits without an entry are only reported. */
const BARS: Record<string, number> = {
  formatting: 1,
  'typos 2 %': 1,
  'substitution 5 %': 1,
  'substitution 15 %': 0.99,
  'substitution 30 %': 0.95,
  'deletion 10 %': 1,
  reordering: 1,
  'excerpt of 30 words': 0.9,
  disguise: 1,
}

export interface Printed extends Fingerprint {
  readonly packed: readonly Uint8Array[]
}

interface Trial {
  readonly distance: number
  /** The share of the original's words in matched chunks. */
  readonly contained: number
}

interface Measured {
  readonly language: string
  /** The smallest distances of unrelated texts on one topic, sorted. */
  readonly unrelated: readonly number[]
  readonly trials: Record<string, readonly Trial[]>
}

/** Recall of edited texts at 0.1 % false positives in every language, and the speed in this process. */
export async function measureFingerprint(): Promise<Figure[]> {
  return [...LENGTHS.flatMap(recallFigures), speedFigure()]
}

function recallFigures(words: number): Figure[] {
  const measured = LANGUAGES.map((language) => measureLanguage(language, words))
  const threshold = Math.min(...measured.map(({ unrelated }) => quantile(unrelated, FALSE_POSITIVES) - 1))
  const pairs = measured.flatMap(({ unrelated }) => unrelated)
  const wrong = pairs.filter((distance) => distance <= MATCH_DISTANCE).length / pairs.length
  const figures: Figure[] = [
    {
      name: `${words} words: false positives at distance ${MATCH_DISTANCE} / 0.1 %`,
      ratio: wrong / FALSE_POSITIVES,
      bar: { limit: 1, good: 'at most' },
      detail: `${pairs.length} pairs of one topic; ${threshold} is the most for 0.1 % in every language: ${measured
        .map(({ language, unrelated }) => `${language} ${quantile(unrelated, FALSE_POSITIVES) - 1}`)
        .join(', ')}`,
    },
  ]
  for (const edit of Object.keys(editsOf(words))) figures.push(recallFigure(edit, words, measured, threshold))
  return figures
}

function recallFigure(edit: string, words: number, measured: readonly Measured[], threshold: number): Figure {
  const recallOf = (trials: readonly Trial[]) =>
    trials.filter(({ distance }) => distance <= threshold).length / trials.length
  const each = measured.map(({ language, trials }) => ({ language, trials: trials[edit] ?? [] }))
  const all = each.flatMap(({ trials }) => trials)
  const [worst] = each.toSorted((a, b) => recallOf(a.trials) - recallOf(b.trials))
  const contained = all.reduce((sum, trial) => sum + trial.contained, 0) / all.length
  const median = quantile(
    all.map(({ distance }) => distance).toSorted((a, b) => a - b),
    0.5,
  )
  const limit = words === LENGTHS[0] ? BARS[edit] : undefined
  return {
    name: `${words} words: recall after ${edit}`,
    ratio: recallOf(all),
    ...(limit === undefined ? {} : { bar: { limit, good: 'at least' as const } }),
    detail: `least ${recallOf(worst?.trials ?? []).toFixed(2)} (${worst?.language}); median distance ${median}; ${contained.toFixed(2)} of the original in matched chunks`,
  }
}

function measureLanguage(language: Language, words: number): Measured {
  const author = new Author(language, 1)
  const chance = new Chance(99)
  const texts = Array.from({ length: TEXTS }, (_, i) => author.write(31 * i + 5, words))
  const printed = texts.map((text) => fingerprinted(print(text)))
  const queries = words > 30 ? texts.map((text) => fingerprinted(excerpt(30)(text, chance, author))) : []
  const unrelated: number[] = []
  printed.forEach((left, i) => {
    for (const right of printed.slice(i + 1)) unrelated.push(leastDistance(left, right))
    const query = queries[i]
    printed.forEach((right, j) => {
      if (query && i !== j) unrelated.push(leastDistance(query, right))
    })
  })
  const trials: Record<string, Trial[]> = {}
  for (const [name, edit] of Object.entries(editsOf(words)))
    trials[name] = texts.map((text, i) => tried(edit(text, chance, author), printed[i]!))
  return { language: language.name, unrelated: unrelated.toSorted((a, b) => a - b), trials }
}

function editsOf(words: number): Record<string, Edit> {
  return Object.fromEntries(Object.entries(EDITS).filter(([name]) => words >= 1000 || !name.startsWith('excerpt')))
}

function tried(edited: string, original: Printed): Trial {
  const query = fingerprinted(edited)
  const pairs = matchChunks(original.packed, query.packed)
  const spans = (text: Printed) => ({ wordCount: text.wordCount, spans: text.chunks })
  return {
    distance: leastDistance(query, original),
    contained: scoreTexts(spans(original), spans(query), pairs).leftContainment,
  }
}

export function fingerprinted(text: string): Printed {
  const fingerprint = fingerprintText(text)
  return { ...fingerprint, packed: fingerprint.chunks.map(({ values }) => packVector(values)) }
}

export function leastDistance(left: Printed, right: Printed): number {
  let least = Number.POSITIVE_INFINITY
  for (const a of left.packed) for (const b of right.packed) least = Math.min(least, hammingDistance(a, b))
  return least
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.floor(share * sorted.length)] ?? Number.NaN
}

/** The best of a few rounds, for the slowest language. */
function speedFigure(): Figure {
  const speeds = LANGUAGES.map((language) => {
    const author = new Author(language, 1)
    let text = ''
    for (let seed = 0; Buffer.byteLength(text) < SPEED_BYTES / 4; seed++) text += print(author.write(seed, 1000))
    const seconds = Array.from({ length: ROUNDS }, () => {
      const startedAt = performance.now()
      for (let i = 0; i < 4; i++) fingerprintText(text)
      return (performance.now() - startedAt) / 1000
    })
    return { language: language.name, speed: (4 * Buffer.byteLength(text)) / 1e6 / Math.min(...seconds) }
  })
  const slowest = speeds.toSorted((a, b) => a.speed - b.speed)[0]!
  return {
    name: 'MB of text fingerprinted per second',
    ratio: slowest.speed,
    bar: { limit: 1, good: 'at least' },
    detail: speeds.map(({ language, speed }) => `${language} ${speed.toFixed(1)}`).join(', '),
  }
}
