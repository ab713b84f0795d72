import { createServer, type Server } from 'node:http'
import { basename } from 'node:path'
import { ROOT } from '@svc/platform/workspace'
import { build } from 'esbuild'
import type { Page } from 'playwright-core'
import { allBlocks } from '../examples/blocks.ts'

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
  /** What the example leaves open, and the addresses in it. */
  readonly gaps: Readonly<Record<string, string>>
  /** The origins that the page may connect to. */
  readonly connect: readonly string[]
  readonly path?: string
}

/** A site with the page of a block, under a policy without inline scripts and styles. The platform must allow it. */
export class BlockSite {
  readonly origin: string
  readonly #server: Server
  #page = ''
  #script = ''
  #policy = ''

  private constructor(server: Server, port: number) {
    this.#server = server
    this.origin = `http://localhost:${port}`
    server.on('request', ({ url }, response) => {
      if (url === '/page.js') return response.setHeader('content-type', 'text/javascript').end(this.#script)
      response.setHeader('content-security-policy', this.#policy)
      return response.setHeader('content-type', 'text/html; charset=utf-8').end(this.#page)
    })
  }

  static async open(port: number): Promise<BlockSite> {
    const server = createServer()
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(port, 'localhost', resolve)
    })
    return new BlockSite(server, port)
  }

  async visit(page: Page, name: string, { gaps, connect, path = '/' }: Serving): Promise<void> {
    const { script, rest } = partsOf(filled(pageBlock(name), gaps))
    this.#script = await bundled(script)
    this.#page = rest.replace('<head>', `<head>${ICON}<script type="module" src="/page.js"></script>`)
    // Passwords need WebAssembly.
    const own = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; img-src data:"
    this.#policy = `${own}; connect-src ${connect.join(' ')}`
    await page.goto(this.origin + path)
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}
