import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fingerprintText } from '@svc/fingerprint'
import { ROOT } from '@svc/platform/workspace'
import { expect, it } from 'vitest'
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
const replacements = exampleOf('fingerprint-replacements') as string[]
const stranger = new Fingerprints(tables, functionWords, replacements)

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

it('the independent implementation imports nothing', () => {
  const source = readFileSync(join(ROOT, 'scripts/checks/examples/stranger-fingerprint.ts'), 'utf8')
  expect(source).not.toMatch(/\bimport\b/)
})

it.each(golden)('independent implementation and package both give the vectors on the page: $text', (shown) => {
  expect(byStranger(shown.text)).toEqual(shown)
  expect(byPackage(shown.text)).toEqual(shown)
})

it('the tables on the page match the package', async () => {
  const source = (file: string) => readFileSync(join(ROOT, 'packages/fingerprint/src/text', file), 'utf8')
  const ranges = (text: string) => [...text.matchAll(/\[0x([0-9a-f]+), 0x([0-9a-f]+)(?:, ([A-Z]+))?\]/g)]
  const inFolding = ranges(source('folding.ts')).map(([, from, to]) => [from, to])
  expect([...tables.points, ...tables.unseen]).toEqual(inFolding)
  const inCharacters = ranges(source('characters.ts')).map(([, from, to, kind]) => [from, to, kind?.toLowerCase()])
  expect(tables.scripts).toEqual(inCharacters)
  const words = (await import(join(ROOT, 'packages/fingerprint/src/text/function-words.ts'))) as {
    FUNCTION_WORDS: string[]
  }
  expect(functionWords).toEqual(words.FUNCTION_WORDS)
})

it('both agree on texts that nobody chose', () => {
  // Deterministic, so that a difference can be reproduced.
  let seed = 7
  const below = (bound: number) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff
    return seed % bound
  }
  const alphabets = [
    'abcdeßİςé',
    'ab12٢',
    'абвгдё',
    'αβγσάһԁոօᴛʜＡｂ',
    '漢字仮名々',
    '發髮发図圖图',
    'かなカナーｶﾞゝヽㇰ\u3099',
    'กขคงเแ่้',
    '·—🚢 \u0301\u0301',
    'ابتـث\u064b',
    '\0\u0001\u007f\u0085\ufff9\u2800\u3164\t',
    '\ud800\udc00\u{e0001}',
    '\u0e38\uff9e\u3099\u0cc0',
  ]
  const common = functionWords.flatMap((line) => line.split(' '))
  for (let round = 0; round < 40; round++) {
    const words = Array.from({ length: 8 + below(120) }, () => {
      if (below(3) === 0) return common[below(common.length)]
      const alphabet = (alphabets[below(alphabets.length)] ?? '').split('')
      return Array.from({ length: 1 + below(9) }, () => alphabet[below(alphabet.length)]).join('')
    })
    // Repetitions have no minimum, so segments end at the maximum length.
    const text = `one two three four five ${words.join(' ')} ${'again '.repeat(below(120))}`
    expect(byStranger(text)).toEqual(byPackage(text))
  }
})
