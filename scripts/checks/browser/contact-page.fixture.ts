import { createServer, type Server } from 'node:http'
import { Client, Identity } from '@svc/client'
import type { RunningPlatform } from '@svc/platform/running'
import type { Page } from 'playwright-core'
import { bundled, filled, pageBlock, partsOf } from './page-block.fixture.ts'

const LOCAL_ORIGIN = 'http://localhost:3000'
const MEDIA = { mime: 'image/png', bytes: 1, cid: 'bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi' }

/** The example on the inbox page: a script to bundle, and an element with placeholders. */
const exampleOf = () => partsOf(pageBlock('inbox 1'))

/** A site with the contact form, under a policy without inline scripts and styles. */
export class Site {
  readonly origin: string
  readonly #server: Server

  private constructor(server: Server, origin: string) {
    this.#server = server
    this.origin = origin
  }

  /** Opens on `onPort`, or on any free one; the platform must allow the origin. */
  static async open(core: () => string, onPort = 0): Promise<Site> {
    const script = await bundled(exampleOf().script)
    const server = createServer(({ url = '/' }, response) => {
      const { pathname, searchParams } = new URL(url, 'http://localhost')
      if (pathname === '/form.js') return response.setHeader('content-type', 'text/javascript').end(script)
      if (pathname === '/turnstile.js') return response.setHeader('content-type', 'text/javascript').end(TURNSTILE)
      const policy = `default-src 'none'; script-src 'self'; img-src data:; connect-src ${core()}`
      response.setHeader('content-security-policy', policy)
      return response.setHeader('content-type', 'text/html; charset=utf-8').end(pageOf(core(), searchParams))
    })
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(onPort, 'localhost', resolve)
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

/** A stub of Turnstile's script: its widget passes at once and shows its options. */
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
  const [owner, replyPage] = [query.get('owner'), query.get('replies')]
  const siteKey = query.get('key') ?? '1x00000000000000000000AA'
  const turnstile = query.has('turnstile') ? '<script src="/turnstile.js"></script>' : ''
  const element = filled(exampleOf().rest.trim(), {
    'core="https://core.example"': `core="${core}"`,
    'asset="asset:sha3-384:…"': `asset="${query.get('asset') ?? ''}"`,
    'site-key="…"': `site-key="${siteKey}"`,
    ' owner="did:svc:…"': owner === null ? '' : ` owner="${owner}"`,
    ' reply-page="https://console.example/reply"': replyPage === null ? '' : ` reply-page="${replyPage}"`,
  })
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A site</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">${turnstile}<script type="module" src="/form.js"></script></head><body><main><h1>A picture</h1>
${element}
</main></body></html>`
}

/** An owner with a registered key and an asset. */
export async function freshOwner({ urls }: RunningPlatform) {
  const identity = await Identity.create()
  const headers = { 'cf-connecting-ip': `2001:db8:9:${Math.floor(Math.random() * 65_536).toString(16)}::1` }
  const client = new Client({ core: urls.core, did: urls.did, identity, origin: LOCAL_ORIGIN, headers })
  await client.chain.genesis()
  await client.did.register()
  const { asset } = await client.assets.mint({ media: MEDIA })
  return { identity, client, assetId: asset.assetId }
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
