import { readFileSync, writeFileSync } from 'node:fs'
import { processorMs, runtimePids } from '../figures/processor-time.ts'

/** What the processes of the local runtime have used, read from /proc. */
export class RuntimeUsage {
  readonly #pids = runtimePids()

  constructor() {
    if (this.#pids.length === 0) throw new Error('the local runtime is not running')
  }

  cpuMs(): number {
    return processorMs(this.#pids)
  }

  /** By how much the resident memory exceeds at its peak what it was before. */
  async growthDuring(work: () => Promise<void>): Promise<number> {
    const before = this.#status('VmRSS')
    for (const pid of this.#pids) writeFileSync(`/proc/${pid}/clear_refs`, '5')
    await work()
    return Math.max(0, this.#status('VmHWM') - before)
  }

  #status(name: string): number {
    const line = new RegExp(String.raw`${name}:\s+(\d+) kB`)
    return sum(this.#pids, (pid) => Number(line.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024)
  }
}

function sum(pids: readonly number[], of: (pid: number) => number): number {
  return pids.reduce((total, pid) => total + of(pid), 0)
}
