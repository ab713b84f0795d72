import { expect, it } from 'vitest'
import { answerName, elided, expanded } from './recorded.ts'

it('records a long text by its ends and its length', () => {
  const signature = `${'ab_-'.repeat(4)}${'x'.repeat(4380)}${'CD09'.repeat(4)}`
  expect(elided(signature)).toBe('ab_-ab…4400…09CD09')
  expect(expanded(elided(signature))).toBe(`ab_-ab${'A'.repeat(4400)}09CD09`)
})

it('fills hex with hex', () => {
  const hex = '0f'.repeat(200)
  expect(expanded({ list: [elided(hex)] })).toEqual({ list: [`0f0f0f${'0'.repeat(388)}0f0f0f`] })
})

it.each(['short', 'words and spaces '.repeat(40), '', 'ends…12…'])('leaves %j as it is', (text) => {
  expect(elided(text)).toBe(text)
  expect(expanded(text)).toBe(text)
})

it('leaves other values as they are', () => {
  const value = { n: 1, none: null, is: true, list: [1, 'a'] }
  expect(expanded(value)).toEqual(value)
})

it('names an answer by its status, and its media type unless that is JSON', () => {
  expect(answerName(200, 'application/json')).toBe('200')
  expect(answerName('200', 'application/did')).toBe('200 application/did')
})
