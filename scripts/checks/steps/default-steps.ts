import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '@svc/platform/workspace'
import { type Change, captureCheck, type Step } from '../runs/step-runner.ts'
import { runPlatformPart } from './platform-parts.ts'
import { tests } from './projects.ts'

const script = (path: string, ...args: string[]) => captureCheck(process.execPath, [join('scripts', path), ...args])

/** What every change must pass. In starting order: the longest first, so that short ones fill the other lane. */
export const DEFAULT_STEPS: readonly Step[] = [
  tests('scripts', 'tests of the scripts, a kill under load and a deployment that is gone among them'),
  tests('identity', 'tests of auth, did and keys'),
  tests('records', 'tests of consent, docs, pay and provenance'),
  tests('packages', 'tests of the packages, in workerd and Node.js'),
  {
    name: 'platform',
    about: 'the walk-through, examples, limits, events, proofs and a short fuzz, on one running platform',
    isAffectedBy: () => false,
    run: () => runPlatformPart('platform'),
  },
  tests('core', 'the other tests of core'),
  tests('core-rotation', 'tests of core: rotation, inception, anchors, records'),
  {
    name: 'lint',
    about: 'types, and lint with types',
    isAffectedBy: (change) => typed(change).length > 0,
    run: (change) => captureCheck('oxlint', ['--type-aware', '--type-check', '--deny-warnings', ...typed(change)]),
  },
  tests('core-notes', 'tests of core: notes, content, internal routes'),
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
  {
    name: 'long-tests',
    about: 'which test files run with --full alone: why, and their share',
    run: () => script('checks/check-long-tests.ts'),
  },
  { name: 'words', about: 'leftovers, machine paths, run bits', run: () => script('checks/check-words.ts') },
]

/** The changed files that still exist. Empty without a change: the tools then check everything. */
function existing(change?: Change): string[] {
  return (change?.changed ?? []).filter((file) => existsSync(join(ROOT, file)))
}

/** Files whose types a change can affect. Empty without a change. */
function typed(change?: Change): string[] {
  return (change?.typed ?? []).filter((file) => /\.tsx?$/.test(file) && existsSync(join(ROOT, file)))
}

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
