import { globSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ROOT } from '@svc/platform/workspace'
import { expect, it } from 'vitest'
import { configsOf } from './groups.ts'
import { LONG_FORMED } from './long-forms.ts'

// Vitest matches a filter with the path below the folder of a project, without the name of the project.
it.each(LONG_FORMED)('of %s, the long form of %s is one file', (group, part) => {
  const folders = new Set(configsOf(group).map((config) => join(ROOT, dirname(config))))
  const files = [...folders].flatMap((cwd) => globSync('{src,test}/**/*.test.ts', { cwd }))
  expect(files.filter((file) => file.includes(part))).toHaveLength(1)
})
