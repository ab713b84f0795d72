import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { readSettled, writeResults } from './results.ts'

const folder = mkdtempSync(join(tmpdir(), 'results-'))
afterAll(() => rmSync(folder, { recursive: true }))

const CAUGHT = { id: 'a', verdict: 'caught', by: null, problem: null, seconds: 1 } as const
const UNDECIDED = { ...CAUGHT, id: 'b', verdict: 'undecided' } as const

it('goes on from verdicts of the same commit and the same tests alone', () => {
  const file = join(folder, 'results.json')
  expect(readSettled(file, { commit: '7f655705', whole: true })).toEqual([])
  writeResults(file, { commit: '7f655705', whole: true, outcomes: [CAUGHT, UNDECIDED] })
  expect(readSettled(file, { commit: '7f655705', whole: true })).toEqual([CAUGHT])
  expect(readSettled(file, { commit: '518901f6', whole: true })).toEqual([])
  expect(readSettled(file, { commit: '7f655705', whole: false })).toEqual([])
})
