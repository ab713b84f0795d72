import { globSync } from 'node:fs'
import { ROOT } from '@svc/platform/workspace'
import { afterEach, expect, it, vi } from 'vitest'
import { LONG_TESTS, leftOutOf, SHORT_RUN } from './long-tests.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

it.each(LONG_TESTS)('%s is a test file, or some', (pattern) => {
  expect(globSync(pattern, { cwd: ROOT })).not.toEqual([])
})

it('are left out of a short run only, relative to the folder of their project', () => {
  for (const name of Object.keys(SHORT_RUN)) vi.stubEnv(name, '')
  expect(leftOutOf('workers/core')).toEqual([])
  for (const [name, value] of Object.entries(SHORT_RUN)) vi.stubEnv(name, value)
  expect(leftOutOf('workers/core')).toContain('test/security.test.ts')
  expect(leftOutOf('')).toContain('workers/core/test/security.test.ts')
  expect(leftOutOf('workers/core').some((file) => file.startsWith('workers/'))).toBe(false)
})
