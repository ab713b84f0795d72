import { gzipSync } from 'node:zlib'
import { errorAnchor } from '@svc/protocol/http/error-pages'
import { ERRORS } from '@svc/protocol/http/errors'
import MiniSearch from 'minisearch'
import { expect, it } from 'vitest'
import { renderMarkdown } from '../markdown.ts'
import { listPages } from '../sources.ts'
import { searchIndex, sectionsOf } from './index.ts'
import { INDEX_OPTIONS, type Section } from './options.ts'
import { opened } from './packed.ts'
import { QUERIES } from './queries.ts'
import { resultsOf } from './results.ts'

const index = searchIndex(listPages())
const engine = opened(index)
const pagesFound = (query: string) =>
  resultsOf(engine, query)
    .slice(0, 3)
    .map(({ id }) => id.replace(/^\/\w+\//, '').split('#')[0] ?? '')

it('the index as it is sent opens as it was made', () => {
  const made = new MiniSearch<Section>(INDEX_OPTIONS)
  made.addAll(listPages().flatMap(sectionsOf))
  const parts = (one: MiniSearch<Section>) => {
    const { index: terms, ...others } = one.toJSON()
    return { ...others, terms: new Map(terms) }
  }
  expect(parts(engine)).toEqual(parts(made))
})

it('there are thirty queries or more', () => expect(QUERIES.length).toBeGreaterThanOrEqual(30))

it.each(QUERIES)('"$text" finds its page among the first three', ({ text, pages }) => {
  const found = pagesFound(text)
  expect(
    found.some((page) => pages.includes(page)),
    `found ${found.join(', ')}`,
  ).toBe(true)
})

it('results lead to headings that are there', () => {
  const dead = listPages().flatMap((page) => {
    const { html } = renderMarkdown(page.markdown, page.file)
    const anchors = sectionsOf(page).map(({ id }) => id.split('#')[1])
    return anchors.filter((anchor) => anchor !== undefined && !html.includes(` id="${anchor}"`))
  })
  expect(dead).toEqual([])
})

it('what is not there finds nothing', () => expect(pagesFound('zzyzxqwv')).toEqual([]))

it('every error is found with its status and meaning', () => {
  const sections = listPages()
    .filter(({ slug }) => slug === 'errors')
    .flatMap(sectionsOf)
  const excerpts = new Map(sections.map(({ id, excerpt }) => [id, excerpt]))
  for (const [name, { status, text }] of Object.entries(ERRORS))
    expect(excerpts.get(`/developer/errors#${errorAnchor(name)}`)).toBe(`${status}: ${text.replaceAll('`', '').trim()}`)
})

// With the script, what the first search loads stays below 200 kB.
it('the index takes at most 190 kB to load', () => expect(gzipSync(index).length).toBeLessThan(190_000))
