import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readAllWorkerConfigs } from '@svc/platform/worker-config'
import { ROOT } from '@svc/platform/workspace'
import { expect, it } from 'vitest'

/** Workers with Durable Object classes of their own. */
const OWNERS = readAllWorkerConfigs().filter(({ scriptName, options }) =>
  Object.values(options.durableObjects ?? {}).some((object) => {
    const owner = typeof object === 'string' ? undefined : object.scriptName
    return owner === undefined || owner === scriptName
  }),
)

it('looks at the Workers that have objects', () => {
  expect(OWNERS.map(({ name }) => name).toSorted()).toEqual([
    'auth',
    'consent',
    'core',
    'did',
    'keys',
    'pay',
    'provenance',
  ])
})

it.each(OWNERS.map(({ name }) => name))('%s upgrades an object of every class in a test', (name) => {
  expect(existsSync(join(ROOT, 'workers', name, 'test/objects/upgrades.test.ts'))).toBe(true)
})
