import { type ChildProcess, spawn } from 'node:child_process'
import { join, relative } from 'node:path'
import { callOf, reportOf, type VitestReport } from '../runs/vitest-run.ts'

/** What is run: the project of a configuration, and of its files these; all of them without. */
export interface Selection {
  readonly config: string
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

/** A fault may make a test wait for ever; each test has a limit of its own, and this is for what escapes it. */
const LIMIT_MS = 40 * 60_000
const running = new Set<ChildProcess>()

/** Ends what runs, with the processes that it has started. */
export function stopRunning(): void {
  for (const { pid } of running) if (pid !== undefined) end(pid)
}

/** Runs tests of a tree by the very call that `scripts/test` makes. */
export async function runTests(tree: string, { config, files, bail }: Selection): Promise<TestRun> {
  const call = callOf([config], [...(bail ? ['--bail=1'] : []), ...files])
  let isLate = false
  const { code, output, report } = await reportOf(call, (command, args, env) =>
    capture(tree, command, { args, env, onLate: () => (isLate = true) }),
  )
  if (isLate) return { ...NOTHING, problem: `vitest has not ended after ${LIMIT_MS / 60_000} minutes` }
  if (report === null) return { ...NOTHING, problem: `vitest left no report: ${output.slice(-600)}` }
  const run = readReport(report, tree)
  const isExplained = code === 0 || run.failed.length > 0 || run.unloadable.length > 0 || run.tests === 0
  return isExplained ? run : { ...run, problem: `vitest failed beside its tests: ${output.slice(-600)}` }
}

const NOTHING = { tests: 0, failed: [], unloadable: [] } as const

/** A file whose tests were collected and whose hook then failed has run; one without tests has not even loaded. */
export function readReport({ testResults }: Pick<VitestReport, 'testResults'>, tree: string): TestRun {
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

interface Started {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly onLate: () => void
}

function capture(tree: string, command: string, { args, env, onLate }: Started) {
  const bin = join(tree, 'node_modules/.bin')
  const PATH = `${bin}:${process.env['PATH'] ?? ''}`
  return new Promise<{ code: number; output: string }>((resolve) => {
    // A process group of its own: Workers that a run leaves behind end with it.
    const child = spawn(join(bin, command), args, {
      cwd: tree,
      env: { ...process.env, ...env, PATH, INIT_CWD: tree },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    running.add(child)
    const chunks: Buffer[] = []
    const timer = setTimeout(() => {
      onLate()
      if (child.pid !== undefined) end(child.pid)
    }, LIMIT_MS)
    const finish = (code: number, output: string) => {
      clearTimeout(timer)
      running.delete(child)
      resolve({ code, output })
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
