import { gzipSync } from 'node:zlib'
import { errorAnchor } from '@svc/protocol/http/error-pages'
import { ERRORS } from '@svc/protocol/http/errors'
import { operationsIn } from '@svc/service/markdown'
import { describe, expect, it } from 'vitest'
import { renderMarkdown } from './markdown.ts'
import { referencePages } from './references.ts'
import { documentOf, listPages, SERVICES } from './sources.ts'

const pages = listPages()
const references = pages.filter(({ isReference }) => isReference)
const rendered = new Map(pages.map((page) => [`/${page.section}/${page.slug}`, renderMarkdown(page.markdown)]))
const idsOf = (path: string) => [...(rendered.get(path)?.html ?? '').matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)

describe('the references', () => {
  it.each(references)('$slug takes at most 40 kB to load', ({ slug }) => {
    const { html } = rendered.get(`/developer/${slug}`)!
    expect(gzipSync(html).length).toBeLessThan(40_000)
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

describe('a reference', () => {
  const pageOf = (slug: string) => references.find((page) => page.slug === slug)?.markdown ?? ''
  const sectionsIn = (markdown: string) => [...markdown.matchAll(/^## ([A-Z]+ \/\S*)$/gm)].map(([, name = '']) => name)
  const listedIn = (markdown: string) =>
    [...markdown.matchAll(/^- \[`([A-Z]+ [^`]+)`\]/gm)].map(([, name = '']) => name)

  it.each(references)('$slug begins with its operations, in their order', ({ slug, markdown }) => {
    const sections = sectionsIn(markdown)
    const isSplit = references.some(({ parent }) => parent === slug)
    if (!isSplit && sections.length > 1) expect(listedIn(markdown)).toEqual(sections)
  })

  it.each(SERVICES)('of %s has last what every service has', (service) => {
    const listed = listedIn(pageOf(`api-${service}`))
    const first = listed.findIndex((name) => /^\w+ \/health$/.test(name))
    expect(first).toBeGreaterThan(listed.length / 3)
    expect(listed).toContain('GET /openapi.json')
    expect(listed.at(-1)).toMatch(/openapi\.json$|docs\.md$/)
  })

  it.each(SERVICES)('of %s leads from each operation to the console', (service) => {
    const own = references.filter(({ slug }) => slug === `api-${service}` || slug.startsWith(`api-${service}-`))
    const links = own.flatMap(({ markdown }) => [...markdown.matchAll(/https:\/\/console\.invalid\/requests#(\S+)\)/g)])
    const operations = operationsIn(documentOf(service)).map(({ operation }) => `${service}.${operation.operationId}`)
    expect(links.map(([, place = '']) => place).toSorted()).toEqual(operations.toSorted())
  })

  it('names the address on a local start once', () => {
    expect(pageOf('api-consent').match(/its address is `http:\/\/localhost:8789`/g)).toHaveLength(1)
    expect(pageOf('api-core-pair').match(/its address is `http:\/\/localhost:8787`/g)).toHaveLength(1)
  })

  it('explains each credential where it is described', () => {
    const shown = [pageOf('api-consent'), pageOf('api-core-pair'), pageOf('api-auth'), pageOf('api-pay')].join('\n')
    expect(shown).toContain('- Credential: [SvcSignature](/developer/consent#writing) in `X-Svc-Signature`\n')
    expect(shown).toContain('[PairingToken](/developer/pairing#invitation) in `X-Pairing-Token`')
    expect(shown).toContain('- Credential: [SignInSession](/developer/auth#sessions) in `X-Sign-In-Session`\n')
    expect(shown).toContain(
      '- Credential: [a statement by the operator](/developer/operating#operator-key) in the body\n',
    )
    expect(shown).toContain('[the signature of the payment provider](/developer/pay#provider-events)')
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
