import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, expect, it } from 'vitest'
import { buildSite } from './build.ts'
import { htmlBudget } from './page-budgets.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-site-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('no page has more HTML than its budget', async () => {
  await buildSite(folder)
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.html'))
  expect(files.length).toBeGreaterThan(100)
  const over = files
    .map((name) => ({ name, bytes: gzipSync(readFileSync(join(folder, name))).length }))
    .filter(({ name, bytes }) => bytes >= htmlBudget(`/${name}`))
  expect(over).toEqual([])
})
