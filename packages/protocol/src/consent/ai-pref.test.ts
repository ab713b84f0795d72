import { describe, expect, it } from 'vitest'
import { contentUsageLine, contentUsageRule, parseAiPref, writeAiPref } from './ai-pref.ts'

describe('AI preferences', () => {
  it.each([
    ['train-ai=n, search=y', { 'train-ai': false, search: true }],
    ['search=y,train-ai=n', { 'train-ai': false, search: true }],
    ['', {}],
    ['train-ai=n;why="mine"', { 'train-ai': false }],
    ['train-ai=n, ai-input=n, train-genai=y', { 'train-ai': false }],
    ['train-ai=n, train-ai=y', { 'train-ai': true }],
    ['train-ai=n, train-ai=1', {}],
    ['train-ai, search=?1', {}],
    ['train-ai="n", search=(y)', {}],
    ['train-ai=Y, search=yes', {}],
  ])('%j declares %j', (text, declared) => {
    expect(parseAiPref(text)).toEqual(declared)
  })

  it.each(['train-ai=n, Search=y', 'train-ai=n search=y', 'train-ai=n,', 'train-ai=n, x='])(
    '%j is not valid',
    (text) => {
      expect(parseAiPref(text)).toBeNull()
    },
  )

  it.each([{}, { 'train-ai': false }, { search: true }, { 'train-ai': true, search: false }])(
    'round-trips %j',
    (declared) => {
      expect(parseAiPref(writeAiPref(declared))).toEqual(declared)
    },
  )

  it('serializes to a header field and a robots.txt rule, and to neither if nothing is declared', () => {
    const declared = { search: true, 'train-ai': false }
    expect(contentUsageLine(declared)).toBe('Content-Usage: train-ai=n, search=y')
    expect(contentUsageRule(declared)).toBe('Content-Usage: / train-ai=n, search=y')
    expect(contentUsageRule({ search: false }, '/news/')).toBe('Content-Usage: /news/ search=n')
    expect([contentUsageLine({}), contentUsageRule({})]).toEqual([null, null])
  })
})
