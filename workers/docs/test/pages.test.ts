import { env } from 'cloudflare:workers'
import { FOREIGN_ORIGIN, Prober } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import { service } from '../src/app.ts'
import { PAGES } from '../src/pages/pages.gen.ts'
import { pathOf } from '../src/pages/pages.ts'
import { BASE, send, sendByRouter } from './harness.ts'

const prober = new Prober({ service, send, base: BASE })
const byRouter = new Prober({ service, send: sendByRouter, base: BASE })
const pages = PAGES.map(pathOf)
const indexes = ['/', '/developer', '/academic']
const paths = ['/health', ...indexes, ...pages, '/sitemap.xml', '/robots.txt', '/openapi.json']
const missing = ['/developer/no-such-page', '/academic/no-such-page', '/developer/x/y', '/x', '/.env']

/** As the assets of a deployment answer for a page. */
const FAULTS: [string, () => Promise<Response>][] = [
  ['is not there', () => env.PAGES.fetch('https://pages.invalid/developer/no-such-page.md')],
  ['is empty', async () => new Response('')],
  ['is not modified', async () => new Response(null, { status: 304 })],
  ['cannot be read', async () => new Response('# Core', { status: 500 })],
  ['cannot be reached', () => Promise.reject(new Error('gone'))],
  ['breaks off', async () => new Response(new ReadableStream({ pull: (stream) => stream.error(new Error('gone')) }))],
]

/** Document 2 section 4.7. */
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
    expect(status).toBe(204)
    expectHeaders(headers)
  })

  it.each(PAGES)('serves the text of $section/$slug as Markdown', async (page) => {
    const { body, headers } = await prober.send({ method: 'GET', path: pathOf(page) })
    expect(String(body).startsWith(`# ${page.title}\n`)).toBe(true)
    expect(headers.get('content-type')).toBe('text/markdown; charset=utf-8')
    expect(headers.get('cache-control')).toBe('public, max-age=300')
    expect(headers.get('etag')).toBe(null)
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
    expect((await cut.send({ method: 'GET', path: '/developer' })).status).toBe(200)
  })

  it.each([
    ['/developer/core', 200],
    ['/developer/core.md', 400],
    ['/academic/protocol.md', 400],
    ['/pages/developer/core.md', 404],
  ])('answers %s itself, ahead of its assets', async (path, expected) => {
    for (const method of ['GET', 'HEAD']) {
      const { status, headers } = await byRouter.send({ method, path })
      expect(status).toBe(expected)
      expectHeaders(headers)
    }
  })

  it('lists every page in the index of its section', async () => {
    for (const { section, slug, title } of PAGES) {
      const { body } = await prober.send({ method: 'GET', path: `/${section}` })
      expect(body).toContain(`<a href="/${section}/${slug}">`)
      expect(title).not.toBe('')
    }
  })

  it('lists every page and index in the sitemap', async () => {
    const { body, headers } = await prober.send({ method: 'GET', path: '/sitemap.xml' })
    const listed = [...String(body).matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, url]) => url)
    expect(listed).toEqual([...indexes, ...pages].map((path) => BASE + path))
    expect(headers.get('content-type')).toBe('application/xml; charset=utf-8')
  })

  it('points crawlers to the sitemap', async () => {
    const { body, headers } = await prober.send({ method: 'GET', path: '/robots.txt' })
    expect(body).toBe(`User-agent: *\nAllow: /\nSitemap: ${BASE}/sitemap.xml\n`)
    expect(headers.get('content-type')).toBe('text/plain; charset=utf-8')
  })
})
