import { env } from 'cloudflare:workers'
import { FOREIGN_ORIGIN, Prober } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import { service } from '../../src/app.ts'
import { pathOf } from '../../src/pages/pages.ts'
import { BASE, sendByRouter } from '../harness.ts'
import { expectHeaders, indexes, listedPages, pages, prober, sdk, texts } from './host.fixture.ts'

const byRouter = new Prober({ service, send: sendByRouter, base: BASE })
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
})
