import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { provideChromium } from './chromium.ts'
import { findFreePortBase } from './ports.ts'
import { capture, captureCheck, type Outcome, type Step } from './step-runner.ts'
import { CORES, ROOT } from './workspace.ts'

const script = (path: string, ...args: string[]) => captureCheck(process.execPath, [join('scripts', path), ...args])

/** In the order in which they start: the longest first, so that the short ones fill the other lane. */
export const STEPS: Step[] = [
  { name: 'tests', about: 'every vitest project', run: () => runVitest('scripts/vitest.config.ts') },
  { name: 'browser', about: 'pages in Chromium, against the running platform', run: runBrowserTests },
  {
    name: 'deploy',
    about: 'Wrangler bundles all eight, and deploys to a Cloudflare on this machine',
    run: () => runVitest('scripts/operations/uploads/vitest.config.ts'),
  },
  {
    name: 'package',
    about: 'the packages that are published: built, installed, bundled',
    run: () => runVitest('scripts/packaging/vitest.config.ts'),
  },
  { name: 'typescript', about: 'type-checks packages, Workers and scripts', run: typeCheck },
  {
    name: 'oxlint',
    about: 'lint with types',
    run: () => captureCheck('oxlint', ['--type-aware', '--deny-warnings']),
  },
  { name: 'biome', about: 'format and lint', run: () => captureCheck('biome', ['check', '--error-on-warnings']) },
  { name: 'boundaries', about: 'who may import whom', run: () => script('check-boundaries.ts') },
  { name: 'sizes', about: 'lines of source files', run: () => script('check-sizes.ts') },
  { name: 'openapi', about: 'openapi.json matches the live routes', run: () => script('openapi.ts', '--check') },
  { name: 'pages', about: 'the docs Worker lists the pages as they are', run: () => script('pages.ts', '--check') },
  { name: 'types', about: 'env.d.ts matches wrangler.jsonc', run: () => script('check-types.ts') },
  { name: 'words', about: 'leftovers, machine paths, run bits', run: () => script('check-words.ts') },
  {
    name: 'fuzz',
    about: 'generated requests to every documented operation',
    run: () => script('fuzz.ts', '--runs', '6', '--seed', '1'),
  },
  { name: 'start', about: 'scripts/start --exit on a new state folder', run: startAndWalkThrough },
]

/** What a machine can put right. */
export const FIXES: Step[] = [
  { name: 'types', about: 'writes env.d.ts', run: () => script('check-types.ts', '--write') },
  { name: 'openapi', about: 'writes openapi.json', run: () => script('openapi.ts') },
  { name: 'pages', about: 'writes the docs Worker’s list of pages', run: () => script('pages.ts') },
  { name: 'biome', about: 'formats, applies safe fixes', run: () => captureCheck('biome', ['check', '--write']) },
]

interface VitestReport {
  success: boolean
  numPassedTests: number
  numFailedTests: number
  testResults: { status: string; assertionResults: { status: string }[] }[]
}

/** Without a browser nothing can be said of pages, and nothing is. */
async function runBrowserTests(): Promise<Outcome> {
  const chromium = await provideChromium().catch((error: Error) => error)
  if (chromium instanceof Error) return { passed: 0, failed: 1, output: chromium.message }
  if (chromium !== undefined) return runVitest('scripts/browser/vitest.config.ts')
  const note = 'not run: scripts/browser (no CHROME_PATH, and no chromium in PATH)'
  return { passed: 0, failed: 0, output: '', note }
}

async function runVitest(config: string): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-tests-'))
  const report = join(folder, 'report.json')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const { code, output } = await capture('vitest', ['run', '--root', '.', '--config', config, ...reporters])
  try {
    const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(report, 'utf8')) as VitestReport
    const brokenFiles = testResults.filter(
      ({ status, assertionResults }) =>
        status === 'failed' && assertionResults.every((assertion) => assertion.status !== 'failed'),
    ).length
    const failed = numFailedTests + brokenFiles
    return { passed: numPassedTests, failed: failed === 0 && code !== 0 ? 1 : failed, output }
  } catch {
    return { passed: 0, failed: 1, output: `${output}\nvitest left no report (exit code ${code})` }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** One build over all projects shares their common files. Forced: its up-to-date test does not see imported packages. */
function typeCheck(): Promise<Outcome> {
  const projects = globSync(['packages/{*,*/test,*/src/*}/tsconfig.json', 'workers/{*,*/page}/tsconfig.json'], {
    cwd: ROOT,
  })
  return captureCheck('tsc', [
    '--build',
    '--force',
    '--builders',
    String(CORES),
    ...projects.toSorted(),
    'scripts',
    'scripts/runtime',
  ])
}

async function startAndWalkThrough(): Promise<Outcome> {
  const state = mkdtempSync(join(tmpdir(), 'svc-start-'))
  const portBase = await findFreePortBase(20_000 + 10 * Math.floor(Math.random() * 1000))
  try {
    return await captureCheck('scripts/start', ['--exit', '--state', state, '--port-base', String(portBase)])
  } finally {
    rmSync(state, { recursive: true, force: true })
  }
}
