import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { keepResult, readResults } from './kept-results.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-results-'))
afterAll(() => rmSync(folder, { recursive: true }))

it('keeps results in their order, in a folder that it makes', () => {
  const file = join(folder, 'state/results.json')
  expect(readResults(file)).toEqual([])
  const one = { step: 'core', commit: 'a', passed: 1, failed: 0, seconds: 2, cpuSeconds: 3, endedAt: 4 }
  keepResult(one, file)
  keepResult({ ...one, step: 'keys' }, file)
  expect(readResults(file)).toEqual([one, { ...one, step: 'keys' }])
})

it('takes a damaged file for none', () => {
  const file = join(folder, 'damaged.json')
  writeFileSync(file, '[{"step"')
  expect(readResults(file)).toEqual([])
})
