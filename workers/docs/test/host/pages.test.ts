import { describe, expect, it } from 'vitest'
import { PAGES } from '../../src/pages/pages.gen.ts'
import { pathOf } from '../../src/pages/pages.ts'
import { expectHeaders, prober, sdk, texts } from './host.fixture.ts'

describe('the pages and their forms', () => {
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

  it.each([
    ['/sdk', 'text/html; charset=utf-8'],
    ['/sdk/classes/_svc_client.Client.html', 'text/html; charset=utf-8'],
    ['/sdk/assets/style.css', 'text/css; charset=utf-8'],
  ])('serves %s of the SDK reference as %s', async (path, type) => {
    const { headers } = await prober.send({ method: 'GET', path })
    expect(headers.get('content-type')).toBe(type)
    expect(headers.get('cache-control')).toBe('public, max-age=300')
  })
})
