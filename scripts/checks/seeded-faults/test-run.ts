import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'

/** What is run: projects of vitest, and of their files those whose path has one of these parts; all of them without. */
export interface Selection {
  readonly projects: readonly string[]
  readonly files: readonly string[]
  readonly bail: boolean
}

export interface FailedTest {
  /** From the top of the tree. */
  readonly file: string
  readonly test: string
}

export interface TestRun {
  readonly tests: number
  readonly failed: readonly FailedTest[]
  /** Files that failed to load, so that none of their tests ran. */
  readonly unloadable: readonly string[]
  /** Why nothing can be said, or null. */
  readonly problem: string | null
}

/** Vitest's report, as far as it is read. */
export interface VitestReport {
  readonly testResults: readonly {
    readonly name: string
    readonly status: string
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[]
  }[]
}

/** A fault may make a test wait for ever; each test has a limit of its own, and this is for what escapes it. */
const LIMIT_MS = 40 * 60_000
/** Where it is, and where older checkouts have it. */
const CONFIGS = ['scripts/checks/vitest.config.ts', 'scripts/vitest.config.ts']

const running = new Set<ChildProcess>()

/** Ends what runs, with the processes that it has started. */
export function stopRunning(): void {
  for (const { pid } of running) if (pid !== undefined) end(pid)
}

export async function runTests(tree: string, { projects, files, bail }: Selection): Promise<TestRun> {
  const config = CONFIGS.find((path) => existsSync(join(tree, path)))
  if (config === undefined) throw new Error(`${tree} has none of ${CONFIGS.join(', ')}`)
  const folder = mkdtempSync(join(tmpdir(), 'seeded-report-'))
  const report = join(folder, 'report.json')
  const args = [
    join(tree, 'node_modules/vitest/vitest.mjs'),
    'run',
    '--root=.',
    `--config=${config}`,
    '--reporter=json',
    `--outputFile.json=${report}`,
    ...projects.map((project) => `--project=${project}`),
    ...(bail ? ['--bail=1'] : []),
    ...files,
  ]
  try {
    const { code, output, isLate } = await capture(tree, args)
    if (isLate) return { ...NOTHING, problem: `vitest has not ended after ${LIMIT_MS / 60_000} minutes` }
    if (!existsSync(report)) return { ...NOTHING, problem: `vitest left no report: ${output.slice(-600)}` }
    const run = readReport(JSON.parse(readFileSync(report, 'utf8')) as VitestReport, tree)
    const isExplained = code === 0 || run.failed.length > 0 || run.unloadable.length > 0 || run.tests === 0
    return isExplained ? run : { ...run, problem: `vitest failed beside its tests: ${output.slice(-600)}` }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const NOTHING = { tests: 0, failed: [], unloadable: [] } as const

/** A file whose tests were collected and whose hook then failed has run; one without tests has not even loaded. */
export function readReport({ testResults }: VitestReport, tree: string): TestRun {
  const failed: FailedTest[] = []
  const unloadable: string[] = []
  let tests = 0
  for (const { name, status, assertionResults } of testResults) {
    const file = relative(tree, name)
    const ran = assertionResults.filter((one) => one.status === 'passed' || one.status === 'failed')
    const wrong = assertionResults.filter((one) => one.status === 'failed')
    tests += ran.length
    failed.push(...wrong.map(({ fullName }) => ({ file, test: fullName })))
    if (status !== 'failed' || wrong.length > 0) continue
    if (assertionResults.length === 0) unloadable.push(file)
    else failed.push({ file, test: '(a hook of the file)' })
  }
  return { tests, failed, unloadable, problem: null }
}

function capture(tree: string, args: string[]): Promise<{ code: number; output: string; isLate: boolean }> {
  const bin = join(tree, 'node_modules/.bin')
  const env = { ...process.env, PATH: `${bin}:${process.env['PATH'] ?? ''}`, INIT_CWD: tree }
  return new Promise((resolve) => {
    // A process group of its own: Workers that a run leaves behind end with it.
    const child = spawn(join(bin, 'node'), args, { cwd: tree, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
    running.add(child)
    const chunks: Buffer[] = []
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      if (child.pid !== undefined) end(child.pid)
    }, LIMIT_MS)
    const finish = (code: number, output: string) => {
      clearTimeout(timer)
      running.delete(child)
      resolve({ code, output, isLate })
    }
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    child.once('error', (error) => finish(127, error.message))
    child.once('close', (code) => finish(code ?? 1, Buffer.concat(chunks).toString()))
  })
}

function end(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // Ended by itself meanwhile.
  }
}
