import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

/** Identifies a process. The id alone can be reused by another process; with start time and command line it is unique. */
export interface ProcessIdentity {
  pid: number
  started: string
  command: string
}

interface ProcessEntry extends ProcessIdentity {
  parent: number
}

export function identify(pid: number): ProcessIdentity | undefined {
  const entry = existsSync('/proc/self/stat') ? fromProc(pid) : fromPs(['-p', String(pid)])[0]
  return entry && { pid: entry.pid, started: entry.started, command: entry.command }
}

export function isRunning(recorded: ProcessIdentity): boolean {
  const now = identify(recorded.pid)
  return now?.started === recorded.started && now.command === recorded.command
}

export function childrenOf(pid: number): ProcessIdentity[] {
  const ids = existsSync('/proc/self/stat')
    ? childIdsFromProc(pid)
    : fromPs(['-A']).flatMap((entry) => (entry.parent === pid ? [entry.pid] : []))
  return ids.flatMap((id) => identify(id) ?? [])
}

/** Sends SIGKILL and waits until the process is gone, because only then its ports are free. False after five seconds. */
export async function killAndWait(target: ProcessIdentity): Promise<boolean> {
  const deadline = Date.now() + 5000
  while (isRunning(target)) {
    if (Date.now() > deadline) return false
    try {
      process.kill(target.pid, 'SIGKILL')
    } catch {
      // It has exited since the check, or belongs to another user: the loop finds out which.
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return true
}

function fromProc(pid: number): ProcessEntry | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // proc(5): the name in parentheses can contain anything; state, parent, … follow it, and the start time is field 22.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (fields[0] === 'Z') return undefined
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
    return { pid, parent: Number(fields[1]), started: fields[19] ?? '', command }
  } catch {
    return undefined
  }
}

function childIdsFromProc(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}

function fromPs(selection: string[]): ProcessEntry[] {
  try {
    const table = execFileSync('ps', [...selection, '-ww', '-o', 'pid=,ppid=,lstart=,args='], {
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C' },
    })
    return table.split('\n').flatMap((line) => {
      const match = /^\s*(\d+)\s+(\d+)\s+(\w+\s+\w+\s+\d+\s+[\d:]+\s+\d+)\s+(.*)$/.exec(line)
      if (!match) return []
      const [, pid, parent, started = '', command = ''] = match
      return [{ pid: Number(pid), parent: Number(parent), started, command }]
    })
  } catch {
    return []
  }
}
