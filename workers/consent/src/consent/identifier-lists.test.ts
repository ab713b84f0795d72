import { describe, expect, it } from 'vitest'
import { listsOf } from './identifier-lists.ts'

describe('lists of identifiers', () => {
  it.each([
    ['of ASCII', 'x'.repeat(240)],
    ['of four-byte characters', '😀'.repeat(240)],
    ['that are escaped', '\u0001"\\'.repeat(80)],
  ])('%s hold all of them in order, each list within what D1 takes', (_, tail) => {
    const hashes = Array.from({ length: 10_000 }, (__, i) => `${String(i).padStart(16, '0')}${tail}`)
    const lists = [...listsOf(hashes)]
    expect(lists.flatMap((list) => JSON.parse(list) as string[])).toEqual(hashes)
    expect(lists.length).toBeGreaterThan(1)
    for (const list of lists) expect(new TextEncoder().encode(list).length).toBeLessThan(510_000)
  })

  it('are none of nothing, and one of few', () => {
    expect([...listsOf([])]).toEqual([])
    expect([...listsOf(['a', 'b'])]).toEqual(['["a","b"]'])
  })
})
