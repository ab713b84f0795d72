import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundleCommandLine } from '@svc/platform/callers/command-line'
import { capture } from '@svc/platform/command'
import { sharedAddress, sharedPlatform } from '@svc/platform/shared-platform'
import { afterAll, expect, it } from 'vitest'
import { GROUPS } from '../../../packages/cli/src/groups.ts'
import { KeptResults } from './kept-results.ts'

const COMMANDS = GROUPS.flatMap(({ commands }) => commands).map(({ path }) => path)
/** Commands without a result in the walk-through. Other tests hold theirs to its schema. */
const ELSEWHERE = ['explain assertion', 'id backup']

const MAX_MS = 1_800_000

const folder = mkdtempSync(join(tmpdir(), 'svc-walk-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it(
  'svc does the quickstart and the steps of the walk-through',
  async () => {
    const { urls } = sharedPlatform()
    const SVC_PROGRAM = await bundleCommandLine(folder)
    const SVC_RESULTS = join(folder, 'results')
    mkdirSync(SVC_RESULTS)
    const env = { SVC_CORE: urls.core, SVC_STATE: sharedAddress().stateDir, SVC_PROGRAM, SVC_RESULTS }
    const { code, output } = await capture('sh', ['scripts/walkthrough/command-line/walkthrough.sh'], env)
    const lines = output.split('\n')
    expect(lines.filter((line) => /^(?:FAIL| {6})/.test(line))).toEqual([])
    expect(code, output).toBe(0)
    expect(lines.filter((line) => line.startsWith('ok ')).length).toBeGreaterThan(200)
    const results = new KeptResults(SVC_RESULTS)
    expect(results.faults()).toEqual([])
    expect(COMMANDS.filter((path) => !results.commands().has(path)).toSorted()).toEqual(ELSEWHERE)
  },
  MAX_MS,
)
