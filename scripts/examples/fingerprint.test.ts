import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fingerprintText } from '@svc/fingerprint'
import { expect, it } from 'vitest'
import { ROOT } from '../lib/workspace.ts'
import { allBlocks } from './blocks.ts'
import { Fingerprints, packed, type Tables } from './stranger-fingerprint.ts'

interface Golden {
  readonly text: string
  readonly word_count: number
  readonly chunks: readonly { readonly start: number; readonly words: number; readonly packed_hex: string }[]
}

const blocks = allBlocks()
const exampleOf = (name: string) =>
  JSON.parse(blocks.find(({ info }) => info === `json example=${name}`)?.text ?? '') as unknown
const golden = exampleOf('fingerprint-golden') as Golden[]
const functionWords = exampleOf('fingerprint-function-words') as string[]
const tables = exampleOf('fingerprint-tables') as Tables
const stranger = new Fingerprints(tables, functionWords)

const hexOf = (values: readonly number[]) => Buffer.from(packed(values)).toString('hex')
const byStranger = (text: string) => {
  const { wordCount, chunks } = stranger.of(text)
  const shown = chunks.map(({ start, words, values }) => ({ start, words, packed_hex: hexOf(values) }))
  return { text, word_count: wordCount, chunks: shown }
}
const byPackage = (text: string) => {
  const { wordCount, chunks } = fingerprintText(text)
  const shown = chunks.map(({ wordStart, wordEnd, values }) => ({
    start: wordStart,
    words: wordEnd - wordStart,
    packed_hex: hexOf(values),
  }))
  return { text, word_count: wordCount, chunks: shown }
}

it('the rules of the page have no line of this repository beside them', () => {
  const source = readFileSync(join(ROOT, 'scripts/examples/stranger-fingerprint.ts'), 'utf8')
  expect(source).not.toMatch(/\bimport\b/)
})

it.each(golden)('the rules of the page give what the page says, and so does the package: $text', (shown) => {
  expect(byStranger(shown.text)).toEqual(shown)
  expect(byPackage(shown.text)).toEqual(shown)
})

it('the tables of the page are those of the package', async () => {
  const source = (file: string) => readFileSync(join(ROOT, 'packages/fingerprint/src', file), 'utf8')
  const ranges = (text: string) => [...text.matchAll(/\[0x([0-9a-f]+), 0x([0-9a-f]+)(?:, ([A-Z]+))?\]/g)]
  const inFolding = ranges(source('folding.ts')).map(([, from, to]) => [from, to])
  expect([...tables.points, ...tables.unseen]).toEqual(inFolding)
  const inCharacters = ranges(source('characters.ts')).map(([, from, to, kind]) => [from, to, kind?.toLowerCase()])
  expect(tables.scripts).toEqual(inCharacters)
  const words = (await import(join(ROOT, 'packages/fingerprint/src/function-words.ts'))) as { FUNCTION_WORDS: string[] }
  expect(functionWords).toEqual(words.FUNCTION_WORDS)
})

it('both agree on texts that nobody chose', () => {
  // A small generator, so that a difference can be found again.
  let seed = 7
  const below = (bound: number) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff
    return seed % bound
  }
  const alphabets = ['abcdeßİςé', 'абвгдё', '漢字仮名々', 'かなカナー', 'กขคงเแ่้', '·—🚢 \u0301\u0301', 'ابتـث\u064b']
  const common = functionWords.flatMap((line) => line.split(' '))
  for (let round = 0; round < 25; round++) {
    const words = Array.from({ length: 8 + below(120) }, () => {
      if (below(3) === 0) return common[below(common.length)]
      const alphabet = Array.from(alphabets[below(alphabets.length)] ?? '')
      return Array.from({ length: 1 + below(9) }, () => alphabet[below(alphabet.length)]).join('')
    })
    // Repetitions have no least value, so that segments are cut by force.
    const text = `one two three four five ${words.join(' ')} ${'again '.repeat(below(120))}`
    expect(byStranger(text)).toEqual(byPackage(text))
  }
})
