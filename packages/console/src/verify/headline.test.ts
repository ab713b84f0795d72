import { describe, expect, it } from 'vitest'
import { headlineOf } from './headline.ts'

describe('the headline of a verdict', () => {
  it.each(['file', 'no_file'] as const)('says that the content was not compared: %s', (needs) => {
    expect(headlineOf('undecided', 'anchor', needs)).toBe('Undecided: anchor, the content was not compared')
  })

  it('is the verdict alone otherwise', () => {
    expect(headlineOf('valid', 'anchor', null)).toBe('Valid: anchor')
    expect(headlineOf('undecided', 'anchor', 'log_key')).toBe('Undecided: anchor')
  })
})
