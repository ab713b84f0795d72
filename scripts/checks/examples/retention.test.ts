import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { readAllWorkerConfigs } from '@svc/platform/worker-config'
import { ROOT } from '@svc/platform/workspace'
import { beforeAll, describe, expect, it, vi } from 'vitest'

// The classes are only asked for their schemas.
vi.mock('cloudflare:workers', () => ({ DurableObject: Object, WorkerEntrypoint: Object, env: {} }))

interface Schema {
  readonly steps: readonly ({ readonly sql: string } | { readonly run: unknown })[]
}

const PAGE = readFileSync(join(ROOT, 'workers/docs/pages/developer/retention.md'), 'utf8')
/** Created for each period, under its number, and not by a step of the schema. */
const NUMBERED = ['recent_', 'moved_']
const PREFIXES = ['Object storage', 'Key-value store']

/** The names in the first column, by the heading of their table. */
function listed(): Map<string, string[]> {
  const found = new Map<string, string[]>()
  let heading = ''
  for (const line of PAGE.split('\n')) {
    if (/^###? /.test(line)) heading = line.replace(/^#+ /, '')
    const names = [...(/^\| (`[^|]+) \|/.exec(line)?.[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)
    if (names.length > 0) found.set(heading, [...(found.get(heading) ?? []), ...names])
  }
  return found
}

function tablesOf(fill: (db: DatabaseSync) => void): string[] {
  const db = new DatabaseSync(':memory:')
  fill(db)
  const rows = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").all()
  return rows.map(({ name }) => String(name)).toSorted()
}

function databaseTables(worker: string): string[] {
  const files = globSync(`migrations/${worker}/*.sql`, { cwd: ROOT }).toSorted()
  return tablesOf((db) => {
    for (const file of files) db.exec(readFileSync(join(ROOT, file), 'utf8'))
  })
}

/** An object has the tables of one of its class's schemas; the page lists those of all. */
function objectTables(schemas: readonly Schema[]): string[] {
  return schemas
    .flatMap((schema) =>
      tablesOf((db) => {
        for (const step of schema.steps) if ('sql' in step) db.exec(step.sql)
      }),
    )
    .toSorted()
}

const databases = globSync('migrations/*', { cwd: ROOT }).map((path) => path.replace('migrations/', ''))
const classes = new Map<string, string[]>()

beforeAll(async () => {
  for (const { name } of readAllWorkerConfigs()) {
    const exported = (await import(join(ROOT, `workers/${name}/src/index.ts`))) as Record<string, unknown>
    for (const [className, value] of Object.entries(exported)) {
      if (typeof value === 'function' && 'schemas' in value) {
        classes.set(className, objectTables(value.schemas as readonly Schema[]))
      }
    }
  }
}, 300_000)

describe('the page on retention', () => {
  it.each(databases)('lists the tables of the database of %s', (worker) => {
    expect(listed().get(`Database of ${worker}`)?.toSorted()).toEqual(databaseTables(worker))
  })

  it('lists the tables of every class of object', () => {
    expect(classes.size).toBeGreaterThan(10)
    const named = [...classes.keys()].map((name) => {
      const tables = listed().get(name) ?? []
      return [name, tables.filter((table) => !NUMBERED.some((prefix) => table.startsWith(prefix))).toSorted()]
    })
    expect(named).toEqual([...classes])
  })

  it('names no database and no class that does not exist', () => {
    const headings = [...listed().keys()].filter((heading) => !PREFIXES.includes(heading))
    const known = [...databases.map((name) => `Database of ${name}`), ...classes.keys()]
    expect(headings.toSorted()).toEqual(known.toSorted())
  })

  it('lists the prefixes under which core and provenance write, and none that no code has', () => {
    const sources = globSync('{workers/*,packages/*}/src/**/*.ts', { cwd: ROOT, exclude: ['**/*.test.ts'] })
    const codeOf = (paths: string[]) => paths.map((path) => readFileSync(join(ROOT, path), 'utf8')).join('\n')
    const writers = codeOf(sources.filter((path) => /^workers\/(core|provenance)\//.test(path)))
    const written = [...writers.matchAll(/`((?:[a-z-]+\/)+)\$\{|'((?:[a-z-]+\/)+)' \|\|/g)].map((m) => m[1] ?? m[2])
    const named = PREFIXES.flatMap((heading) => listed().get(heading) ?? [])
    expect(written.length).toBeGreaterThan(5)
    expect(named).toEqual(expect.arrayContaining(written))
    const code = codeOf(sources)
    expect(named.filter((prefix) => !code.includes(prefix.replace('{log}', '')))).toEqual([])
  })
})
