import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

/** `scripts/start` as a user runs it, in its own process group so that all of it can be killed at once. */
export class KillablePlatform {
  readonly #child: ChildProcess

  private constructor(child: ChildProcess) {
    this.#child = child
  }

  /** Resolves when all eight Workers answer. */
  static start(portBase: number, stateDir: string): Promise<KillablePlatform> {
    const child = spawn('scripts/start', ['--no-walk', '--port-base', String(portBase), '--state', stateDir], {
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    return new Promise((resolve, reject) => {
      let output = ''
      const read = (chunk: Buffer) => {
        output += chunk.toString()
        if (output.includes('all eight answer /health')) resolve(new KillablePlatform(child))
      }
      child.stdout.on('data', read)
      child.stderr.on('data', read)
      child.on('error', reject)
      child.on('exit', (code) => reject(new Error(`scripts/start ended with ${code}:\n${output}`)))
    })
  }

  /** SIGKILL to the shell, node and the runtime at once: none of them can finish anything. */
  async kill(): Promise<void> {
    const { pid, exitCode, signalCode } = this.#child
    if (pid === undefined || exitCode !== null || signalCode !== null) return
    const gone = once(this.#child, 'exit')
    process.kill(-pid, 'SIGKILL')
    await gone
  }
}
