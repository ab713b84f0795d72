import { type ChildProcess, spawn } from 'node:child_process'
import { ROOT } from '@svc/platform/workspace'

export interface Measured {
  readonly code: number
  readonly output: string
  /** Of the command and of everything that it started and waited for: user and system. */
  readonly cpuSeconds: number
}

/** Runs the command, and writes what it used to descriptor 3, which the command does not get. */
const TIMED = '"$@" 3>&-; code=$?; times >&3; exit $code'

const running = new Set<ChildProcess>()

/** Runs a command in the repository, collects its output, and measures what it uses. */
export function captureMeasured(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Measured> {
  return new Promise((resolve) => {
    // A process group of its own, so that whatever the command starts can be ended with it.
    const child = spawn('sh', ['-c', TIMED, 'sh', command, ...args], {
      cwd: ROOT,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
      detached: true,
    })
    const output: Buffer[] = []
    const times: Buffer[] = []
    running.add(child)
    const [, stdout, stderr, used] = child.stdio
    for (const stream of [stdout, stderr]) stream?.on('data', (chunk: Buffer) => output.push(chunk))
    used?.on('data', (chunk: Buffer) => times.push(chunk))
    child.once('error', (error) => {
      running.delete(child)
      resolve({ code: 127, output: error.message, cpuSeconds: 0 })
    })
    child.once('close', (code) => {
      running.delete(child)
      const text = Buffer.concat(times).toString()
      resolve({ code: code ?? 1, output: Buffer.concat(output).toString(), cpuSeconds: cpuSecondsOf(text) })
    })
  })
}

/** Ends what runs, with all that it started. */
export function stopMeasured(): void {
  for (const { pid } of running) {
    try {
      if (pid !== undefined) process.kill(-pid, 'SIGTERM')
    } catch {
      // It ended by itself meanwhile.
    }
  }
}

/** What the shell's `times` says of its children, on its second line: `0m1.234s 0m0.567s`. */
export function cpuSecondsOf(times: string): number {
  const [, children = ''] = times.trim().split('\n')
  const used = [...children.matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, minutes, seconds]) => Number(minutes) * 60 + Number(seconds),
  )
  return used.reduce((sum, one) => sum + one, 0)
}
