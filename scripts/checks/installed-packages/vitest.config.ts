import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '@svc/platform/workspace'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { TEST_DEFAULTS } from '../projects/test-defaults.ts'
import { PLATFORM_PARTS } from '../running-platform/tests.ts'
import { emitted } from './emitted.ts'

type ProjectTestOptions = NonNullable<TestProjectInlineConfiguration['test']>

// One folder for the set-up, the tests and the programs that they start. One that you name is kept and used again.
process.env['SVC_INSTALLED'] ??= mkdtempSync(join(tmpdir(), 'svc-packages-'))
const project = join(process.env['SVC_INSTALLED'], 'project')

/** Replaces a module of the package, so it needs a worker in which no other file has loaded that module. */
const REPLACING = 'test/exported-arguments.test.ts'

/** The suite of a package, on the code and the dependencies that applications get. */
const suite = (
  name: 'client' | 'cli',
  title: string,
  files: Pick<ProjectTestOptions, 'include' | 'exclude' | 'isolate' | 'server'>,
): TestProjectInlineConfiguration => ({
  // Vitest keeps transformed modules by the root of a project, and the packages replace different ones.
  root: join(ROOT, 'packages', name),
  plugins: [emitted(name, project)],
  test: {
    name: title,
    dir: join(ROOT, 'packages', name),
    setupFiles: [join(ROOT, 'scripts/checks/installed-packages/is-emitted.ts')],
    provide: { suite: name },
    ...files,
    ...TEST_DEFAULTS,
  },
})
const ALL = { include: ['src/**/*.test.ts', 'test/**/*.test.ts'], exclude: [REPLACING], isolate: false }

/** The programs of the pages, and what is typed into a shell. */
const EXAMPLES = Object.values(PLATFORM_PARTS)
  .flat()
  .filter((path) => /^checks\/(command-line|examples\/(platform|guides))/.test(path))

const examples: TestProjectInlineConfiguration = {
  root: ROOT,
  test: {
    name: 'examples-installed',
    include: EXAMPLES.map((path) => `scripts/${path}`),
    globalSetup: ['scripts/checks/running-platform/setup.ts'],
    setupFiles: ['documented-answers', 'own-address'].map((file) => `scripts/checks/running-platform/${file}.ts`),
    fileParallelism: false,
    isolate: false,
    ...TEST_DEFAULTS,
  },
}

export default defineConfig({
  test: {
    globalSetup: ['scripts/release/packaging/install-setup.ts'],
    projects: [
      suite('client', 'client-installed', ALL),
      suite('client', 'client-arguments-installed', {
        include: [REPLACING],
        exclude: [],
        isolate: true,
        // Node.js would load what is installed, and nothing could be replaced.
        server: { deps: { inline: [/@svc\/client\/dist/] } },
      }),
      suite('cli', 'cli-installed', ALL),
      examples,
    ],
    maxWorkers: 1,
    silent: 'passed-only',
  },
})
