/** Whether an excerpt of a real text finds the text, for texts that you bring: a folder for each language. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { MATCH_DISTANCE } from '@svc/fingerprint'
import { UsageError } from '@svc/platform/entry'
import type { Table } from '../figures/figure.ts'
import { fingerprinted, leastDistance, type Printed } from '../figures/fingerprint/fingerprint.ts'
import { Chance } from '../figures/fingerprint/fingerprint-texts.ts'

const LENGTHS = [20, 30]
const EXCERPTS = 100
/** Shorter texts leave little choice of excerpts. */
const MIN_TEXT_WORDS = 200
const MAX_TEXTS = 100

interface RealText {
  readonly text: string
  /** Where each word begins and ends. */
  readonly words: readonly (readonly [number, number])[]
  readonly printed: Printed
}

interface Found {
  /** The share of the excerpts that find their text. */
  readonly recall: number
  /** The share of the pairs of an excerpt and another text that match. */
  readonly wrong: number
  /** The mean `wordCount` of an excerpt. */
  readonly wordCount: number
}

/** Reads `.txt` and `.md` files in `<folder>/<language>`, at any depth, and cuts 100 excerpts of each length. */
export function measureExcerpts(folder: string, seed: number): Table {
  const languages = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const rows = languages.flatMap(({ name }) => {
    const texts = textsIn(join(folder, name), name, seed)
    if (texts.length < 2)
      throw new UsageError(`${join(folder, name)} needs at least two .txt or .md files of ${MIN_TEXT_WORDS} words`)
    return LENGTHS.map((length) => rowOf(name, texts, length, found(texts, length, new Chance(seed))))
  })
  if (rows.length === 0)
    throw new UsageError(`${folder} needs a folder for each language, such as ${join(folder, 'th')}`)
  return {
    title: `${EXCERPTS} excerpts of each length, distance at most ${MATCH_DISTANCE}`,
    columns: ['language', 'texts', 'words', 'wordCount', 'found', 'matches another text'],
    rows,
  }
}

function rowOf(language: string, texts: readonly RealText[], length: number, { recall, wrong, wordCount }: Found) {
  const shares = [wordCount.toFixed(0), recall.toFixed(2), wrong.toFixed(5)]
  return [language, String(texts.length), String(length), ...shares]
}

function found(texts: readonly RealText[], length: number, chance: Chance): Found {
  let [hits, wrong, units] = [0, 0, 0]
  for (let i = 0; i < EXCERPTS; i++) {
    const of = chance.of(texts)
    const excerpt = fingerprinted(excerptOf(of, length, chance))
    units += excerpt.wordCount
    for (const text of texts) {
      if (leastDistance(excerpt, text.printed) > MATCH_DISTANCE) continue
      if (text === of) hits += 1
      else wrong += 1
    }
  }
  return {
    recall: hits / EXCERPTS,
    wrong: wrong / (EXCERPTS * (texts.length - 1)),
    wordCount: units / EXCERPTS,
  }
}

/** Consecutive words of a text with what is between them. */
export function excerptOf({ text, words }: Pick<RealText, 'text' | 'words'>, length: number, chance: Chance): string {
  const first = chance.below(words.length - length + 1)
  const [start = 0] = words[first] ?? []
  const [, end = 0] = words[first + length - 1] ?? []
  return text.slice(start, end)
}

/** At most 100 of the texts, chosen by the seed. */
function textsIn(folder: string, language: string, seed: number): RealText[] {
  const segmenter = new Intl.Segmenter(language, { granularity: 'word' })
  const script = scriptOf(language)
  const texts: RealText[] = []
  for (const path of shuffled(filesIn(folder), new Chance(seed))) {
    if (texts.length === MAX_TEXTS) break
    const text = proseOf(readFileSync(path, 'utf8'))
    if (!isWrittenIn(script, text)) continue
    const words = wordsOf(text, segmenter)
    if (words.length >= MIN_TEXT_WORDS) texts.push({ text, words, printed: fingerprinted(text) })
  }
  return texts
}

function filesIn(folder: string): string[] {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => /\.(?:txt|md)$/.test(path))
  return paths.toSorted().map((path) => join(folder, path))
}

function shuffled<T>(items: readonly T[], chance: Chance): T[] {
  const shuffling = [...items]
  for (let i = shuffling.length - 1; i > 0; i--) {
    const other = chance.below(i + 1)
    const [one, two] = [shuffling[i], shuffling[other]] as [T, T]
    shuffling[i] = two
    shuffling[other] = one
  }
  return shuffling
}

/** The letters of a language: of Japanese, three scripts. */
function scriptOf(language: string): RegExp {
  const { script = 'Latn' } = new Intl.Locale(language).maximize()
  const scripts = { Hans: ['Hani'], Hant: ['Hani'], Jpan: ['Hira', 'Kana', 'Hani'], Kore: ['Hang', 'Hani'] }[script]
  return new RegExp(`[${(scripts ?? [script]).map((one) => `\\p{Script=${one}}`).join('')}]`, 'gu')
}

/** Repositories of translations also have texts that nobody has translated yet. */
function isWrittenIn(script: RegExp, text: string): boolean {
  return (text.match(script)?.length ?? 0) > (text.match(/\p{Letter}/gu)?.length ?? 0) / 2
}

/** Without blocks of code, which are the same in every translation. */
const proseOf = (text: string) => text.replaceAll(/^[ \t]*```[\s\S]*?^[ \t]*```[ \t]*$/gm, '')

function wordsOf(text: string, segmenter: Intl.Segmenter): [number, number][] {
  const words: [number, number][] = []
  for (const { index, segment, isWordLike } of segmenter.segment(text))
    if (isWordLike) words.push([index, index + segment.length])
  return words
}
