import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CloudflareApi } from '@svc/operations/cloudflare-api'
import { ACCOUNT, FakeCloudflare, TOKEN } from '@svc/operations/fake-cloudflare'
import { type Rising, raise } from '@svc/operations/gradual'
import { checkStep } from '@svc/operations/release-check'
import { type Platform, startPlatform } from '@svc/platform'
import { reservePortBase } from '@svc/platform/ports'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { RELEASED } from '../previous-release.ts'
import { type Injected, splitting } from './split-traffic.ts'

const COMMITS = { before: 'a'.repeat(40), after: 'b'.repeat(40) }
const SOUND: Injected = () => null
const stateDir = mkdtempSync(join(tmpdir(), 'svc-rehearsal-'))
let account: FakeCloudflare
let api: CloudflareApi
let platform: Platform
let injected: Injected = SOUND

let rising: Rising[]

beforeAll(async () => {
  account = await FakeCloudflare.start()
  api = new CloudflareApi({ accountId: ACCOUNT, token: TOKEN, baseUrl: account.url })
  rising = RELEASED.map((name) => {
    const script = `svc-${name}`
    const before = account.upload(script, COMMITS.before.slice(0, 12)).id
    return { script, before, after: before, bundle: '0'.repeat(64) }
  })
  platform = await startPlatform({
    portBase: await reservePortBase(),
    stateDir,
    onLog: () => {},
    arrange: (workers) => splitting(workers, { account, commits: COMMITS, random: Math.random }, () => injected),
  })
  // A version that has no traffic yet.
  rising = rising.map(({ script, before, bundle }) => {
    const after = account.upload(script, COMMITS.after.slice(0, 12)).id
    account.script(script).deployments.push({ shares: [{ id: before, percentage: 100 }], update: null })
    return { script, before, after, bundle }
  })
}, 600_000)
afterAll(async () => {
  await platform?.stop()
  await account.stop()
  rmSync(stateDir, { recursive: true, force: true })
}, 60_000)

/** A deployment against the local account, with Workers that run. */
async function rehearse(fault: Injected): Promise<string[]> {
  injected = fault
  const printed: string[] = []
  const places = { urls: platform.urls, realm: platform.urls.core, origin: 'http://localhost:3000' }
  // Each round has an address of its own, because rate limits count by address.
  let rounds = 0
  const send: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers)
    headers.set('cf-connecting-ip', `2001:db8:${rounds.toString(16)}::1`)
    return fetch(input, { ...init, headers })
  }
  await raise(rising, {
    api,
    message: 'rehearsal',
    print: (line) => printed.push(line),
    check: async (step) => {
      rounds += 1
      const waits = { sleep: () => Promise.resolve(), print: (line: string) => printed.push(line) }
      await checkStep({ places, sha: COMMITS.after, workers: RELEASED, fetch: send, ...waits }, step)
    },
  })
  return printed
}
const active = () => rising.map(({ script }) => account.script(script).deployments.at(-1)?.shares)
const allAt = (side: 'before' | 'after') => rising.map((one) => [{ id: one[side], percentage: 100 }])

it('goes back if the new version of one service answers 500', async () => {
  const fault: Injected = ({ url, method }) =>
    method === 'POST' && url.endsWith('/api/v1/consent') ? { status: 500, body: '{"error":"internal"}' } : null
  await expect(rehearse(fault)).rejects.toThrow(
    /^Rolled back at 5 %: the synthetic identity expects: consent keeps a record, and revokes it\. Answered 500/,
  )
  expect(active()).toEqual(allAt('before'))
}, 300_000)

it('goes back if the new version of core answers with a wrong signature', async () => {
  const fault: Injected = ({ url, status, body }) => {
    if (status !== 200 || !new URL(url).pathname.startsWith('/api/chain/')) return null
    const text = body.toString()
    const changed = text.replace(/"signature":"(.)/, (_, first: string) => `"signature":"${first === 'A' ? 'B' : 'A'}`)
    return changed === text ? null : { status, body: changed }
  }
  await expect(rehearse(fault)).rejects.toThrow(
    /^Rolled back at 5 %: the synthetic identity expects: core returns the block/,
  )
  expect(active()).toEqual(allAt('before'))
}, 300_000)

it('goes back if the new version reports another commit', async () => {
  const fault: Injected = ({ url, body }) =>
    url.endsWith('/health') ? { status: 200, body: body.toString().replaceAll(COMMITS.after, COMMITS.before) } : null
  await expect(rehearse(fault)).rejects.toThrow(`Rolled back at 5 %: `)
  expect(active()).toEqual(allAt('before'))
}, 300_000)

it('ends at 100 % if everything works', async () => {
  const printed = await rehearse(SOUND)
  expect(printed.filter((line) => line.endsWith('checked'))).toEqual([
    '5 %: checked',
    '50 %: checked',
    '100 %: checked',
  ])
  expect(active()).toEqual(allAt('after'))
  const { status, commit } = (await (await fetch(`${platform.urls.consent}/health`)).json()) as Record<string, unknown>
  expect([status, commit]).toEqual(['ok', COMMITS.after])
}, 300_000)
