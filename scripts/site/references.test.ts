import { gzipSync } from 'node:zlib'
import { errorAnchor } from '@svc/protocol/http/error-pages'
import { ERRORS } from '@svc/protocol/http/errors'
import { describe, expect, it } from 'vitest'
import { renderMarkdown } from './markdown.ts'
import { referencePages } from './references.ts'
import { listPages } from './sources.ts'

const pages = listPages()
const references = pages.filter(({ isReference }) => isReference)
const rendered = new Map(pages.map((page) => [`/${page.section}/${page.slug}`, renderMarkdown(page.markdown)]))
const idsOf = (path: string) => [...(rendered.get(path)?.html ?? '').matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)

describe('the references', () => {
  it.each(references)('$slug takes at most 40 kB to load', ({ slug }) => {
    const { html } = rendered.get(`/developer/${slug}`)!
    expect(gzipSync(html).length).toBeLessThan(40_000)
  })

  it('lead to anchors that are there', () => {
    const links = references.flatMap(({ markdown }) => [...markdown.matchAll(/\]\((\/[^)#]+)#([^)]+)\)/g)])
    expect(links.length).toBeGreaterThan(1_000)
    const missing = links.filter(([, path = '', id = '']) => !idsOf(path).includes(id))
    expect(missing.map(([link]) => link)).toEqual([])
  })

  it('split core by its groups, and list each operation once', () => {
    const parts = references.filter(({ parent }) => parent === 'api-core')
    const operations = (markdown: string) => markdown.match(/^## (?:GET|HEAD|POST|PUT|DELETE|PATCH) .+$/gm) ?? []
    const shown = parts.flatMap(({ markdown }) => operations(markdown))
    const index = references.find(({ slug }) => slug === 'api-core')
    const listed = [...(index?.markdown.matchAll(/^- \[`([A-Z]+ [^`]+)`\]/gm) ?? [])].map(([, name]) => `## ${name}`)
    expect(parts.length).toBeGreaterThan(15)
    expect(listed.toSorted()).toEqual(shown.toSorted())
    expect(new Set(shown).size).toBe(shown.length)
  })
})

it('a short reference is one page', () => {
  const operation = { tags: ['service'], summary: 'Read', description: 'It.', responses: {} }
  const document = { info: { title: 'X', version: '1' }, tags: [], paths: { '/a': { get: operation } } }
  expect(referencePages('did', document)).toMatchObject([{ slug: 'api-did', title: 'DID API' }])
})

it('every error has an anchor on its page', () => {
  const ids = new Set(idsOf('/developer/errors'))
  expect(Object.keys(ERRORS).filter((name) => !ids.has(errorAnchor(name)))).toEqual([])
})
