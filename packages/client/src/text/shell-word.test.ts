import { expect, it } from 'vitest'
import { shellWordOf } from './shell-word.ts'

it.each([
  ['report.pdf', 'report.pdf'],
  ['my report.pdf', "'my report.pdf'"],
  ['it\'s $(id) `id` "x" \\ *.pdf', `'it'\\''s $(id) \`id\` "x" \\ *.pdf'`],
  ['-.anchor.json', './-.anchor.json'],
  ['-rf x', "'./-rf x'"],
  ['--file', '--file'],
  ['-', '-'],
  ['', "''"],
  ['a;b', "'a;b'"],
  ['Übersicht.pdf', "'Übersicht.pdf'"],
])('%j is %s', (word, shown) => {
  expect(shellWordOf(word)).toBe(shown)
})
