import { expect, it } from 'vitest'
import { answerName } from './recorded.ts'

it('names an answer by its status, and its media type unless that is JSON', () => {
  expect(answerName(200, 'application/json')).toBe('200')
  expect(answerName('200', 'application/did')).toBe('200 application/did')
})
