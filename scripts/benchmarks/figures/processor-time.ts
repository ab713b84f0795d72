import { existsSync, readFileSync } from 'node:fs'
import { childrenOf } from '@svc/platform/state/process-table'

/** Linux counts CPU time in hundredths of a second. */
const TICK_MS = 10

/** The processes of the local runtime that this process has started. */
export function runtimePids(): number[] {
  return childrenOf(process.pid)
    .filter(({ command }) => /workerd\S* serve /.test(command))
    .map(({ pid }) => pid)
}

/** Milliseconds that these processes and those below them have used; NaN where there is no `/proc`. */
export function processorMs(pids: readonly number[]): number {
  if (!existsSync('/proc/self/stat')) return Number.NaN
  const below = (pid: number): number =>
    ticksOf(pid) + childrenOf(pid).reduce((total, child) => total + below(child.pid), 0)
  return pids.reduce((total, pid) => total + below(pid), 0) * TICK_MS
}

export const runtimeMs = () => processorMs(runtimePids())

function ticksOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // proc(5): fields 14 and 15 are the time in user and kernel mode; the name in parentheses can contain anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return Number(fields[11]) + Number(fields[12])
  } catch {
    return 0 // It has exited.
  }
}
