import { expect, it } from 'vitest'
import { namedTests, projectsAffectedBy, readReach } from './affected-projects.ts'

const REACH = {
  configs: readReach().configs,
  importers: new Map([
    ['packages/protocol/src/jcs.ts', ['packages/client/src/client.ts', 'workers/pay/src/app.ts']],
    ['packages/client/src/client.ts', ['packages/cli/src/svc.ts', 'scripts/site/pages.ts']],
  ]),
  running: new Map([
    ['pay', ['pay']],
    ['docs', ['docs', 'pay']],
    ['keys', ['keys', 'core']],
    ['core', ['core', 'pay']],
  ]),
}

it('reaches the projects that import the file, and those whose tests run a Worker that does', () => {
  expect(projectsAffectedBy('packages/protocol/src/jcs.ts', REACH)).toEqual([
    'packages/cli/vitest.config.ts',
    'packages/client/vitest.config.ts',
    'packages/protocol/vitest.config.ts',
    'packages/protocol/vitest.node.config.ts',
    'workers/docs/vitest.config.ts',
    'workers/pay/vitest.config.ts',
    'workers/core/vitest.notes.config.ts',
    'workers/core/vitest.config.ts',
    'workers/core/vitest.rotation.config.ts',
    'scripts/checks/projects/vitest.config.ts',
  ])
  expect(projectsAffectedBy('workers/core/src/chain/rules.ts', REACH)).toEqual([
    'workers/keys/vitest.config.ts',
    'workers/core/vitest.notes.config.ts',
    'workers/core/vitest.config.ts',
    'workers/core/vitest.rotation.config.ts',
    'scripts/checks/projects/vitest.config.ts',
  ])
})

it('reaches the tests of the scripts from the scripts alone', () => {
  const scripts = ['scripts/checks/projects/vitest.config.ts']
  expect(projectsAffectedBy('scripts/operations/roll-back.ts', REACH)).toEqual(scripts)
  const file = 'scripts/operations/roll-back.test.ts'
  expect(scripts.map((config) => namedTests({ tests: ['roll-back'] }, config, [file]))).toEqual([[file]])
})

it('finds named tests in the part of core that runs them', () => {
  const files = ['workers/core/test/rotation/theft.test.ts', 'workers/core/src/rotation/rules.test.ts']
  const named = (config: string) => namedTests({ tests: ['rotation/'] }, `workers/core/${config}`, files)
  expect(named('vitest.rotation.config.ts')).toEqual(files.slice(0, 1))
  expect(named('vitest.config.ts')).toEqual(files.slice(1))
  expect(named('vitest.notes.config.ts')).toEqual([])
})
