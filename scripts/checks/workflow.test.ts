import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '@svc/platform/workspace'
import { expect, it } from 'vitest'
import { STEPS } from './test-steps.ts'

it('runs every step in exactly one job of the workflow', () => {
  const workflow = readFileSync(join(ROOT, '.github/workflows/test.yml'), 'utf8')
  const jobs = /^ {8}steps:\n((?: {10}- .*\n)+)/m.exec(workflow)?.[1] ?? ''
  const named = jobs.split(/\s+-\s+|\s+/).filter((word) => word !== '')
  expect(named.toSorted()).toEqual(STEPS.map(({ name }) => name).toSorted())
})
