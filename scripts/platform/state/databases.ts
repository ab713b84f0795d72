import { closeSync, globSync, openSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { SetupError } from '../workspace.ts'

const SQLITE_MAGIC = 'SQLite format 3\0'

/** Checks for damaged databases, which would otherwise show later as a service that returns 500 for no visible reason. */
export function requireReadableDatabases(stateDir: string): void {
  for (const path of globSync('v3/**/*.sqlite', { cwd: stateDir })) {
    const file = join(stateDir, path)
    // Every Durable Object has its own file, so only the few D1 databases are opened.
    const readable = beginsLikeSqlite(file) && (!path.startsWith('v3/d1/') || opens(file))
    if (!readable)
      throw new SetupError(`The state folder is damaged (${path} is not a database): delete ${stateDir} to start over.`)
  }
}

function beginsLikeSqlite(file: string): boolean {
  if (statSync(file).size === 0) return true
  const head = Buffer.alloc(SQLITE_MAGIC.length)
  const descriptor = openSync(file, 'r')
  readSync(descriptor, head)
  closeSync(descriptor)
  return head.toString('latin1') === SQLITE_MAGIC
}

function opens(file: string): boolean {
  try {
    const database = new DatabaseSync(file, { readOnly: true })
    const problems = database.prepare('PRAGMA quick_check(1)').all()
    database.close()
    return problems.length === 1 && problems[0]?.['quick_check'] === 'ok'
  } catch {
    return false
  }
}
