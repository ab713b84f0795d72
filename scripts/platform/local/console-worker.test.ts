import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deploymentFiles, TESTING_SITE_KEY } from '@svc/console/deployment-files'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { reservePortBase } from '../ports.ts'
import { consoleWorker } from './console-worker.ts'

const PAGE = '<!doctype html><title>Console</title>'
const IMMUTABLE = 'public, max-age=31536000, immutable'
const NAVIGATION = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

const folder = mkdtempSync(join(tmpdir(), 'svc-console-'))
let runtime: Miniflare
let origin: string

beforeAll(async () => {
  const files = {
    'index.html': PAGE,
    'sign-in.html': PAGE,
    'icon.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
    'assets/index-00ff00ff.js': 'export {}',
    ...deploymentFiles({
      services: { core: 'https://core.example', auth: 'https://auth.example' },
      providers: [],
      turnstileSiteKey: TESTING_SITE_KEY,
    }),
  }
  mkdirSync(join(folder, 'assets'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  const port = await reservePortBase()
  origin = `http://127.0.0.1:${port}`
  runtime = new Miniflare(
    convertV4MiniflareOptions({ cf: false, workers: [await consoleWorker(folder, '127.0.0.1', port)] }),
  )
  await runtime.ready
})
afterAll(async () => {
  await runtime.dispose()
  rmSync(folder, { recursive: true, force: true })
})

async function ask(path: string, accept = '*/*', method = 'GET') {
  const response = await fetch(origin + path, { method, headers: { accept } })
  const { status, headers } = response
  return {
    status,
    type: headers.get('content-type')?.split(';')[0],
    cache: headers.get('cache-control'),
    policy: headers.get('content-security-policy') ?? '',
    text: await response.text(),
  }
}

describe('the host of the console', () => {
  it.each([
    '/assets/gone-12345678.js',
    '/assets/gone-12345678.css',
    '/assets/',
    '/assets/nested/file.js',
    '/assets/page',
    '/gone.js',
    '/notes/gone.json',
    '/verify/gone.js',
  ])('has no %s, for a script as for a person who visits it, and nobody keeps that answer', async (path) => {
    for (const accept of ['*/*', NAVIGATION]) {
      expect(await ask(path, accept)).toMatchObject({ status: 404, type: 'text/plain', cache: 'no-store' })
    }
    expect((await ask(path, NAVIGATION, 'HEAD')).status).toBe(404)
  })

  it('has the files of the build, whose names have a hash, for good', async () => {
    const file = await ask('/assets/index-00ff00ff.js')
    expect(file).toMatchObject({ status: 200, type: 'text/javascript', cache: IMMUTABLE, text: 'export {}' })
  })

  it('has every other file until it is asked for again', async () => {
    for (const path of ['/config.json', '/icon.svg']) {
      const { status, cache } = await ask(path)
      expect([path, status, cache]).toEqual([path, 200, 'public, max-age=0, must-revalidate'])
    }
  })

  it.each(['/', '/notes', '/verify/', '/did/did:svc:abc', '/nowhere'])('shows its one page at %s', async (path) => {
    const page = await ask(path, NAVIGATION)
    expect(page).toMatchObject({ status: 200, type: 'text/html', cache: 'public, max-age=0, must-revalidate' })
    expect(page.text).toBe(PAGE)
    expect(page.policy).toContain("script-src 'self';")
  })

  it.each(['/sign-in', '/create-account', '/recover', '/account'])(
    'shows it at %s with the policy of sign-in',
    async (path) => {
      const page = await ask(path, NAVIGATION)
      expect([page.status, page.text]).toEqual([200, PAGE])
      expect(page.policy).toContain("'wasm-unsafe-eval'")
    },
  )

  it('shows no page to a program that asks for a file, but for the start page', async () => {
    expect(await ask('/notes')).toMatchObject({ status: 404, cache: 'no-store' })
    expect((await ask('/')).text).toBe(PAGE)
  })

  it('answers other methods with 405', async () => {
    for (const path of ['/', '/notes', '/assets/gone.js', '/assets/index-00ff00ff.js'])
      expect([path, (await ask(path, NAVIGATION, 'POST')).status]).toEqual([path, 405])
  })
})
