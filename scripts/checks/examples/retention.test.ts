import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { readAllWorkerConfigs } from '@svc/platform/worker-config'
import { ROOT } from '@svc/platform/workspace'
import { RECORDED_OBJECTS } from '@svc/protocol/operator/rebuild-objects'
import { beforeAll, describe, expect, it, vi } from 'vitest'

// The classes are only asked for their schemas.
vi.mock('cloudflare:workers', () => ({ DurableObject: Object, WorkerEntrypoint: Object, env: {} }))

interface Steps {
  readonly steps: readonly ({ readonly sql: string } | { readonly run: unknown })[]
}
interface Schema extends Steps {
  readonly groups?: readonly Steps[]
  readonly facts?: readonly string[]
}

const PAGE = readFileSync(join(ROOT, 'workers/docs/pages/developer/retention.md'), 'utf8')
/** Created for each period, under its number, and not by a step of the schema. */
const NUMBERED = ['recent_', 'moved_', 'nonces_', 'taken_', 'acknowledged_']
const PREFIXES = ['Object storage', 'Key-value store']
/** Where prefixes are declared: in each Worker, with the logs, and in the protocol for what the operator's commands write too. */
const DECLARING =
  /^(?:workers\/[a-z]+\/src\/object-keys|packages\/log\/src\/files|packages\/protocol\/src\/(?:merkle\/log-list-files|provenance\/model-files))\.ts$/
const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const sources = globSync('{workers/*,packages/*}/src/**/*.ts', { cwd: ROOT, exclude: ['**/*.test.ts'] })
/** Of its own. Buckets of records are written by objects, in folders that the protocol names. */
const hasBucket = ({ name }: { readonly name: string }) =>
  /"bucket_name": "(?!svc-[a-z]+-(?:records|erasure-keys)")/.test(textOf(`workers/${name}/wrangler.jsonc`))
const RECORD_FOLDERS = Object.values(RECORDED_OBJECTS).flatMap((objects) => objects.map((name) => `${name}/`))

/** Where a text spells one of these prefixes at the start of a literal. */
function spelled(text: string, prefixesOf: readonly string[]): string[] {
  return prefixesOf.filter((prefix) => ["'", '"', '`'].some((quote) => text.includes(quote + prefix)))
}

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

/** An object has the tables and facts of one of its class's schemas; the page lists those of all. */
function objectTables(schemas: readonly Schema[]): string[] {
  const tables = schemas.flatMap(({ steps, groups = [], facts = [] }) => [
    ...tablesOf((db) => {
      for (const step of [{ steps }, ...groups].flatMap((one) => one.steps)) if ('sql' in step) db.exec(step.sql)
    }),
    ...facts.map((name) => `facts.${name}`),
  ])
  return [...new Set(tables)].toSorted()
}

const databases = globSync('migrations/*', { cwd: ROOT }).map((path) => path.replace('migrations/', ''))
const classes = new Map<string, string[]>()
const prefixes = new Map<string, string[]>()

beforeAll(async () => {
  for (const { name } of readAllWorkerConfigs()) {
    if (hasBucket({ name })) {
      const declared = (await import(join(ROOT, `workers/${name}/src/object-keys.ts`))) as {
        readonly OBJECT_PREFIXES: Readonly<Record<string, string>>
      }
      prefixes.set(name, Object.values(declared.OBJECT_PREFIXES))
    }
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

  it('lists the tables and facts of every class of object', () => {
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

  it('lists every prefix of object storage that a Worker declares, and no other', () => {
    expect([...prefixes.keys()]).toEqual(
      readAllWorkerConfigs()
        .filter(hasBucket)
        .map(({ name }) => name),
    )
    const declared = new Set([...[...prefixes.values()].flat(), ...RECORD_FOLDERS])
    expect(listed().get('Object storage')?.toSorted()).toEqual([...declared].toSorted())
  })

  it('lists prefixes of the key-value store that the code has', () => {
    const code = sources.map(textOf).join('\n')
    expect(
      listed()
        .get('Key-value store')
        ?.filter((prefix) => !code.includes(prefix)),
    ).toEqual([])
  })
})

/** The names in backticks in one column of a page's tables, for the rows that match. */
function namesIn(page: string, column: number, isMeant: (cells: readonly string[]) => boolean): Set<string> {
  const rows = page
    .split('\n')
    .flatMap((line) => (line.startsWith('| ') ? [line.split('|').map((cell) => cell.trim())] : []))
  const cells = rows.filter(isMeant).map((row) => row[column] ?? '')
  return new Set(cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)))
}

describe('the page on deletion', () => {
  it('names whatever is kept, with a reason and an end, and nothing else', () => {
    const page = readFileSync(join(ROOT, 'workers/docs/pages/developer/deletion.md'), 'utf8')
    const kept = namesIn(PAGE, 1, ([, , , deleted = '']) => /(?:^|: )kept/.test(deleted))
    const excepted = namesIn(page, 2, (cells) => cells.length === 6)
    const unexplained = namesIn(page, 2, ([, , , reason, until]) => reason === '' || until === '')
    expect(kept.size).toBeGreaterThan(50)
    expect([...excepted].toSorted()).toEqual([...kept].toSorted())
    expect([...unexplained]).toEqual([])
  })
})

describe('keys of objects in R2', () => {
  it('are spelled only where the prefixes are declared', () => {
    const declared = [...new Set([...prefixes.values()].flat())].map((prefix) => prefix.replace(/\{.*/, ''))
    const elsewhere = sources.filter((path) => !DECLARING.test(path))
    expect(elsewhere.flatMap((path) => spelled(textOf(path), declared).map((what) => `${path}: ${what}`))).toEqual([])
  })

  it('are found by that, in code and in SQL, by whatever quote they have', () => {
    for (const line of ['put(`notes/x`)', "'notes/' || id", '"notes/x"', '`logs/x/tile/0`'])
      expect(spelled(line, ['notes/', 'logs/'])).toHaveLength(1)
    expect(spelled("import { NoteService } from './notes/service.ts'", ['notes/'])).toEqual([])
  })

  it('are never spelled in a call of a bucket', () => {
    const calls = /\b(?:bucket|blobs|tiles|BLOBS|TILES)\.(?:put|get|delete|createMultipartUpload)\(\s*['"`]/i
    expect(calls.test('await this.#bucket.put(`x`, bytes)')).toBe(true)
    expect(sources.filter((path) => calls.test(textOf(path)))).toEqual([])
  })
})
