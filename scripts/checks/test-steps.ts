import { existsSync, globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { provideChromium } from '@svc/platform/chromium'
import { reservePortBase } from '@svc/platform/ports'
import { CORES, ROOT } from '@svc/platform/workspace'
import { living } from './projects/clocks.ts'
import { playing } from './projects/games.ts'
import { choosing, configsOf, type TestGroup } from './projects/groups.ts'
import { type Change, captureCheck, type Outcome, type Step } from './step-runner.ts'
import { callOf, runVitest } from './vitest-run.ts'

const script = (path: string, ...args: string[]) => captureCheck(process.execPath, [join('scripts', path), ...args])

const CALLS = 'scripts/checks/running-platform/vitest.calls.config.ts'
/** The part of it that has a step of its own. */
const COMMAND_LINE = 'checks/command-line/'

/** The vitest projects of a group. */
const tests = (group: TestGroup, about: string): Step => ({
  name: group,
  about,
  isAffectedBy: (change) => testsOf(group, change).length > 0,
  run: (change) => runGroup(group, change && testsOf(group, change)),
})

/** In starting order: the longest first, so that short ones fill the other lane. */
export const STEPS: readonly Step[] = [
  {
    name: 'platform',
    about: 'pages, examples and limits, on one running platform; with --full also the walk-through, proofs and more',
    isAffectedBy: () => false,
    run: () => runPlatform('vitest.config.ts'),
  },
  tests('records', 'tests of consent, docs, pay and provenance'),
  tests('packages', 'tests of the packages, in workerd and Node.js'),
  {
    name: 'lint',
    about: 'types, and lint with types',
    isAffectedBy: (change) => typed(change).length > 0,
    run: (change) => captureCheck('oxlint', ['--type-aware', '--type-check', '--deny-warnings', ...typed(change)]),
  },
  tests('identity', 'tests of auth, did and keys'),
  tests('core', 'the other tests of core'),
  tests('core-notes', 'tests of core: notes, content, internal routes'),
  tests('core-rotation', 'tests of core: rotation, inception, anchors, records'),
  tests('scripts', 'tests of the scripts, a kill under load and a deployment that is gone among them'),
  {
    name: 'biome',
    about: 'format and lint',
    isAffectedBy: (change) => existing(change).length > 0,
    run: (change) =>
      captureCheck('biome', ['check', '--error-on-warnings', '--no-errors-on-unmatched', ...existing(change)]),
  },
  { name: 'types', about: 'env.d.ts matches wrangler.jsonc', run: () => script('checks/check-types.ts') },
  { name: 'openapi', about: 'openapi.json matches the live routes', run: () => script('checks/openapi.ts', '--check') },
  {
    name: 'pages',
    about: 'the docs Worker lists the pages as they are',
    run: () => script('site/pages.ts', '--check'),
  },
  { name: 'boundaries', about: 'who may import whom', run: () => script('checks/check-boundaries.ts') },
  { name: 'limits', about: 'every declared limit has its binding', run: () => script('checks/check-limits.ts') },
  {
    name: 'sizes',
    about: 'median length of source files, files per folder',
    run: () => script('checks/check-sizes.ts'),
  },
  { name: 'words', about: 'leftovers, machine paths, run bits', run: () => script('checks/check-words.ts') },
  {
    // Every project as its own program: a package's source also with the types of Node.js, and of each Worker.
    name: 'typescript',
    about: 'type-checks packages, Workers, scripts and examples project by project',
    isLong: true,
    run: typeCheck,
  },
  {
    name: 'browser',
    about: 'pages in every look, an example, and sign-in with a provider, in Chromium',
    isLong: true,
    run: () => runPlatform('vitest.long.config.ts'),
  },
  {
    name: 'calls',
    about: 'every call of the API reference, the guides and the example applications, on a running platform',
    isLong: true,
    run: () => runVitest(CALLS, ['--exclude', `scripts/${COMMAND_LINE}**`]),
  },
  {
    name: 'command-line',
    about: 'the examples of svc and the walk-through in a shell, on a running platform',
    isLong: true,
    run: () => runVitest(CALLS, [COMMAND_LINE]),
  },
  {
    name: 'deploy',
    about: 'Wrangler bundles all eight, and deploys to a fake Cloudflare account',
    isLong: true,
    run: () => runVitest('scripts/operations/uploads/vitest.config.ts'),
  },
  {
    name: 'package',
    about: 'builds, installs and bundles the published packages',
    isLong: true,
    run: () => runVitest('scripts/release/packaging/vitest.config.ts'),
  },
  {
    name: 'fuzz',
    about: '60 generated requests to every documented operation',
    isLong: true,
    run: () => script('fuzzing/fuzz.ts', '--runs', '60', '--seed', '2'),
  },
  {
    name: 'quickstart',
    about: 'follows the quickstart in a new clone, in the terminal and in Chromium',
    isLong: true,
    run: runQuickstart,
  },
  {
    name: 'start',
    about: 'scripts/start --exit on a new state folder',
    isLong: true,
    run: runStart,
  },
  {
    name: 'costs',
    about: 'no operation uses more calls, rows or log lines than is recorded, or costs more than its limit',
    isLong: true,
    run: () => captureCheck('scripts/costs', []),
  },
  {
    name: 'games',
    about: '2,000 random games of owner and thief with the real service, and every game solved',
    isLong: true,
    run: runGames,
  },
  {
    name: 'clocks',
    about: 'two simulated years of six customers, whose tier is right on every day',
    isLong: true,
    run: runClocks,
  },
  {
    name: 'drill',
    about: 'kills the platform 25 times under load and proves every acknowledged write',
    isLong: true,
    run: () => captureCheck('scripts/faults', ['--kills', '25', '--seed', '1']),
  },
  {
    name: 'restore-drill',
    about: 'loses every recorded object and database but one, and restores every acknowledged write',
    isLong: true,
    run: () => captureCheck('scripts/operate', ['restore-drill', '--small', '--seed', '1']),
  },
]

/** The fixes that can be applied automatically. */
export const FIXES: readonly Step[] = [
  { name: 'types', about: 'writes env.d.ts', run: () => script('checks/check-types.ts', '--write') },
  { name: 'openapi', about: 'writes openapi.json', run: () => script('checks/openapi.ts') },
  {
    name: 'folding',
    about: 'writes the fingerprint’s table of look-alikes',
    run: () => script('checks/folding/write.ts'),
  },
  { name: 'pages', about: 'writes the docs Worker’s list of pages', run: () => script('site/pages.ts') },
  { name: 'biome', about: 'formats, applies safe fixes', run: () => captureCheck('biome', ['check', '--write']) },
]

/** The changed files that still exist. Empty without a change: the tools then check everything. */
function existing(change?: Change): string[] {
  return (change?.changed ?? []).filter((file) => existsSync(join(ROOT, file)))
}

/** Files whose types a change can affect. Empty without a change. */
function typed(change?: Change): string[] {
  return (change?.typed ?? []).filter((file) => /\.tsx?$/.test(file) && existsSync(join(ROOT, file)))
}

function testsOf(group: TestGroup, { tests: affected }: Change): string[] {
  const folders = configsOf(group).map(folderOf)
  return affected.filter((test) => folders.some((folder) => test.startsWith(folder)))
}

/** The folder of a project's tests. */
const folderOf = (config: string) => (config.startsWith('scripts/') ? 'scripts/' : `${dirname(config)}/`)

function runGroup(group: TestGroup, files: readonly string[] | undefined): Promise<Outcome> {
  const configs = configsOf(group)
  const chosen = files ? configs.filter((config) => files.some((file) => file.startsWith(folderOf(config)))) : configs
  const { config, args, env } = callOf(chosen, files)
  return runVitest(config, args, env)
}

/** Skips the tests of pages without a browser, with a note. */
async function runPlatform(config: 'vitest.config.ts' | 'vitest.long.config.ts'): Promise<Outcome> {
  const chromium = await provideChromium().catch((error: Error) => error)
  if (chromium instanceof Error) return { passed: 0, failed: 1, output: chromium.message }
  const run = () => runVitest(`scripts/checks/running-platform/${config}`)
  if (chromium !== undefined) return run()
  const note = 'not run: scripts/checks/browser (no CHROME_PATH, and no chromium in PATH)'
  return config === 'vitest.config.ts' ? { ...(await run()), note } : { passed: 0, failed: 0, output: '', note }
}

/** Skips the part in the browser without one, with a note. */
async function runQuickstart(): Promise<Outcome> {
  const chromium = await provideChromium().catch(() => undefined)
  const outcome = await runVitest('scripts/checks/quickstart/vitest.config.ts')
  const note = 'not run: the part in the browser (no CHROME_PATH, and no chromium in PATH)'
  return chromium === undefined ? { ...outcome, note } : outcome
}

/** Some thousand games in one runtime leave more databases open than it may have files. */
const GAMES_PER_RUN = 500

async function runGames(): Promise<Outcome> {
  const outcomes: Outcome[] = []
  for (const run of [0, 1, 2, 3]) {
    const games = { random: GAMES_PER_RUN, seed: 1_000_000 + run * GAMES_PER_RUN, solvesAll: run === 0 }
    const env = { ...choosing(configsOf('core-rotation')), ...playing(games) }
    const files = run === 0 ? 'rotation/game/' : 'random-play'
    outcomes.push(await runVitest('scripts/checks/vitest.config.ts', ['--maxWorkers=1', files], env))
  }
  const sum = (of: (outcome: Outcome) => number) => outcomes.reduce((total, outcome) => total + of(outcome), 0)
  const output = outcomes.map((outcome) => outcome.output).join('\n')
  return { passed: sum(({ passed }) => passed), failed: sum(({ failed }) => failed), output }
}

/** As many as meet everything that there is, which the tests hold them to. */
const CUSTOMERS = { seeds: 6, first: 1_000, days: 730 }

async function runClocks(): Promise<Outcome> {
  const pay = configsOf('records').filter((config) => config.startsWith('workers/pay/'))
  const env = { ...choosing(pay), ...living(CUSTOMERS) }
  const outcome = await runVitest('scripts/checks/vitest.config.ts', ['--maxWorkers=1', 'clocks/'], env)
  return outcome.passed === 0 ? { ...outcome, failed: 1 } : outcome
}

/** A single build over all projects shares their common files. Forced, because its up-to-date check ignores imported packages. */
function typeCheck(): Promise<Outcome> {
  const projects = globSync(
    [
      'packages/{*,*/test,*/src/*}/tsconfig.json',
      'workers/*/tsconfig.json',
      'scripts/{*,*/runtime,*/runtime/*,site/calls,site/page}/tsconfig.json',
      'examples/*/tsconfig.json',
    ],
    { cwd: ROOT },
  )
  return captureCheck('tsc', ['--build', '--force', '--builders', String(CORES), ...projects.toSorted()])
}

async function runStart(): Promise<Outcome> {
  const state = mkdtempSync(join(tmpdir(), 'svc-start-'))
  const portBase = await reservePortBase()
  try {
    return await captureCheck('scripts/start', ['--exit', '--state', state, '--port-base', String(portBase)])
  } finally {
    rmSync(state, { recursive: true, force: true })
  }
}
