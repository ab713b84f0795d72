import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LANGUAGES } from '../figures/fingerprint/fingerprint-languages.ts'
import { Author, Chance, print } from '../figures/fingerprint/fingerprint-texts.ts'
import { excerptOf, measureExcerpts } from './excerpts.ts'

let folder = ''
const write = (path: string, text: string) => {
  mkdirSync(join(folder, path, '..'), { recursive: true })
  writeFileSync(join(folder, path), text)
}
const written = (language: string, seed: number) => {
  const found = LANGUAGES.find(({ name }) => name === language)
  if (!found) throw new Error(language)
  return print(new Author(found, seed).write(seed, 400))
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-texts-'))
  for (const seed of [1, 2, 3]) {
    write(`texts/en/${seed}.txt`, written('English', seed))
    write(`texts/th/deep/${seed}.md`, written('Thai', seed))
  }
  write('texts/th/untranslated.md', written('English', 4))
  write('texts/th/short.md', 'สวัสดี')
  write('texts/th/other.json', written('Thai', 5))
  write('one/en/1.txt', written('English', 1))
  mkdirSync(join(folder, 'none'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('excerpts of real texts', () => {
  it('find their texts, and the unit of the fingerprint is beside the words', () => {
    const { columns, rows } = measureExcerpts(join(folder, 'texts'), 1)
    expect(columns).toEqual(['language', 'texts', 'words', 'wordCount', 'found', 'matches another text'])
    expect(rows.map((row) => row.slice(0, 3))).toEqual([
      ['en', '3', '20'],
      ['en', '3', '30'],
      ['th', '3', '20'],
      ['th', '3', '30'],
    ])
    for (const [language, , words, wordCount, recall] of rows) {
      const perWord = Number(wordCount) / Number(words)
      if (language === 'en') expect(perWord).toBeCloseTo(1, 1)
      else expect(perWord).toBeGreaterThan(2)
      // Generated Thai has no words of the dictionary, so its excerpts are short.
      expect(Number(recall)).toBeGreaterThan(language === 'en' ? 0.8 : 0.2)
    }
  })

  it('are the same for a seed', () => {
    const texts = join(folder, 'texts')
    expect(measureExcerpts(texts, 7)).toEqual(measureExcerpts(texts, 7))
    expect(measureExcerpts(texts, 7)).not.toEqual(measureExcerpts(texts, 8))
  })

  it('have as many words as asked for, and what is between them', () => {
    const text = 'One, two; three.'
    const words: readonly (readonly [number, number])[] = [
      [0, 3],
      [5, 8],
      [10, 15],
    ]
    const cut = Array.from({ length: 20 }, (_, seed) => excerptOf({ text, words }, 2, new Chance(seed)))
    expect(new Set(cut)).toEqual(new Set(['One, two', 'two; three']))
  })

  it('need two texts in each folder, and a folder', () => {
    expect(() => measureExcerpts(join(folder, 'one'), 1)).toThrow('needs at least two .txt or .md files of 200 words')
    expect(() => measureExcerpts(join(folder, 'none'), 1)).toThrow('needs a folder for each language')
  })
})
