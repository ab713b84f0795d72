import { expect, it } from 'vitest'
import { words } from '../words/home/words.ts'
import { onlyWordsStop } from './only-words-stop.ts'

it('freezing is offered only for a rotation that a device can stop', () => {
  const bases = ['root', 'successor', 'full', 'replacement'] as const
  expect(bases.map((basis) => onlyWordsStop({ basis }))).toEqual([
    null,
    null,
    words.pendingFull,
    words.pendingReplacement,
  ])
})
