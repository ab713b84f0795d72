import { globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { reservePortBase } from '@svc/platform/ports'
import { CORES, ROOT } from '@svc/platform/workspace'
import { living } from '../projects/clocks.ts'
import { playing } from '../projects/games.ts'
import { configsOf } from '../projects/groups.ts'
import { LONG_FORMED, LONG_FORMS } from '../projects/long-forms.ts'
import { captureCheck, type Outcome, type Step, together } from '../runs/step-runner.ts'
import { callOf, runVitest } from '../runs/vitest-run.ts'
import { runInBrowser, runPlatformPart, runQuickstart } from './platform-parts.ts'

/** For steps that run programs instead of test files. */
const NONE = /^$/

/** The parts that `--full` adds. Each takes at most 45 minutes on two cores, and can be run alone. */
export const LONG_STEPS: readonly Step[] = [
  {
    // Every project as its own program: a package's source also with the types of Node.js, and of each Worker.
    name: 'typescript',
    about: 'type-checks packages, Workers, scripts and examples project by project',
    long: 'checks types again, which lint has checked once',
    run: typeCheck,
  },
  {
    name: 'long-forms',
    about: 'the tests of core and keys that can be longer, in their long form',
    long: 'plays more than 1,000 rounds',
    ownTests: /^workers\/(?:core\/test\/notes|keys\/test\/directory)\//,
    run: runLongForms,
  },
  {
    name: 'browser-pages',
    about: 'pages of the services in every look, sign-in and an example, in Chromium',
    long: 'starts a browser',
    ownTests: /^scripts\/checks\/browser\//,
    run: () => runInBrowser('browser-pages'),
  },
  {
    name: 'browser-console',
    about: 'the console and the verifier, in Chromium',
    long: 'starts a browser',
    ownTests: /^scripts\/checks\/browser\//,
    run: () => runInBrowser('browser-console'),
  },
  {
    name: 'calls',
    about: 'every call of the API reference, the guides and the example applications, on a running platform',
    long: 'runs every published example as its reader does',
    ownTests: /^scripts\/checks\/(?:calls|examples)\//,
    run: () => runPlatformPart('calls'),
  },
  {
    name: 'command-line',
    about: 'the examples of svc and the walk-through in a shell, on a running platform',
    long: 'runs every published example as its reader does',
    ownTests: /^scripts\/checks\/command-line\//,
    run: () => runPlatformPart('command-line'),
  },
  {
    name: 'deploy',
    about: 'Wrangler bundles all eight, and deploys to a fake Cloudflare account',
    long: 'starts Wrangler for each upload',
    ownTests: /^scripts\/operations\/uploads\//,
    run: () => runVitest('scripts/operations/uploads/vitest.config.ts'),
  },
  {
    name: 'package',
    about: 'builds, installs and bundles the published packages',
    long: 'starts a package manager',
    ownTests: /^scripts\/release\//,
    run: () => runVitest('scripts/release/packaging/vitest.config.ts'),
  },
  {
    name: 'installed',
    about: 'the suites of client and cli, the programs of the pages and the examples of svc, on the installed packages',
    long: 'starts a package manager',
    ownTests: /^(?:packages\/(?:client|cli)|scripts\/checks\/(?:examples|command-line))\//,
    run: () => runVitest('scripts/checks/installed-packages/vitest.config.ts'),
  },
  {
    name: 'fuzz',
    about: '60 generated requests to every documented operation',
    long: 'fuzzes from a seed',
    ownTests: NONE,
    run: () => captureCheck(process.execPath, ['scripts/fuzzing/fuzz.ts', '--runs', '60', '--seed', '2']),
  },
  {
    name: 'quickstart',
    about: 'follows the quickstart in a new clone, in the terminal and in Chromium',
    long: 'starts a package manager and a browser',
    ownTests: /^scripts\/checks\/quickstart\//,
    run: runQuickstart,
  },
  {
    name: 'start',
    about: 'scripts/start --exit on a new state folder',
    long: 'starts the whole platform once more',
    ownTests: NONE,
    run: runStart,
  },
  {
    name: 'costs',
    about: 'no operation uses more calls, rows or log lines than is recorded, or costs more than its limit',
    long: 'measures every operation on a platform of its own',
    ownTests: NONE,
    run: () => captureCheck('scripts/costs', []),
  },
  {
    name: 'games',
    about: '3,000 random games of owner and thief with the real service, and every game solved',
    long: 'plays more than 1,000 rounds',
    ownTests: /^workers\/core\/test\/rotation\//,
    run: runGames,
  },
  {
    name: 'clocks',
    about: 'two simulated years of six customers, whose tier is right on every day',
    long: 'plays more than 1,000 rounds',
    ownTests: /^workers\/pay\/test\/clocks\//,
    run: runClocks,
  },
  {
    name: 'drill',
    about: 'kills the platform 25 times under load and proves every acknowledged write',
    long: 'kills and restores a process',
    ownTests: NONE,
    run: () => captureCheck('scripts/faults', ['--kills', '25', '--seed', '1']),
  },
  {
    name: 'restore-drill',
    about: 'loses every recorded object and database but one, and restores every acknowledged write',
    long: 'kills and restores a process',
    ownTests: NONE,
    run: () => captureCheck('scripts/operate', ['restore-drill', '--small', '--seed', '1']),
  },
]

async function runLongForms(): Promise<Outcome> {
  const outcomes: Outcome[] = []
  for (const [group, file] of LONG_FORMED) {
    outcomes.push(await runFiles(configsOf(group), file, LONG_FORMS))
  }
  return together(outcomes)
}

/** Some thousand games in one runtime leave more databases open than it may have files. */
const GAMES_PER_RUN = 500

async function runGames(): Promise<Outcome> {
  const outcomes: Outcome[] = []
  for (const run of [0, 1, 2, 3]) {
    const games = { random: GAMES_PER_RUN, seed: 1_000_000 + run * GAMES_PER_RUN, solvesAll: run === 0 }
    const files = run === 0 ? 'rotation/game/' : 'random-play'
    outcomes.push(await runFiles(configsOf('core-rotation'), files, playing(games)))
  }
  return together(outcomes)
}

/** As many as meet everything that there is, which the tests hold them to. */
const CUSTOMERS = { seeds: 6, first: 1_000, days: 730 }

function runClocks(): Promise<Outcome> {
  const pay = configsOf('records').filter((config) => config.startsWith('workers/pay/'))
  return runFiles(pay, 'clocks/', living(CUSTOMERS))
}

/** Runs the files whose path has this part. None is a failure: they were renamed. */
async function runFiles(configs: readonly string[], part: string, more: Readonly<Record<string, string>>) {
  const { config, args, env } = callOf(configs, [part])
  const outcome = await runVitest(config, args, { ...env, ...more })
  return outcome.passed === 0 && outcome.failed === 0 ? { ...outcome, failed: 1 } : outcome
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
