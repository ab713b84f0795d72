import { type ChildProcess, spawn } from 'node:child_process'
import { ROOT } from './workspace.ts'

export interface Outcome {
  passed: number
  failed: number
  /** Read only when something failed. */
  output: string
  /** Shown beside the verdict. */
  note?: string
}

export interface Step {
  name: string
  about: string
  run: () => Promise<Outcome>
}

export interface Finished extends Outcome {
  name: string
  seconds: number
}

const running = new Set<ChildProcess>()

/** Runs a command with its output kept back. */
export function capture(command: string, args: string[]): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] })
    const chunks: Buffer[] = []
    running.add(child)
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    child.once('error', (error) => {
      running.delete(child)
      resolve({ code: 127, output: error.message })
    })
    child.once('close', (code) => {
      running.delete(child)
      resolve({ code: code ?? 1, output: Buffer.concat(chunks).toString() })
    })
  })
}

/** A command that is one check: it passes or it does not. */
export async function captureCheck(command: string, args: string[]): Promise<Outcome> {
  const { code, output } = await capture(command, args)
  return { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, output }
}

export function stopRunning(): void {
  for (const child of running) child.kill('SIGTERM')
}

/** Starts the steps in their order, at most `lanes` at a time. */
export async function runSteps(
  steps: Step[],
  lanes: number,
  onFinished: (finished: Finished) => void,
): Promise<Finished[]> {
  const waiting = [...steps]
  const finished: Finished[] = []
  const lane = async () => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
      const begun = performance.now()
      const outcome = await step.run()
      const result = { name: step.name, seconds: (performance.now() - begun) / 1000, ...outcome }
      finished.push(result)
      onFinished(result)
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return finished
}
