import { env } from 'cloudflare:workers'
import { FOREIGN_ORIGIN, Prober } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import { service } from '../../src/app.ts'
import { PAGES } from '../../src/pages/pages.gen.ts'
import { pathOf } from '../../src/pages/pages.ts'
import { BASE, send, sendByRouter } from '../harness.ts'

const prober = new Prober({ service, send, base: BASE })
const byRouter = new Prober({ service, send: sendByRouter, base: BASE })
const pages = PAGES.map(pathOf)
/** The others are parts of the reference of core, which lists them. */
const listedPages = PAGES.filter(({ slug }) => !/^api-(?:core|keys|provenance)-/.test(slug))
const indexes = ['/', '/developer', '/academic']
const texts = ['/llms.txt', '/llms-full.txt', '/llms/guides.txt', '/llms/api-pay.txt']
const sdk = ['/sdk', '/sdk/classes/_svc_client.Client.html']
const paths = [
  '/health',
  ...indexes,
  ...pages,
  ...sdk,
  ...texts,
  '/changelog.xml',
  '/sitemap.xml',
  '/robots.txt',
  '/.well-known/security.txt',
  '/openapi.json',
]
const missing = [
  '/developer/no-such-page',
  '/developer/no-such-page.md',
  '/academic/no-such-page',
  // A page of the other section.
  '/academic/core',
  '/developer/protocol.md',
  // In forms that no page has.
  '/developer/Core',
  '/developer/core.html',
  '/developer/%2e%2e%2fcore',
  '/developer/core%00',
  '/assets/style',
  '/assets/%2e%2e%2fcore.md',
  '/llms/guides',
  '/sdk/classes/x.exe',
  '/sdk/Classes/Client.html',
  '/assets/no-such-file.css',
  '/llms/no-such-group.txt',
  '/sdk/',
  '/sdk/index.html',
  '/sdk/classes/NoSuchClass.html',
  '/developer/x/y',
  '/x',
  '/.env',
]

/** As the assets of a deployment answer for a page. */
const FAULTS: [string, () => Promise<Response>][] = [
  ['is not there', () => env.PAGES.fetch('https://pages.invalid/developer/no-such-page.md')],
  ['is empty', async () => new Response('')],
  ['is not modified', async () => new Response(null, { status: 304 })],
  ['cannot be read', async () => new Response('# Core', { status: 500 })],
  ['cannot be reached', () => Promise.reject(new Error('gone'))],
  ['breaks off', async () => new Response(new ReadableStream({ pull: (stream) => stream.error(new Error('gone')) }))],
]

/** The pages that must exist. */
const POLICY = "default-src 'self'; frame-ancestors 'none'; base-uri 'self'"

function expectHeaders(headers: Headers): void {
  expect(headers.get('strict-transport-security')).toBe('max-age=63072000; includeSubDomains; preload')
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('x-frame-options')).toBe('DENY')
  expect(headers.get('referrer-policy')).toBe('strict-origin-when-cross-origin')
  expect(headers.get('content-security-policy')).toMatch(/^default-src 'self';/)
  expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([])
}

describe('the documentation host', () => {
  it.each(paths)('serves %s to anyone', async (path) => {
    for (const method of ['GET', 'HEAD']) {
      const { status, headers } = await prober.send({ method, path, headers: { origin: FOREIGN_ORIGIN } })
      expect(status).toBe(200)
      expectHeaders(headers)
    }
  })

  it.each(missing)('has nothing at %s', async (path) => {
    for (const method of ['GET', 'HEAD']) {
      const { status, headers } = await prober.send({ method, path })
      expect(status).toBe(404)
      expectHeaders(headers)
    }
  })

  it.each([...paths, ...missing])('takes nothing but GET, HEAD and OPTIONS at %s', async (path) => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND']) {
      const { status, error, headers } = await prober.send({ method, path, body: '{}' })
      expect({ status, error }).toEqual({ status: 405, error: 'method_not_allowed' })
      expect(headers.get('allow')).toBe('GET, HEAD, OPTIONS')
      expectHeaders(headers)
    }
    const { status, headers } = await prober.send({ method: 'OPTIONS', path })
    expect({ status, allow: headers.get('allow') }).toEqual({ status: 200, allow: 'GET, HEAD, OPTIONS' })
    expectHeaders(headers)
  })

  it.each<[string, string, number]>([
    ...missing.map((path): [string, string, number] => ['GET', path, 404]),
    ['POST', '/developer/core', 405],
  ])('answers %s %s with a page to a browser, under the same status and headers', async (method, path, expected) => {
    const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
    const { status, body, headers } = await prober.send({ method, path, headers: { accept } })
    expect(status).toBe(expected)
    expectHeaders(headers)
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect([headers.get('cache-control'), headers.get('vary'), headers.get('etag')]).toEqual([
      'no-store',
      'Accept',
      null,
    ])
    expect(headers.get('allow')).toBe(expected === 405 ? 'GET, HEAD, OPTIONS' : null)
    expect(String(body)).toContain(expected === 405 ? '<h1>Method not allowed</h1>' : '<h1>No such page</h1>')
    for (const link of ['/', ...listedPages.map(pathOf)]) expect(String(body)).toMatch(RegExp(`<a [^>]*href="${link}"`))
  })

  it('has no address for the pages of refusals', async () => {
    for (const path of ['/404', '/404.html', '/405', '/405.html'])
      expect(await prober.send({ method: 'GET', path })).toMatchObject({ status: 404, error: 'not_found' })
  })

  it('refuses with JSON while the page of a refusal cannot be read', async () => {
    const replaced = { ...env, PAGES: { fetch: () => Promise.reject(new Error('gone')) } }
    const cut = new Prober({ service, base: BASE, send: async (request) => service.app.fetch(request, replaced) })
    const refused = await cut.send({ method: 'GET', path: '/x', headers: { accept: 'text/html' } })
    expect(refused).toMatchObject({ status: 404, error: 'not_found' })
  })

  it.each(PAGES)('serves $section/$slug as HTML', async (page) => {
    const { body, headers } = await prober.send({ method: 'GET', path: pathOf(page) })
    expect(String(body)).toContain(`<title>${page.title} · svc</title>`)
    expect(String(body)).toContain(`<link rel="alternate" type="text/markdown" href="${pathOf(page)}.md">`)
    expect(String(body)).toMatch(
      /<link rel="alternate" type="application\/atom\+xml" title="[^"]+" href="\/changelog.xml">/,
    )
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(headers.get('cache-control')).toBe('public, max-age=300')
    expect(headers.get('vary')).toBe('Accept')
  })

  it.each(PAGES)('serves $section/$slug as Markdown under a name of its own, and to who asks for it', async (page) => {
    for (const [path, accept] of [
      [`${pathOf(page)}.md`, 'text/html'],
      [pathOf(page), 'text/markdown'],
    ] as const) {
      const { body, headers } = await prober.send({ method: 'GET', path, headers: { accept } })
      expect(String(body).startsWith(`# ${page.title}\n`)).toBe(true)
      expect(headers.get('content-type')).toBe('text/markdown; charset=utf-8')
      expect(headers.get('vary')).toBe('Accept')
    }
  })

  it('serves the home page as HTML, and as Markdown to who asks for it', async () => {
    const [html, markdown] = await Promise.all(
      ['text/html', 'text/markdown'].map((accept) => prober.send({ method: 'GET', path: '/', headers: { accept } })),
    )
    expect(String(html?.body)).toMatch(/^<!doctype html>/i)
    expect(String(markdown?.body)).toMatch(/^# .+\n\n\*\*svc\*\* is /)
    expect(markdown?.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
    expect([html, markdown].map((answer) => answer?.headers.get('vary'))).toEqual(['Accept', 'Accept'])
    expect(markdown?.headers.get('etag')).not.toBe(html?.headers.get('etag'))
  })

  it.each([
    ['text/html,application/xhtml+xml,*/*;q=0.8', 'text/html'],
    ['*/*', 'text/html'],
    ['text/markdown;q=0.5, text/html', 'text/html'],
    ['text/markdown, text/html;q=0.9', 'text/markdown'],
    ['text/markdown;q=0', 'text/html'],
    ['text/markdown;q=x', 'text/html'],
  ])('takes %s for %s', async (accept, type) => {
    const { headers } = await prober.send({ method: 'GET', path: '/developer/core', headers: { accept } })
    expect(headers.get('content-type')).toBe(`${type}; charset=utf-8`)
  })

  it.each([
    '/',
    '/developer',
    '/developer/core',
    '/developer/core.md',
    ...sdk,
    ...texts,
    '/sitemap.xml',
    '/changelog.xml',
  ])('says that %s has not changed', async (path) => {
    const first = await prober.send({ method: 'GET', path })
    const etag = first.headers.get('etag') ?? ''
    expect(etag).toMatch(/^(?:W\/)?"[^"]+"$/)
    const again = await prober.send({ method: 'GET', path, headers: { 'if-none-match': `"other", ${etag}` } })
    expect({ status: again.status, body: again.body }).toEqual({ status: 304, body: '' })
    expect(again.headers.get('etag')).toBe(etag)
    expectHeaders(again.headers)
    expect((await prober.send({ method: 'GET', path, headers: { 'if-none-match': '"other"' } })).status).toBe(200)
  })

  it('gives HTML and Markdown tags of their own', async () => {
    const html = await prober.send({ method: 'GET', path: '/developer/core' })
    const markdown = await prober.send({ method: 'GET', path: '/developer/core.md' })
    expect(html.headers.get('etag')).not.toBe(markdown.headers.get('etag'))
  })

  /** The contents are on every page; each link in them is followed once. */
  const followed = new Set<string>()
  it.each([...pages, ...indexes])('serves every file and page that %s names, to be kept for good', async (path) => {
    const { body } = await prober.send({ method: 'GET', path })
    const named = [...String(body).matchAll(/(?:href|src|data-script|data-index)="(\/[^"#]*)/g)].map(
      ([, link = '']) => link,
    )
    expect(named.length).toBeGreaterThan(10)
    for (const link of new Set(named.filter((one) => !followed.has(one)))) {
      followed.add(link)
      const { status, headers } = await prober.send({ method: 'HEAD', path: link })
      expect({ link, status }).toEqual({ link, status: 200 })
      if (link.startsWith('/assets/')) {
        expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      }
      // Browsers hold a drawing, which has a style element, to its own policy; a page may not have one.
      const styles = link.endsWith('.svg') ? "; style-src 'self' 'unsafe-inline'" : ''
      expect({ link, policy: headers.get('content-security-policy') }).toEqual({ link, policy: POLICY + styles })
    }
  })

  it.each(pages)('leads from %s nowhere outside its headings', async (path) => {
    const { body } = await prober.send({ method: 'GET', path })
    const ids = new Set([...String(body).matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))
    for (const [, fragment] of String(body).matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(fragment)
    expect(String(body)).not.toMatch(/<script(?! src=)|<style| style=| on[a-z]+=/)
  })

  it.each(FAULTS)('refuses while the text of a page %s', async (_, answer) => {
    const replaced = { ...env, PAGES: { fetch: answer } }
    const cut = new Prober({ service, base: BASE, send: async (request) => service.app.fetch(request, replaced) })
    for (const method of ['GET', 'HEAD']) {
      const { status, error, headers } = await cut.send({ method, path: '/developer/core' })
      expect(status).toBe(503)
      if (method === 'GET') expect(error).toBe('dependency_unavailable')
      expect(headers.get('cache-control')).toBe('no-store')
      expectHeaders(headers)
    }
    expect((await cut.send({ method: 'GET', path: '/robots.txt' })).status).toBe(200)
  })

  it.each([
    ['/developer/core', 200],
    ['/developer/core.md', 200],
    ['/academic/protocol.md', 200],
    ['/developer/core.html', 404],
    ['/developer.html', 404],
    ['/pages/developer/core.md', 404],
  ])('answers %s itself, ahead of its assets', async (path, expected) => {
    for (const method of ['GET', 'HEAD']) {
      const { status, headers } = await byRouter.send({ method, path })
      expect(status).toBe(expected)
      expectHeaders(headers)
    }
  })

  it.each([
    ['/sdk', 'text/html; charset=utf-8'],
    ['/sdk/classes/_svc_client.Client.html', 'text/html; charset=utf-8'],
    ['/sdk/assets/style.css', 'text/css; charset=utf-8'],
  ])('serves %s of the SDK reference as %s', async (path, type) => {
    const { headers } = await prober.send({ method: 'GET', path })
    expect(headers.get('content-type')).toBe(type)
    expect(headers.get('cache-control')).toBe('public, max-age=300')
  })

  it('keeps the SDK reference from language models, who have the declarations', async () => {
    for (const path of texts) {
      const { body } = await prober.send({ method: 'GET', path })
      expect(body).not.toContain('/sdk/classes/')
    }
  })

  it('lists every page in the index of its section', async () => {
    for (const { section, slug, title } of listedPages) {
      const { body } = await prober.send({ method: 'GET', path: `/${section}` })
      expect(body).toContain(`<a href="/${section}/${slug}">${title}</a>`)
      expect(title).not.toBe('')
    }
  })

  it('names every page to language models, as Markdown', async () => {
    const { body } = await prober.send({ method: 'GET', path: '/llms.txt' })
    for (const page of listedPages) expect(body).toContain(`- [${page.title}](${pathOf(page)}.md): `)
  })

  it('lists every page and index in the sitemap', async () => {
    const { body, headers } = await prober.send({ method: 'GET', path: '/sitemap.xml' })
    const listed = [...String(body).matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, url]) => url)
    expect(listed).toEqual([...indexes, ...pages, ...sdk].map((path) => BASE + path))
    expect(headers.get('content-type')).toBe('application/xml; charset=utf-8')
  })

  it('points crawlers to the sitemap', async () => {
    const { body, headers } = await prober.send({ method: 'GET', path: '/robots.txt' })
    expect(body).toBe(`User-agent: *\nAllow: /\nSitemap: ${BASE}/sitemap.xml\n`)
    expect(headers.get('content-type')).toBe('text/plain; charset=utf-8')
  })
})
