import { Prober } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import { service } from '../src/app.ts'
import { PAGES } from '../src/pages/pages.gen.ts'
import { pathOf } from '../src/pages/pages.ts'
import { BASE, send } from './harness.ts'

const MAX_BYTES = 150_000
const LEFT_OUT = ['vectors', 'fingerprint-rules', 'lies']

const prober = new Prober({ service, send, base: BASE })
const textOf = async (path: string) => {
  const { status, body, headers } = await prober.send({ method: 'GET', path })
  expect({ path, status }).toEqual({ path, status: 200 })
  expect(headers.get('content-type')).toBe('text/plain; charset=utf-8')
  return String(body)
}
const bytesOf = (text: string) => new TextEncoder().encode(text).length

const index = await textOf('/llms.txt')
const listed = [...index.matchAll(/^- \[([^\]]+)\]\((\/llms\/[a-z0-9-]+\.txt)\): (\d+) kB\. .+$/gm)].map(
  ([, title = '', path = '', size]) => ({ title, path, size: Number(size) }),
)
const sections = await Promise.all(listed.map(async (section) => ({ ...section, text: await textOf(section.path) })))
const written = PAGES.filter(({ slug }) => !slug.startsWith('api-'))

describe('the files for language models', () => {
  it('are listed with their sizes', async () => {
    expect(sections.length).toBeGreaterThan(15)
    const whole = /\(\/llms-full\.txt\): (\d+) kB/.exec(index)?.[1]
    expect(Number(whole)).toBe(Math.ceil(bytesOf(await textOf('/llms-full.txt')) / 1_000))
    // Without a console, as here, the paragraphs about it are left out when a file is served.
    for (const { path, size, text } of sections) {
      const served = Math.ceil(bytesOf(text) / 1_000)
      expect([served, served + 1], path).toContain(size)
    }
  })

  it.each(sections)('have less than 150 kB for $title', ({ title, text }) => {
    expect(bytesOf(text)).toBeLessThan(MAX_BYTES)
    expect(text.startsWith(`Group of the documentation: ${title}. Pages: `)).toBe(true)
  })

  it('have every page whole, once', () => {
    const all = sections.map(({ text }) => text).join('\n')
    for (const page of PAGES) {
      const namesakes = PAGES.filter(({ title }) => title === page.title).length
      expect(all.split(`\n# ${page.title}\n`).length - 1, pathOf(page)).toBe(namesakes)
    }
    expect(all).toContain('"signingSeedHex"')
  })

  it('have a file for the reference of each service', () => {
    const references = PAGES.flatMap(({ slug }) => /^api-[a-z]+$/.exec(slug) ?? [])
    expect(references.length).toBe(8)
    for (const slug of references)
      expect(
        listed.some(({ path }) => new RegExp(`^/llms/${slug}(-1)?\\.txt$`).test(path)),
        slug,
      ).toBe(true)
  })
})

describe('the text of all pages', async () => {
  const whole = await textOf('/llms-full.txt')

  it('says first what it does not have', () => {
    const head = whole.split('\n---\n')[0] ?? ''
    for (const slug of LEFT_OUT) expect(head).toContain(`: /developer/${slug}.md`)
    expect(head).toContain('/llms.txt')
  })

  it('has every other page', () => {
    for (const { title, slug } of written)
      expect(whole.includes(`\n# ${title}\n`), title).toBe(!LEFT_OUT.includes(slug))
  })

  it('has no long value and no long generated table', () => {
    expect(/[A-Za-z0-9_-]{120,}/.exec(whole)?.[0]).toBeUndefined()
    const tables = [...whole.matchAll(/^<!-- The table below is generated .+ -->\n\n((?:\|.*\n)*)/gm)]
    for (const [, rows = ''] of tables) expect(bytesOf(rows)).toBeLessThanOrEqual(4_000)
    expect(whole).toContain('(The table is on the page: /developer/errors.md)')
  })
})
