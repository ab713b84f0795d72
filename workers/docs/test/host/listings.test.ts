import { describe, expect, it } from 'vitest'
import { pathOf } from '../../src/pages/pages.ts'
import { BASE } from '../harness.ts'
import { indexes, listedPages, pages, prober, sdk, texts } from './host.fixture.ts'

/** Of every page and file. */
const POLICY = "default-src 'self'; frame-ancestors 'none'; base-uri 'self'"

describe('the links and lists of pages', () => {
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
