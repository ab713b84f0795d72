import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { reportSlos } from '@svc/operations/slo'
import { type Platform, startPlatform } from '@svc/platform'
import { metricsFile } from '@svc/platform/local/metrics'
import { reservePortBase } from '@svc/platform/ports'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { loseTable, withTableWorker } from './lost-table.ts'

const SECONDS = 12
/** An hour of an alert is six seconds of the run. */
const SCALE = 600
const EVERY_MS = 50
const stateDir = mkdtempSync(join(tmpdir(), 'svc-lost-table-'))
let platform: Platform

beforeAll(async () => {
  const portBase = await reservePortBase()
  platform = await startPlatform({ portBase, stateDir, onLog: () => {}, arrange: withTableWorker })
}, 600_000)
afterAll(async () => {
  await platform?.stop()
  rmSync(stateDir, { recursive: true, force: true })
}, 60_000)

/** Each request has an address of its own, so that none is over a limit. */
async function readOffers(number: number): Promise<number> {
  const headers = { 'cf-connecting-ip': `2001:db8:1:${number.toString(16)}::1` }
  const response = await fetch(`${platform.urls.pay}/pay/offer`, { headers })
  await response.body?.cancel()
  return response.status
}

it('rings the alerts of the objective, and draws the burn that ends with the fault', async () => {
  const lost = loseTable(platform, SECONDS)
  const reads: Promise<number>[] = []
  for (let number = 0; number < (SECONDS * 1000) / EVERY_MS; number += 1) {
    reads.push(readOffers(number))
    await setTimeout(EVERY_MS)
  }
  const statuses = await Promise.all(reads)
  await lost
  expect(new Set(statuses)).toEqual(new Set([200, 503]))
  expect(await readOffers(reads.length)).toBe(200)

  const html = join(stateDir, 'slo.html')
  const { rows, past } = await reportSlos({ source: metricsFile(stateDir), now: null, scale: SCALE, html })
  expect(rows).toBeGreaterThan(0)
  const rang = past.filter(({ subject }) => subject === 'public-read').map(({ alert }) => alert)
  expect(rang).toEqual(expect.arrayContaining(['availability-fast', 'availability-slow']))
  const page = readFileSync(html, 'utf8')
  expect(page).toContain('<svg')
  expect(page).toContain('availability-fast')
}, 120_000)
