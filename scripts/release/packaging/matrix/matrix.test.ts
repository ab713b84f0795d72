import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Platform, startPlatform } from '@svc/platform'
import { findChromium } from '@svc/platform/chromium'
import { reservePortBase } from '@svc/platform/ports'
import { WORKER_NAMES } from '@svc/platform/workspace'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { installBrowser, installRuntime, Page, runInBrowser, runInWorkerd, runProgram } from './runtimes.ts'
import { TOUR_OUTPUT, tourFor, tourFrom } from './tour.ts'

const project = inject('project')
const folder = mkdtempSync(join(tmpdir(), 'svc-matrix-'))
/** Packages that contain a runtime for this machine. */
const NODE = `node-linux-${process.arch}`
const DENO = `@deno/linux-${process.arch}-glibc`
const BUN = `@oven/bun-linux-${process.arch === 'arm64' ? 'aarch64' : process.arch}`
let runs = 0
let platform: Platform
let pages: readonly [Page, Page]

beforeAll(async () => {
  pages = [await Page.open(), await Page.open()]
  const origins = { ALLOWED_ORIGINS: ['http://localhost:3000', ...pages.map(({ origin }) => origin)] }
  const vars = Object.fromEntries(WORKER_NAMES.map((name) => [name, origins]))
  const portBase = await reservePortBase()
  platform = await startPlatform({ portBase, stateDir: join(folder, 'state'), onLog: () => {}, vars })
})

afterAll(async () => {
  for (const page of pages) page.stop()
  await platform.stop()
  rmSync(folder, { recursive: true, force: true })
})

const tour = (origin = 'http://localhost:3000') => tourFor(platform.urls, origin)

/** What a runtime needs, or a skip that quotes why it can't be had. */
async function installed(
  install: () => Promise<string>,
  skip: (condition: boolean, note: string) => void,
): Promise<string> {
  const found = await install().catch((error: Error) => error)
  skip(found instanceof Error, String(found))
  return found as string
}

describe('the tour of the page, with the installed packages', () => {
  it.for([
    { name: 'Node.js 24', from: NODE, version: '@24', binary: 'bin/node', options: [] },
    { name: 'Node.js 22', from: NODE, version: '@22', binary: 'bin/node', options: [] },
    { name: 'Deno', from: DENO, version: '', binary: 'deno', options: ['run', '--allow-all', '--no-lock'] },
    { name: 'Bun', from: BUN, version: '', binary: 'bin/bun', options: ['run'] },
  ])('runs in $name, without a warning', async ({ name, from, version, binary, options }, { skip }) => {
    const path = await installed(() => installRuntime(folder, from + version, join(from, binary)), skip)
    const program = tourFrom(`2001:db8:${runs++}::1`, tour())
    expect(await runProgram(project, name, [path, ...options], program)).toBe(TOUR_OUTPUT)
  })

  it('runs in workerd', async () => {
    expect(await runInWorkerd(project, tourFrom(`2001:db8:${runs++}::1`, tour()))).toBe(TOUR_OUTPUT)
  })

  it.for(['chromium', 'firefox-esr'].map((name, i) => ({ name, i })))(
    'runs in $name',
    async ({ name, i }, { skip }) => {
      const chromium = name === 'chromium' ? findChromium() : undefined
      const path = chromium ?? (await installed(() => installBrowser(name), skip))
      const page = pages[i]!
      await page.shows(project, tour(page.origin))
      expect(await runInBrowser(folder, path, page)).toBe(TOUR_OUTPUT)
    },
  )
})
