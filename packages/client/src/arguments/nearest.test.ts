import { expect, it } from 'vitest'
import { nearest } from './nearest.ts'

it.each([
  ['paylod', ['metadata', 'payload'], 'payload'],
  ['timeout', ['signal', 'timeoutMs'], 'timeoutMs'],
  ['TIMEOUTMS', ['signal', 'timeoutMs'], 'timeoutMs'],
  ['retry', ['signal', 'timeoutMs', 'retries'], 'retries'],
  ['text', ['title', 'body', 'tags'], undefined],
  ['anything', [], undefined],
])('of %s among %j is %s', (typed, known, expected) => {
  expect(nearest(typed, known)).toBe(expected)
})
