import { gzipSync } from 'node:zlib'
import MiniSearch from 'minisearch'
import { expect, it } from 'vitest'
import { listPages } from '../sources.ts'
import { searchIndex } from './index.ts'
import { INDEX_OPTIONS, type Section } from './options.ts'
import { QUERIES } from './queries.ts'
import { resultsOf } from './results.ts'

const index = searchIndex(listPages())
const engine = MiniSearch.loadJSON<Section>(index, INDEX_OPTIONS)
const pagesFound = (query: string) =>
  resultsOf(engine, query)
    .slice(0, 3)
    .map(({ id }) => id.replace(/^\/\w+\//, '').split('#')[0] ?? '')

it('thirty readers or more were asked', () => expect(QUERIES.length).toBeGreaterThanOrEqual(30))

it.each(QUERIES)('"$text" finds its page among the first three', ({ text, pages }) => {
  const found = pagesFound(text)
  expect(
    found.some((page) => pages.includes(page)),
    `found ${found.join(', ')}`,
  ).toBe(true)
})

it('what is not there finds nothing', () => expect(pagesFound('zzyzxqwv')).toEqual([]))

// With the script, what the first search loads stays below 200 kB.
it('the index takes at most 190 kB to load', () => expect(gzipSync(index).length).toBeLessThan(190_000))
