/**
 * Follows the quickstart like somebody new: clones the repository, with an empty home, pastes every block of the page in
 * order, and compares what it prints with what the page says. What is not committed is not in the clone.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { findChromium } from '@svc/platform/chromium'
import { reservePortBase, sitePortOf } from '@svc/platform/ports'
import {
  consolePortOf,
  DEFAULT_CONSOLE_PORT,
  DEFAULT_PORT_BASE,
  portOf,
  ROOT,
  WORKER_NAMES,
} from '@svc/platform/workspace'
import { chromium } from 'playwright-core'
import { afterAll, expect, it } from 'vitest'
import { blocksIn } from '../examples/blocks.ts'
import { faultsOf } from './shown.ts'
import { closeTerminals, freshEnvironment, paste, transcript } from './terminal.ts'

const MAX_SECONDS = 300
const SERVERS = /^(?:scripts\/start|vite) /m
const PAGE = 'workers/docs/pages/developer/quickstart.md'

const home = mkdtempSync(join(tmpdir(), 'svc-quickstart-'))
const clone = join(home, 'svc')
/** Where the reader keeps files, in the clone. */
const play = join(clone, 'play')
const photo = join(play, 'my-photo.jpg')
const portBase = await reservePortBase()
const sitePort = sitePortOf(portBase)
const env = freshEnvironment(home, ROOT)

afterAll(async () => {
  await closeTerminals()
  rmSync(home, { recursive: true, force: true })
})

/** The page, with the ports of this run. */
function here(text: string): string {
  const ported = WORKER_NAMES.reduce(
    (changed, name) =>
      changed.replaceAll(`localhost:${portOf(name, DEFAULT_PORT_BASE)}`, `localhost:${portOf(name, portBase)}`),
    text,
  )
  return ported
    .replaceAll('scripts/start --no-walk', `scripts/start --no-walk --port-base ${portBase}`)
    .replaceAll(`localhost:${DEFAULT_CONSOLE_PORT}`, `localhost:${consolePortOf(portBase)}`)
    .replaceAll('--port 5173', `--port ${sitePort}`)
    .replaceAll('Local:   http://localhost:5173/', `Local:   http://localhost:${sitePort}/`)
}

/** Opens the page where the reader does, and returns what it prints. */
async function visit(): Promise<string> {
  const browser = await chromium.launch({
    executablePath: findChromium() ?? '',
    args: [`--host-resolver-rules=MAP localhost:5173 localhost:${sitePort}`, '--disable-background-networking'],
    chromiumSandbox: process.getuid?.() !== 0,
  })
  try {
    const page = await browser.newPage()
    await page.goto('http://localhost:5173')
    await page.getByLabel('Passphrase').fill('correct horse battery staple')
    await page.getByLabel('File').setInputFiles(photo)
    await page.getByRole('button', { name: 'Anchor this file' }).click()
    await page.getByText(/^Verified|It did not work/m).waitFor({ timeout: 60_000 })
    return await page.locator('pre').innerText()
  } finally {
    await browser.close()
  }
}

it(`works as the page says, within ${MAX_SECONDS} seconds`, async () => {
  const begun = performance.now()
  const cloned = await paste(`git clone --quiet '${ROOT}' svc`, { cwd: home, env })
  expect(cloned).toEqual({ code: 0, output: '' })
  mkdirSync(play)
  writeFileSync(photo, crypto.getRandomValues(new Uint8Array(60_000)))
  const blocks = blocksIn(here(readFileSync(join(clone, PAGE), 'utf8')), PAGE)
  const exports: string[] = []
  const seen: string[] = []
  let cwd = home
  for (const [at, { info, place, text }] of blocks.entries()) {
    const shown = blocks[at + 1]?.info === 'text quickstart' ? (blocks[at + 1]?.text ?? '') : ''
    const [, file] = /^(?:ts|html) quickstart (\S+)$/.exec(info) ?? []
    if (file !== undefined) {
      mkdirSync(dirname(join(play, file)), { recursive: true })
      writeFileSync(join(play, file), text)
    } else if (info === 'sh quickstart') {
      const isServer = SERVERS.test(text)
      const isReady = isServer ? (output: string) => faultsOf(shown, output, false).length === 0 : undefined
      const { code, output } = await paste([...exports, text].join('\n'), { cwd, env }, isReady)
      expect(faultsOf(shown, output, !isServer), `${place} printed ${code}:\n${output}`).toEqual([])
      expect(code, `${place} ended`).toBe(isServer ? null : text.includes('changed.jpg') ? 1 : 0)
      // Later commands run in the folder to which these go.
      for (const [, folder = ''] of text.matchAll(/^cd (\S+)$/gm)) cwd = join(cwd, folder)
      exports.push(...text.split('\n').filter((line) => line.startsWith('export ')))
      seen.push(output)
    } else if (info === 'text quickstart browser' && findChromium() !== undefined) {
      const output = await visit().catch((error: Error) => `${error.message}\n${transcript()}`)
      expect(faultsOf(text, output, true), `${place}:\n${output}`).toEqual([])
      seen.push(output)
    }
  }
  expect((await paste('git status --short', { cwd: clone, env })).output, 'what git sees of it').toBe('')
  const seconds = Math.round((performance.now() - begun) / 1000)
  console.log(`The quickstart took ${seconds} seconds.`)
  const dids = seen.flatMap((output) => output.match(/did:svc:[\w-]{32}/g) ?? [])
  expect(dids.length).toBeGreaterThan(1)
  expect(dids[0]).toBe(dids[1])
  expect(seen.length).toBeGreaterThan(4)
  expect(seconds).toBeLessThan(MAX_SECONDS)
})
