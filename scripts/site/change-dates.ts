import { execFileSync } from 'node:child_process'
import { ROOT } from './root.ts'

/** The date of the last commit to each page's file; empty without a whole Git history, which alone knows it. */
export function changeDates(): ReadonlyMap<string, string> {
  const dates = new Map<string, string>()
  let log: string
  try {
    if (git('rev-parse', '--is-shallow-repository') === 'true\n') return dates
    const files = ['workers/docs/pages', 'workers/*/openapi.json', 'CHANGELOG.md', 'SECURITY.md']
    log = git('log', '--format=@%cs', '--name-only', '--', ...files)
  } catch {
    return dates
  }
  let day = ''
  for (const line of log.split('\n')) {
    if (line.startsWith('@')) day = line.slice(1)
    else if (line !== '' && !dates.has(line)) dates.set(line, day)
  }
  return dates
}

const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
