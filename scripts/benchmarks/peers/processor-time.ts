import { existsSync, readFileSync } from 'node:fs'
import { childrenOf } from '@svc/platform/state/process-table'

/** The kernel counts in hundredths of a second. */
const TICK_MS = 10

/** Milliseconds that a process and those below it have used; NaN where there is no `/proc`. */
export function processorMs(pid: number): number {
  if (!existsSync('/proc/self/stat')) return Number.NaN
  return ticksOf(pid) * TICK_MS + childrenOf(pid).reduce((sum, child) => sum + processorMs(child.pid), 0)
}

/** Of the runtime that this process has started. */
export function runtimeMs(): number {
  return childrenOf(process.pid)
    .filter(({ command }) => /workerd\S* serve /.test(command))
    .reduce((sum, { pid }) => sum + processorMs(pid), 0)
}

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
