import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ROOT } from '@svc/platform/workspace'
import { referenceFiles, sdkReference } from '@svc/site/sdk-reference'
import { beforeAll, expect, it } from 'vitest'

let folder: string
let pages: readonly string[]

beforeAll(async () => {
  folder = await sdkReference()
  pages = globSync('**/*.html', { cwd: folder })
}, 60_000)

/** Other pages of the docs host, and other hosts. */
const ELSEWHERE = /^(?:https?:|\/$|\/developer\/)/

/** Links to files of the reference itself. */
function linksOf(html: string): string[] {
  const links = [...html.matchAll(/ (?:href|src)="([^"#]+)/g)].map(([, link = '']) => link)
  return links.filter((link) => !ELSEWHERE.test(link))
}

it('has a page for each export', () => {
  // Services are types, since a client loads their code by itself.
  expect(pages).toContain('interfaces/_svc_client.Chain.html')
  expect(pages).toContain('functions/_svc_client_verify.verifyChain.html')
  expect(pages).toContain('classes/_svc_client.Client.html')
  expect(pages.filter((page) => page.startsWith('classes/')).length).toBeGreaterThan(15)
})

/** The exports of the published packages, as they are imported. */
const names = ['client', 'fingerprint', 'cli'].flatMap((name) => {
  const text = readFileSync(join(ROOT, 'packages', name, 'package.json'), 'utf8')
  const paths = Object.keys((JSON.parse(text) as { readonly exports: object }).exports)
  return paths.map((path) => `@svc/${name}${path.slice(1)}`)
})

it('has a module for each export of the published packages, named as it is imported', () => {
  const titles = pages
    .filter((page) => page.startsWith('modules/'))
    .map((page) => /<h1>Module (\S+?)<\/h1>/.exec(readFileSync(join(folder, page), 'utf8'))?.[1])
  expect(names).toContain('@svc/client/node')
  expect(new Set(titles)).toEqual(new Set(names))
})

it('begins with an introduction and what each module is for', () => {
  const index = readFileSync(join(folder, 'index.html'), 'utf8')
  expect(index).toContain('href="/developer/sdk#install"')
  expect(index.match(/<dd class="tsd-member-summary">\s*<div/g)).toHaveLength(names.length)
})

it('has the classes of entries for one platform', () => {
  expect(pages).toContain('classes/_svc_client_node.KeyFile.html')
  expect(pages).toContain('classes/_svc_client_browser.IndexedDbKeys.html')
})

it('has the icon of the site and its look, before anything is shown', () => {
  for (const [page, base] of [
    ['index.html', './'],
    ['classes/_svc_client.Client.html', '../'],
  ] as const) {
    const html = readFileSync(join(folder, page), 'utf8')
    expect(html).toContain(`<link rel="icon" type="image/svg+xml" href="${base}assets/icon.svg"/>`)
    expect(html.indexOf(`<script src="${base}assets/look.js">`)).toBeGreaterThan(0)
    expect(html.indexOf('assets/look.js')).toBeLessThan(html.indexOf('assets/style.css'))
    expect(html).toContain('<a href="/">Documentation</a>')
    expect(html.match(/role="main"/g)).toHaveLength(1)
  }
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

it('leads to pages of the site that are there', () => {
  const targets = pages.flatMap((page) =>
    [...readFileSync(join(folder, page), 'utf8').matchAll(/ href="\/(developer\/[^"#]+)/g)].map(
      ([, path = '']) => path,
    ),
  )
  expect(targets).toContain('developer/quickstart')
  for (const path of new Set(targets))
    expect(existsSync(join(ROOT, 'workers/docs/pages', `${path}.md`)), path).toBe(true)
})

it('has no scripts or styles in its pages, which the policy of the docs host would block', () => {
  const inline = pages.filter((page) => {
    const html = readFileSync(join(folder, page), 'utf8')
    return /<script(?! (?:defer |async )?src=)|<style| style=| on[a-z]+=/.test(html)
  })
  expect(inline).toEqual([])
})

it('is not made again until a source changes', async () => {
  const timesOf = () => pages.map((page) => statSync(join(folder, page)).mtimeMs)
  const before = timesOf()
  expect(await sdkReference()).toBe(folder)
  expect(timesOf()).toEqual(before)
})
