import { type ChildProcess, spawn } from 'node:child_process'
import { ROOT } from './workspace.ts'

const running = new Set<ChildProcess>()

/** Runs a command in the repository and collects its output. `env` is added to the environment. */
export function capture(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: ROOT,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
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

export function stopRunning(): void {
  for (const child of running) child.kill('SIGTERM')
}
