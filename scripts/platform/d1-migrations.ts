import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Miniflare } from 'miniflare'
import { repeatWhenClosed } from './state/closed-connections.ts'
import type { D1Binding, WorkerConfig } from './worker-config.ts'
import { ROOT, SetupError } from './workspace.ts'
import { wrangler } from './wrangler.ts'

type Database = Awaited<ReturnType<Miniflare['getD1Database']>>

// The same table as `wrangler d1 migrations apply` uses, so that either can continue the other's work.
const RECORDS = `CREATE TABLE IF NOT EXISTS d1_migrations(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`

/** Applies the migrations that are not recorded yet, and returns how many. */
export async function migrateDatabases(miniflare: Miniflare, configs: WorkerConfig[]): Promise<number> {
  let applied = 0
  for (const { scriptName, databases } of configs)
    for (const { binding, migrationsDir } of databases)
      applied += await repeatWhenClosed(async () =>
        migrate(await miniflare.getD1Database(binding, scriptName), migrationsDir),
      )
  return applied
}

async function migrate(database: Database, migrationsDir: D1Binding['migrationsDir']): Promise<number> {
  await database.prepare(RECORDS).run()
  const { results } = await database.prepare('SELECT name FROM d1_migrations').all<{ name: string }>()
  const recorded = new Set(results.map(({ name }) => name))
  const pending = migrationFiles(migrationsDir).filter((name) => !recorded.has(name))
  for (const name of pending) {
    const file = join(migrationsDir, name)
    const statements = wrangler()
      .unstable_splitSqlQuery(readFileSync(file, 'utf8'))
      .map((sql) => database.prepare(sql))
    const record = database.prepare('INSERT INTO d1_migrations (name) VALUES (?)').bind(name)
    // A batch is one transaction: a file that fails leaves neither tables nor a record.
    await database.batch([...statements, record]).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error)
      throw new SetupError(`Migration ${relative(ROOT, file)} failed and was rolled back: ${reason}.`, { cause: error })
    })
  }
  return pending.length
}

function migrationFiles(migrationsDir: string): string[] {
  if (!existsSync(migrationsDir)) return []
  return readdirSync(migrationsDir)
    .filter((name) => name.endsWith('.sql'))
    .toSorted()
}
