import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type PlatformOptions, startPlatform } from '@svc/platform'
import { findChromium } from '@svc/platform/chromium'
import { reservePortBase } from '@svc/platform/ports'
import { connectTo, type RunningPlatform } from '@svc/platform/running'
import { sharedPlatform } from '@svc/platform/shared-platform'
import { ROOT } from '@svc/platform/workspace'
import { build } from 'esbuild'
import { type Browser, type BrowserContextOptions, type CDPSession, chromium, type Page } from 'playwright-core'
import { freshAddress } from '../running-platform/fresh-address.ts'

/** The first flags keep Chromium from contacting its vendor. */
export const BROWSER_FLAGS = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--disable-quic',
  '--disable-gpu',
]
const SCREENSHOTS = join(ROOT, '.state/screenshots')

type PlatformSettings = Pick<PlatformOptions, 'vars' | 'secrets'>

/** A running platform and a browser. */
export class Visit {
  readonly platform: RunningPlatform
  readonly #browser: Browser
  readonly #stop: () => Promise<void>

  private constructor(platform: RunningPlatform, browser: Browser, stop: () => Promise<void>) {
    this.platform = platform
    this.#browser = browser
    this.#stop = stop
  }

  /** On the platform that all tests share. With `flags`, in a browser that has them too. */
  static async begin({ flags = [] }: { readonly flags?: readonly string[] } = {}): Promise<Visit> {
    return new Visit(sharedPlatform(), await launch(flags), async () => {})
  }

  /** On a platform of its own. `settings` returns further options once its ports are known. */
  static async beginApart(
    settings: (portBase: number) => PlatformSettings | Promise<PlatformSettings>,
  ): Promise<Visit> {
    const stateDir = mkdtempSync(join(tmpdir(), 'svc-browser-'))
    const portBase = await reservePortBase()
    const browser = await launch()
    try {
      const platform = await startPlatform({ portBase, stateDir, onLog: () => {}, ...(await settings(portBase)) })
      return new Visit(connectTo({ portBase, stateDir }), browser, async () => {
        await platform.stop()
        rmSync(stateDir, { recursive: true, force: true })
      })
    } catch (error) {
      await browser.close()
      throw error
    }
  }

  async end(): Promise<void> {
    await this.#browser.close()
    await this.#stop()
  }

  /** A page of somebody new, whose address has used up none of its limits. Whatever leaves this machine fails. */
  async newPage(options: BrowserContextOptions = {}): Promise<Page> {
    const extraHTTPHeaders = { 'cf-connecting-ip': freshAddress() }
    const context = await this.#browser.newContext({ extraHTTPHeaders, ...options })
    context.setDefaultTimeout(30_000)
    await context.route(
      (url) => url.hostname !== 'localhost',
      (route) => route.abort(),
    )
    return context.newPage()
  }
}

function launch(flags: readonly string[] = []): Promise<Browser> {
  const executablePath = findChromium()
  if (executablePath === undefined) throw new Error('no CHROME_PATH, and no chromium in PATH')
  return chromium.launch({
    executablePath,
    args: [...BROWSER_FLAGS, ...flags],
    chromiumSandbox: process.getuid?.() !== 0,
  })
}

interface Authenticator {
  readonly cdp: CDPSession
  readonly authenticatorId: string
}

/** Gives the page a virtual platform authenticator that verifies the user automatically. */
export async function addAuthenticator(page: Page, { hasPrf = true } = {}): Promise<Authenticator> {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      ctap2Version: 'ctap2_1',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      hasPrf,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return { cdp, authenticatorId }
}

/** A script that sets `sdk` to what these entries of the SDK export. */
export async function sdkBundle(...entries: readonly string[]): Promise<string> {
  const contents = entries.map((entry) => `export * from './${entry}'`).join('\n')
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: join(ROOT, 'packages/client/src') },
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'sdk',
    target: 'es2024',
    platform: 'browser',
  })
  return outputFiles[0]?.text ?? ''
}

/** Saves a screenshot for review. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  mkdirSync(SCREENSHOTS, { recursive: true })
  await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), fullPage: true })
}

interface Faint {
  readonly text: string
  readonly ratio: number
}

/** WCAG 2.2, 1.4.3 and 1.4.11: texts with a contrast below 4.5 to 1, and field borders below 3 to 1. */
export function faintParts(page: Page): Promise<Faint[]> {
  return page.evaluate(() => {
    const channels = (color: string) => (color.match(/[\d.]+/g) ?? []).map(Number)
    const luminance = (color: string) => {
      const [r = 0, g = 0, b = 0] = channels(color).map((value) => {
        const share = value / 255
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
      })
      return 0.2126 * r + 0.7152 * g + 0.0722 * b
    }
    const contrast = (one: string, other: string) => {
      const [light = 0, dark = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a)
      return (light + 0.05) / (dark + 0.05)
    }
    const probe = document.body.appendChild(document.createElement('div'))
    probe.style.background = 'Canvas'
    const canvas = getComputedStyle(probe).backgroundColor
    probe.remove()
    const parentOf = (element: Element) => {
      const root = element.getRootNode()
      return element.parentElement ?? (root instanceof ShadowRoot ? root.host : null)
    }
    const behind = (element: Element | null): string => {
      if (!element) return canvas
      const color = getComputedStyle(element).backgroundColor
      return channels(color)[3] === 0 ? behind(parentOf(element)) : color
    }
    const within = (root: ParentNode): Element[] =>
      [...root.querySelectorAll('*')].flatMap((element) => [
        element,
        ...(element.shadowRoot ? within(element.shadowRoot) : []),
      ])
    const faint: { text: string; ratio: number }[] = []
    for (const element of within(document.body)) {
      const { color, borderBottomColor } = getComputedStyle(element)
      const own = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim())
      const isField = element.matches('input:not([type=hidden]), textarea')
      const text = own.map((node) => node.textContent).join(' ')
      const ratio = contrast(color, behind(element))
      if ((own.length > 0 || isField) && ratio < 4.5) faint.push({ text: text || element.id, ratio })
      const edge = contrast(borderBottomColor, behind(parentOf(element)))
      if (isField && edge < 3) faint.push({ text: `edge of ${element.id}`, ratio: edge })
    }
    return faint
  })
}
