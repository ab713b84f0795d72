import { createServer, type Server } from 'node:http'
import { Client, Identity } from '@svc/client'
import { hashTextHex } from '@svc/protocol/hash'
import { build } from 'esbuild'
import type { Page } from 'playwright-core'
import { allBlocks } from '../examples/blocks.ts'
import type { Platform } from '../lib/platform.ts'
import { ROOT } from '../lib/workspace.ts'

const LOCAL_ORIGIN = 'http://localhost:3000'
const MEDIA = { mime: 'image/png', bytes: 1, cid: 'bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi' }

/** What the page on the inbox tells a site to write: a script to bundle, and an element with gaps. */
function exampleOf(): { script: string; element: string } {
  const [block] = allBlocks().filter(({ info }) => info === 'html page')
  const [, script = '', element = ''] =
    /^<script type="module">\n([\s\S]+)<\/script>\n(.+)$/.exec(block?.text ?? '') ?? []
  return { script, element }
}

/** The element as a site bundles it. */
async function bundled(): Promise<string> {
  const { script: contents } = exampleOf()
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

/** Somebody's site with the contact form on it, under a policy that allows no inline script or style. */
export class Site {
  readonly origin: string
  readonly #server: Server

  private constructor(server: Server, origin: string) {
    this.#server = server
    this.origin = origin
  }

  /** `core` is asked for when a page is, since the platform starts after the site is known to it. */
  static async open(core: () => string): Promise<Site> {
    const script = await bundled()
    const server = createServer(({ url = '/' }, response) => {
      const { pathname, searchParams } = new URL(url, 'http://localhost')
      if (pathname === '/form.js') return response.setHeader('content-type', 'text/javascript').end(script)
      if (pathname === '/turnstile.js') return response.setHeader('content-type', 'text/javascript').end(TURNSTILE)
      const policy = `default-src 'none'; script-src 'self'; img-src data:; connect-src ${core()}`
      response.setHeader('content-security-policy', policy)
      return response.setHeader('content-type', 'text/html; charset=utf-8').end(pageOf(core(), searchParams))
    })
    await new Promise<void>((resolve) => {
      server.listen(0, 'localhost', resolve)
    })
    const address = server.address()
    const port = typeof address === 'object' && address ? address.port : 0
    return new Site(server, `http://localhost:${port}`)
  }

  page(asset: string, more: Record<string, string> = {}): string {
    return `${this.origin}/?${new URLSearchParams({ asset, ...more }).toString()}`
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}

/** Stands in for Turnstile's script: a widget that has passed at once, and says what it was put up for. */
const TURNSTILE = `
globalThis.turnstile = {
  render(container, options) {
    container.textContent = 'widget for ' + options.action + ' under ' + options.sitekey
    options.callback('XXXX.DUMMY.TOKEN.XXXX')
    globalThis.widget = options
    return 'widget-1'
  },
  reset() { globalThis.widget.callback('XXXX.DUMMY.TOKEN.XXXX') },
}`

function pageOf(core: string, query: URLSearchParams): string {
  const owner = query.get('owner')
  const siteKey = query.get('key') ?? '1x00000000000000000000AA'
  const turnstile = query.has('turnstile') ? '<script src="/turnstile.js"></script>' : ''
  const filled = {
    'core="https://core.example"': `core="${core}"`,
    'asset="asset:sha3-384:…"': `asset="${query.get('asset') ?? ''}"`,
    'site-key="…"': `site-key="${siteKey}"`,
    ' owner="did:svc:…"': owner === null ? '' : ` owner="${owner}"`,
  }
  let { element } = exampleOf()
  for (const [gap, value] of Object.entries(filled)) {
    if (!element.includes(gap)) throw new Error(`the example of the page has no ${gap}`)
    element = element.replace(gap, value)
  }
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A site</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">${turnstile}<script type="module" src="/form.js"></script></head><body><main><h1>A picture</h1>
${element}
</main></body></html>`
}

/** Somebody with a registered key and an asset. */
export async function freshOwner({ urls }: Platform) {
  const identity = await Identity.create()
  const headers = { 'cf-connecting-ip': `2001:db8:9:${Math.floor(Math.random() * 65_536).toString(16)}::1` }
  const client = new Client({ core: urls.core, did: urls.did, identity, origin: LOCAL_ORIGIN, headers })
  await client.chain.genesis()
  await client.did.register()
  const assetId = `asset:sha3-384:${hashTextHex(identity.did)}`
  await client.assets.mint({ assetId, media: MEDIA })
  return { identity, client, assetId }
}

export const DRAFT = {
  name: 'Ada Lovelace',
  email: 'ada@example.org',
  subject: 'About your picture',
  message: 'May I print it in a book?\nSecond line – with a dash.',
}
export const fieldOf = (page: Page, name: string) => page.getByRole('textbox', { name })
export const codeOf = (page: Page) => page.getByRole('textbox', { name: 'Code' })
export const ask = (page: Page) => page.getByRole('button', { name: 'Send me a code' }).click()
export const send = (page: Page) => page.getByRole('button', { name: 'Encrypt and send' }).click()
export const titled = (page: Page, name: string) => page.getByRole('heading', { name, level: 2 }).waitFor()
export const problemOf = async (page: Page) => {
  const problem = page.getByRole('alert')
  await problem.waitFor()
  return problem.textContent()
}

export async function fill(page: Page, email = DRAFT.email): Promise<void> {
  await fieldOf(page, 'Your name').fill(DRAFT.name)
  await fieldOf(page, 'Your e-mail address').fill(email)
  await fieldOf(page, 'Subject').fill(DRAFT.subject)
  await fieldOf(page, 'Message').fill(DRAFT.message)
}
