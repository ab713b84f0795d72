import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { findChromium } from '@svc/platform/chromium'
import lighthouse, { desktopConfig, type Flags } from 'lighthouse'
import { BROWSER_FLAGS } from '../browser.fixture.ts'
import { Edge } from './edge.fixture.ts'

export type Device = 'desktop' | 'mobile'

/** Below it, Lighthouse warns that the machine is too slow, or too busy, to stand for the device. */
const MIN_BENCHMARK_INDEX = 1000

export interface Audited {
  /** From 0 to 100, by category. */
  readonly scores: Readonly<Record<string, number>>
  /** What costs points. */
  readonly lost: readonly string[]
  /** Whether the machine had the time that the performance is computed from. */
  readonly wasUndisturbed: boolean
}

/** Chromium with Lighthouse, which opens its own tabs in it. */
export class Lighthouse {
  readonly #folder: string
  readonly #edge: Edge
  readonly #browser: ChildProcess
  readonly #port: number

  private constructor(folder: string, edge: Edge, browser: ChildProcess, port: number) {
    this.#folder = folder
    this.#edge = edge
    this.#browser = browser
    this.#port = port
  }

  static async begin(): Promise<Lighthouse> {
    const program = findChromium()
    if (program === undefined) throw new Error('no CHROME_PATH, and no chromium in PATH')
    const folder = mkdtempSync(join(tmpdir(), 'svc-lighthouse-'))
    const edge = await Edge.begin()
    const own = ['--headless=new', '--remote-debugging-port=0', `--user-data-dir=${folder}`]
    const byProxy = [`--proxy-server=${edge.address}`, '--proxy-bypass-list=<-loopback>']
    const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : []
    const browser = spawn(program, [...BROWSER_FLAGS, ...own, ...byProxy, ...sandbox, 'about:blank'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    for await (const line of createInterface({ input: browser.stderr })) {
      const [, port] = /DevTools listening on ws:\/\/[^:]+:(\d+)\//.exec(line) ?? []
      if (port === undefined) continue
      // Or it waits once the pipe is full.
      browser.stderr.resume()
      return new Lighthouse(folder, edge, browser, Number(port))
    }
    throw new Error('Chromium ended before it could be reached')
  }

  async audit(url: string, device: Device): Promise<Audited> {
    const onlyCategories = ['performance', 'accessibility', 'best-practices', 'seo']
    const flags: Flags = { port: this.#port, logLevel: 'error', onlyCategories }
    const result = await lighthouse(url, flags, device === 'desktop' ? desktopConfig : undefined)
    if (!result) throw new Error(`Lighthouse has no result for ${url}`)
    const { categories, audits, environment } = result.lhr
    const scores = Object.values(categories).map(({ id, score }) => [id, Math.round((score ?? 0) * 100)] as const)
    const lost = Object.values(categories).flatMap(({ id: category, auditRefs }) =>
      auditRefs.flatMap(({ id, weight }) => {
        const { score = null, title = id, displayValue = '' } = audits[id] ?? {}
        return weight > 0 && score !== null && score < 0.9 ? [`${category}: ${title} ${displayValue}`.trim()] : []
      }),
    )
    const wasUndisturbed = environment.benchmarkIndex > MIN_BENCHMARK_INDEX
    return { scores: Object.fromEntries(scores), lost, wasUndisturbed }
  }

  async end(): Promise<void> {
    this.#browser.kill()
    await once(this.#browser, 'exit')
    await this.#edge.end()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
