import { expect, it } from 'vitest'
import { words } from '../words/home/words.ts'
import { onlyWordsStop } from './only-words-stop.ts'

it('a device is offered to freeze what it can stop, and nothing else', () => {
  const bases = ['root', 'successor', 'full', 'replacement'] as const
  expect(bases.map((basis) => onlyWordsStop({ basis }))).toEqual([
    null,
    null,
    words.pendingFull,
    words.pendingReplacement,
  ])
})
