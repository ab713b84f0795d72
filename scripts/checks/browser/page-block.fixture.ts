import { basename } from 'node:path'
import { ROOT } from '@svc/platform/workspace'
import { build } from 'esbuild'
import type { Page } from 'playwright-core'
import { allBlocks } from '../examples/blocks.ts'

/** A site on this machine, which every service of a local start allows. */
const SITE = 'http://localhost:3000'
const SCRIPT = /<script type="module">\n([\s\S]+?)<\/script>/
const ICON = '<link rel="icon" href="data:,">'

/** An `html page` block. */
export interface PageBlock {
  /** `inbox 1`: the first one of the page about the inbox. */
  readonly name: string
  readonly html: string
}

/** Every `html page` block of the documentation. */
export function pageBlocks(): PageBlock[] {
  const counts = new Map<string, number>()
  return allBlocks()
    .filter(({ info }) => info === 'html page')
    .map(({ place, text }) => {
      const slug = basename(place.split(':')[0] ?? '', '.md')
      const count = (counts.get(slug) ?? 0) + 1
      counts.set(slug, count)
      return { name: `${slug} ${count}`, html: text }
    })
}

export function pageBlock(name: string): string {
  const found = pageBlocks().find((block) => block.name === name)
  if (!found) throw new Error(`no block ${name} with the kind "html page"`)
  return found.html
}

/** The module script of a block, and the block without it. */
export function partsOf(html: string): { readonly script: string; readonly rest: string } {
  const [whole = '', script = ''] = SCRIPT.exec(html) ?? []
  if (script === '') throw new Error('the block has no module script')
  return { script, rest: html.replace(whole, '') }
}

/** Bundles a script that imports the SDK, like a site. */
export async function bundled(contents: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: ROOT },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    target: 'es2024',
    minify: true,
    logLevel: 'silent',
  })
  return outputFiles[0]?.text ?? ''
}

/** Replaces each gap, which must be there. */
export function filled(text: string, gaps: Readonly<Record<string, string>>): string {
  let changed = text
  for (const [gap, value] of Object.entries(gaps)) {
    if (!changed.includes(gap)) throw new Error(`the example has no ${gap}`)
    changed = changed.replaceAll(gap, value)
  }
  return changed
}

interface Serving {
  readonly gaps: Readonly<Record<string, string>>
  /** The origins that the page may connect to. */
  readonly connect: readonly string[]
  readonly path?: string
}

/** Opens a block as a page of a site, under a policy without inline scripts and styles. */
export async function openBlock(page: Page, name: string, { gaps, connect, path = '/' }: Serving): Promise<void> {
  const { script, rest } = partsOf(filled(pageBlock(name), gaps))
  const contents = await bundled(script)
  const body = rest.replace('<head>', `<head>${ICON}<script type="module" src="/page.js"></script>`)
  const policy = [
    "default-src 'none'",
    // Passwords need WebAssembly.
    "script-src 'self' 'wasm-unsafe-eval'",
    'img-src data:',
    `connect-src ${connect.join(' ')}`,
  ].join('; ')
  await page.route(`${SITE}/**`, (route) =>
    route.request().url() === `${SITE}/page.js`
      ? route.fulfill({ contentType: 'text/javascript', body: contents })
      : route.fulfill({ contentType: 'text/html', body, headers: { 'content-security-policy': policy } }),
  )
  await page.goto(SITE + path)
}
