import { expect, it } from 'vitest'
import { renderMarkdown } from './markdown.ts'
import { homeSource, listPages } from './sources.ts'

/** Made by other means than from a page of Markdown. */
const OTHERS = ['/', '/developer', '/academic', '/sdk', '/llms.txt', '/llms-full.txt', '/sitemap.xml']

const pages = [
  ...listPages().map(({ section, slug, markdown, file }) => ({
    path: `/${section}/${slug}`,
    html: renderMarkdown(markdown, file).html,
  })),
  { path: '/', html: renderMarkdown(homeSource(), 'home.md').html },
]
const idsOf = (html: string) => new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))
const anchors = new Map(pages.map(({ path, html }) => [path, idsOf(html)]))

it('no link leads to a page or an anchor that is not there', () => {
  const dead: string[] = []
  let followed = 0
  for (const { path, html } of pages)
    for (const [, href = ''] of html.matchAll(/<a [^>]*href="([/#][^"]*)"/g)) {
      const [target = '', anchor] = href.split('#')
      followed++
      const page = target === '' ? path : target.replace(/\.md$/, '')
      const isThere = anchors.has(page) || OTHERS.includes(page)
      const hasAnchor = anchor === undefined || anchors.get(page)?.has(decodeURIComponent(anchor)) === true
      if (!isThere || !hasAnchor) dead.push(`${path}: ${href}`)
    }
  expect(dead).toEqual([])
  expect(followed).toBeGreaterThan(1_000)
})

it('every page begins with one title, and skips no level of headings', () => {
  const faults = pages.filter(({ html }) => {
    const levels = [...html.matchAll(/<h([1-6])[ >]/g)].map(([, level]) => Number(level))
    return levels[0] !== 1 || levels.some((level, at) => at > 0 && (level === 1 || level > levels[at - 1]! + 1))
  })
  expect(faults.map(({ path }) => path)).toEqual([])
})
