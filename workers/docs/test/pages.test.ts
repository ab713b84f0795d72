import { FOREIGN_ORIGIN, Prober } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import { service } from '../src/app.ts'
import { PAGES } from '../src/pages/pages.gen.ts'
import { BASE, send } from './harness.ts'

const prober = new Prober({ service, send, base: BASE })
const pages = PAGES.map(({ section, slug }) => `/${section}/${slug}`)
const indexes = ['/', '/developer', '/academic']
const paths = ['/health', ...indexes, ...pages, '/sitemap.xml', '/robots.txt', '/openapi.json']
const missing = ['/developer/no-such-page', '/academic/no-such-page', '/developer/x/y', '/x', '/.env']

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
