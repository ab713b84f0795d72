import { globSync } from 'node:fs'
import { ROOT } from '@svc/platform/workspace'
import { expect, it } from 'vitest'
import { configsOf, TEST_GROUPS, type TestGroup } from './groups.ts'

it('puts every vitest project in exactly one group', () => {
  const grouped = (Object.keys(TEST_GROUPS) as TestGroup[]).flatMap(configsOf)
  const projects = globSync('{packages,workers}/*/vitest*.config.ts', { cwd: ROOT })
  expect(grouped.toSorted()).toEqual([...projects, 'scripts/checks/projects/vitest.config.ts'].toSorted())
})
