import { describe, expect, it } from 'vitest'
import { projectionsOf, usageOf } from './projection.ts'

const NOT_ALLOWED = { use: 'notAllowed' }
const ALLOWED = { use: 'allowed' }
const NOTHING = { content_usage: null, content_signal: null, tdm_reservation: null, x_robots_tag: null, cawg: null }

describe('a record in other vocabularies', () => {
  it.each([
    [
      { ai_training: 'disallow', search: 'allow' },
      {
        content_usage: 'train-ai=n, search=y',
        content_signal: 'search=yes, ai-train=no',
        tdm_reservation: 1,
        x_robots_tag: 'noai',
        cawg: { 'cawg.ai_training': NOT_ALLOWED, 'cawg.ai_generative_training': NOT_ALLOWED },
      },
    ],
    [
      { ai_training: 'allow' },
      {
        ...NOTHING,
        content_usage: 'train-ai=y',
        content_signal: 'ai-train=yes',
        cawg: { 'cawg.ai_training': ALLOWED, 'cawg.ai_generative_training': ALLOWED },
      },
    ],
    [{ search: 'disallow' }, { ...NOTHING, content_usage: 'search=n', content_signal: 'search=no' }],
  ] as const)('%j', (declared, expected) => {
    expect(projectionsOf(declared)).toEqual(expected)
  })

  it('omits members that are only retained', () => {
    const retained = { generative_ai_training: 'disallow', automated_processing: 'disallow', conditional: true }
    expect(projectionsOf(retained as object)).toEqual(NOTHING)
    expect(usageOf(retained as object)).toBe('')
  })
})
