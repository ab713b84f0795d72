import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Client } from '@svc/client'
import { findChromium } from '@svc/platform/chromium'
import { chromium } from 'playwright-core'
import { build } from 'vite'
import { describe, expect, inject, it } from 'vitest'
import { bundleSizes, tableOf } from './bundle-sizes.ts'
import { LOADS, loadedSize, SERVICE_NAMES, serviceSizes, statedSizes } from './loaded-sizes.ts'

const PAGE = `
import { Identity } from '@svc/client'
import { mlDsa65 } from '@svc/client/functions'
import { fingerprintText } from '@svc/fingerprint'

const identity = await Identity.create()
const seed = new Uint8Array(32).fill(1)
const publicKey = await mlDsa65.publicKeyOf(seed)
const message = new TextEncoder().encode('hello')
const valid = await mlDsa65.verify(publicKey, message, await mlDsa65.sign(seed, message))
const { chunks } = fingerprintText('one two three four five six seven eight nine ten eleven twelve')
document.title = [identity.did.slice(0, 8), valid, chunks.length > 0].join(' ')
`
const HTML = '<!doctype html><meta charset="utf-8"><script type="module" src="/main.js"></script>'

describe('in a page that Vite builds', () => {
  it('the packages work', async () => {
    const root = join(inject('project'), 'page')
    mkdirSync(root)
    writeFileSync(join(root, 'main.js'), PAGE)
    writeFileSync(join(root, 'index.html'), HTML)
    await build({ root, logLevel: 'error', build: { target: 'es2024' }, configFile: false })
    const executablePath = findChromium()
    // Without a browser, only the build is tested.
    if (executablePath !== undefined)
      expect(await titleOf(join(root, 'dist'), executablePath)).toBe('did:svc: true true')
  })
})

it('leaves out what a page does not import', async () => {
  const sizes = await bundleSizes(inject('project'))
  process.stdout.write(tableOf(sizes))
  const kibOf = (use: string) => sizes.find((size) => size.use === use)?.kib ?? 0
  // About a fifth above the current sizes; exports that grow with each service have more room. Raise them deliberately.
  expect(kibOf('only verify a signature')).toBeLessThan(12.5)
  // 25 kB at most, half of it the table of replaced characters.
  expect(kibOf('only fingerprints')).toBeLessThan(20)
  expect(kibOf('only image fingerprints')).toBeLessThan(2.5)
  expect(kibOf('only images of the SDK')).toBeLessThan(6.5)
  // Mostly the OPAQUE client, compiled from Rust.
  expect(kibOf('only sign-in')).toBeLessThan(220)
  // No page loads it. What a client loads has its own bound below.
  expect(kibOf('everything')).toBeLessThan(600)
})

it.each(LOADS)('loads at most $most kB for: $use', async (load) => {
  const size = await loadedSize(inject('project'), load)
  process.stdout.write(`${load.use.padEnd(26)} ${size.toFixed(1).padStart(6)} kB of ${load.most}\n`)
  expect(size).toBeLessThanOrEqual(load.most)
  expect(Math.abs(size - (statedSizes().get(load.use) ?? 0)), 'off the figure on the page').toBeLessThanOrEqual(0.5)
})

describe('the page', () => {
  const stated = statedSizes()

  it('states what each program loads, and what each service adds', () => {
    expect([...stated.keys()]).toEqual([...LOADS.map(({ use }) => use), ...SERVICE_NAMES])
  })

  it('knows each service of a client', () => {
    const origins = { core: 'https://core.test', did: 'https://did.test' }
    const others = new Set(['constructor', 'memory', 'realm', 'realms', 'discovery', 'pending', 'changes'])
    const client = new Client(origins)
    const services = [...Object.keys(client), ...gettersOf(client)].filter(
      (name) => !others.has(name) && !name.startsWith('safe'),
    )
    expect(services.toSorted()).toEqual(SERVICE_NAMES.toSorted())
  })

  it('is right about each service, within half a kilobyte', async () => {
    for (const [name, size] of await serviceSizes(inject('project'))) {
      process.stdout.write(`| \`client.${name}\` | ${size.toFixed(1)} |\n`)
      expect.soft(Math.abs(size - (stated.get(name) ?? 0)), `${name}: ${size.toFixed(1)} kB`).toBeLessThanOrEqual(0.5)
    }
  })
})

/** Of its class, and of the classes above. */
function gettersOf(instance: object): string[] {
  const above = Object.getPrototypeOf(instance) as object | null
  if (above === null || above === Object.prototype) return []
  const members = Object.entries(Object.getOwnPropertyDescriptors(above))
  return [...members.filter(([, found]) => 'get' in found).map(([name]) => name), ...gettersOf(above)]
}

/** The title that the page's script sets. */
async function titleOf(folder: string, executablePath: string): Promise<string> {
  const server = createServer((request, response) => {
    const path = request.url === '/' ? '/index.html' : (request.url ?? '')
    response.setHeader('content-type', path.endsWith('.js') ? 'text/javascript' : 'text/html')
    response.end(path.includes('favicon') ? '' : readFileSync(join(folder, path)))
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const browser = await chromium.launch({
    executablePath,
    args: ['--disable-background-networking', '--disable-component-update', '--no-first-run', '--disable-gpu'],
    chromiumSandbox: process.getuid?.() !== 0,
  })
  try {
    const page = await browser.newPage()
    const failed = new Promise<never>((_, reject) => {
      page.on('pageerror', reject)
    })
    await page.goto(`http://localhost:${(server.address() as AddressInfo).port}/`)
    await Promise.race([page.waitForFunction('document.title !== ""'), failed])
    return await page.title()
  } finally {
    await browser.close()
    server.close()
  }
}
