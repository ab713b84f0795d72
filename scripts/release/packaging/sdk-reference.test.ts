import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { referenceFiles, sdkReference } from '@svc/site/sdk-reference'
import { beforeAll, expect, it } from 'vitest'

let folder: string
let pages: readonly string[]

beforeAll(async () => {
  folder = await sdkReference()
  pages = globSync('**/*.html', { cwd: folder })
}, 60_000)

/** Links to files of the reference itself. */
function linksOf(html: string): string[] {
  const links = [...html.matchAll(/ (?:href|src)="([^"#]+)/g)].map(([, link = '']) => link)
  return links.filter((link) => link !== '/' && !/^https?:/.test(link))
}

it('has a page for each export', () => {
  // Services are types, since a client loads their code by itself.
  expect(pages).toContain('interfaces/client_src.Chain.html')
  expect(pages).toContain('functions/client_src_verify.verifyChain.html')
  expect(pages).toContain('classes/client_src.Client.html')
  expect(pages.filter((page) => page.startsWith('classes/')).length).toBeGreaterThan(15)
})

it('leads nowhere that is not there, neither in its folder nor on the docs host', () => {
  for (const page of pages) {
    for (const link of linksOf(readFileSync(join(folder, page), 'utf8')))
      expect(existsSync(join(folder, dirname(page), link)), `${page}: ${link}`).toBe(true)
  }
  const files = new Map(referenceFiles(folder))
  for (const [file, content] of files) {
    if (!file.endsWith('.html')) continue
    for (const link of linksOf(String(content))) {
      const { pathname } = new URL(link, `https://docs.example/${file}`)
      expect(files.has(pathname === '/sdk' ? 'sdk.html' : pathname.slice(1)), `${file}: ${link}`).toBe(true)
    }
  }
})

it('has no scripts or styles in its pages, which the policy of the docs host would block', () => {
  const inline = pages.filter((page) => {
    const html = readFileSync(join(folder, page), 'utf8')
    return /<script(?! (?:defer|async) src=)|<style| style=| on[a-z]+=/.test(html)
  })
  expect(inline).toEqual([])
})

it('is not made again until a source changes', async () => {
  const startedAt = performance.now()
  expect(await sdkReference()).toBe(folder)
  expect(performance.now() - startedAt).toBeLessThan(1_000)
})
