import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '@svc/platform/workspace'
import type { Page } from 'playwright-core'
import { afterAll, expect, it } from 'vitest'
import { Visit } from '../../browser.fixture.ts'
import { openConsole } from '../../console-page.fixture.ts'
import { looksWellInBoth } from '../own-browsers.fixture.ts'
import { panel } from '../own-page.fixture.ts'

const visit = await Visit.begin()
const folder = mkdtempSync(join(tmpdir(), 'svc-slo-'))
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await visit.end()
})

const MINUTE_MS = 60_000
const NOW = Date.now()

/** Two hours of reads, ten a minute; for twenty minutes of them three of ten fail. */
const rows = Array.from({ length: 1_200 }, (_, request) => {
  const minute = Math.floor(request / 10)
  const isBad = minute >= 90 && minute < 110 && request % 10 < 3
  return {
    timestamp: NOW - (120 - minute) * MINUTE_MS,
    dataset: 'svc_metrics',
    index: 'core',
    blobs: ['request', 'core', 'readRoot', isBad ? '5xx' : '2xx', isBad ? 'unavailable' : ''],
    doubles: [1, 12, isBad ? 503 : 200],
  }
})

/** What the operator's own command prints for those rows. */
function report(): string {
  const file = join(folder, 'rows.jsonl')
  writeFileSync(file, rows.map((row) => JSON.stringify(row)).join('\n'))
  const command = [join(ROOT, 'scripts/operations/commands/slo.ts'), '--rows', file, '--json']
  return spawnSync(process.execPath, command, { cwd: ROOT, encoding: 'utf8' }).stdout
}

async function choose(page: Page, text: string): Promise<void> {
  const chosen = { name: 'slo.json', mimeType: 'application/json', buffer: Buffer.from(text) }
  await page.getByLabel('File of scripts/slo --json').setInputFiles(chosen)
}

it('draws what a report of the objectives says', async () => {
  const { page, complaints } = await openConsole(visit, '/operator')
  await choose(page, '{"alerts":[]}')
  await page.getByRole('alert').getByText('This is not a file of scripts/slo --json.').waitFor()
  await choose(page, report())
  const shown = panel(page, 'Objectives and alerts')
  await shown.getByText('availability-fast').first().waitFor()
  await shown.getByText('95% of 99.9% promised. 60 bad of 1200, burn rate 50.').waitFor()
  await shown.getByText('100% of 99% promised. 0 bad of 1200, burn rate 0.').waitFor()
  const chart = shown.getByRole('img', { name: 'Answered: the burn rate over an hour is at most 100' })
  await chart.waitFor()
  // Both rates are drawn, at each of the moments.
  for (const line of ['.long', '.short'])
    expect((await chart.locator(line).getAttribute('d'))?.match(/[ML]/g)).toHaveLength(121)
  await looksWellInBoth(page, 'operator-objectives')
  expect(complaints).toEqual([])
})
