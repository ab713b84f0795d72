import { execFileSync } from 'node:child_process'
import { ROOT } from './root.ts'

/** The date of the last commit to each page's file; empty without a Git history. */
export function changeDates(): ReadonlyMap<string, string> {
  const dates = new Map<string, string>()
  let log: string
  try {
    const files = ['workers/docs/pages', 'workers/*/openapi.json', 'CHANGELOG.md', 'SECURITY.md']
    const args = ['log', '--format=@%cs', '--name-only', '--', ...files]
    log = execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
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
