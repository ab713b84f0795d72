import { SetupError } from '@svc/platform/workspace'
import { OPERATOR_ACT_TOLERANCE_MS } from '@svc/protocol/operator/dates'
import { AFTER_IMPORT, SKIPPED_NUMBERS } from './after-import.ts'
import { DatabaseCopy } from './database-copy.ts'
import { type Databases, OWN_TABLES, quoted, type Row } from './databases.ts'
import { type ExportPlace, fileKey, manifestKey, NEWEST_KEY } from './export-place.ts'
import { type ExportedDatabase, hashOf, type Manifest, readManifest } from './manifest.ts'
import { unseal } from './sealed-export.ts'

export interface DatabaseImport {
  readonly deployment: string
  readonly databases: Databases
  readonly place: ExportPlace
  /** The name of an export; the newest one without. */
  readonly from?: string | undefined
  /** What the export printed, to compare with what is in the place. */
  readonly manifestHash?: string | undefined
  /** The content of a key file of age. */
  readonly keyFile: string
  /** When the databases were lost or set back. Repeating an import with the same time changes nothing. */
  readonly lostAt: number
  /** Databases to import; all of the export without. */
  readonly only?: readonly string[] | undefined
  /** Discards what is in a database that is not empty. */
  readonly replaces: boolean
  readonly now: number
  readonly print: (line: string) => void
}

/** Created by the import where no migration has: which exports this database comes from. */
const RESTORES = `CREATE TABLE IF NOT EXISTS restores (
  restored_at INTEGER PRIMARY KEY,
  export TEXT NOT NULL,
  lost_at INTEGER NOT NULL,
  signed_from INTEGER NOT NULL
) STRICT`

/**
 * Reads all of an export, then fills databases from it, each in one step, and compares them with the manifest. Can be run
 * again after a failure.
 * Returns whether each of them is there now.
 */
export async function importDatabases(request: DatabaseImport): Promise<boolean> {
  const { databases, print, only } = request
  const { at, manifest, hash } = await manifestOf(request)
  const unknown = (only ?? []).find((name) => !manifest.databases.some((one) => one.name === name))
  if (unknown !== undefined) throw new SetupError(`The export has no database ${unknown}.`)
  const wanted = manifest.databases.filter(({ name }) => !only || only.includes(name))
  const foreign = wanted.find(({ name }) => !databases.names.includes(name))
  if (foreign) throw new SetupError(`No Worker has the database ${foreign.name} of the export.`)
  // All of them, before any is replaced.
  for (const exported of wanted) (await opened(request, exported, at)).close()
  let isComplete = true
  for (const exported of wanted) {
    const { name } = exported
    const standing = await standingOf(databases, name, { hash, lostAt: request.lostAt })
    if (standing.isImported) print(`${name}: was imported already`)
    else if (standing.tables.length > 0 && !request.replaces) {
      isComplete = false
      print(`${name}: is not empty, and stays as it is; --replace discards what is in it`)
    } else await importOne(request, exported, { at, hash, ...standing })
  }
  return isComplete
}

async function manifestOf({ place, from, manifestHash, deployment, lostAt, now, print }: DatabaseImport) {
  if (lostAt > now) throw new SetupError('The time of the loss is in the future.')
  const at = from ?? textOf(await place.read(NEWEST_KEY))
  if (at === null) throw new SetupError(`There is no export in ${place.name}.`)
  const text = textOf(await place.read(manifestKey(at)))
  if (text === null) throw new SetupError(`The export ${at} in ${place.name} has no manifest: it is not complete.`)
  const [manifest, hash] = [readManifest(text), hashOf(text)]
  if (manifestHash !== undefined && manifestHash !== hash)
    throw new SetupError(`The manifest of ${at} is ${hash}, not the one that the export printed.`)
  requireFit(manifest, { deployment, lostAt })
  print(`export ${at} in ${place.name}, manifest ${hash}`)
  return { at, manifest, hash }
}

function requireFit(
  { deployment, exportedAt }: Manifest,
  wanted: { readonly deployment: string; readonly lostAt: number },
): void {
  if (deployment !== wanted.deployment)
    throw new SetupError(`The export is of ${deployment}, not of ${wanted.deployment}.`)
  if (Date.parse(exportedAt) > wanted.lostAt)
    throw new SetupError(`The export was made at ${exportedAt}, after the loss: name an earlier one with --from.`)
}

interface Standing {
  /** Those that are there, the newest first. */
  readonly tables: readonly string[]
  readonly views: readonly string[]
  readonly isImported: boolean
}

async function standingOf(
  databases: Databases,
  name: string,
  { hash, lostAt }: { readonly hash: string; readonly lostAt: number },
): Promise<Standing> {
  const named = (rows: readonly Row[]) => rows.map((row) => String(row['name']))
  const tables = named(
    await databases.query(name, `SELECT name FROM sqlite_schema WHERE ${OWN_TABLES} ORDER BY rowid DESC`),
  )
  const views = named(await databases.query(name, `SELECT name FROM sqlite_schema WHERE type = 'view'`))
  const restores = tables.includes('restores')
    ? await databases.query(name, 'SELECT export, lost_at FROM restores ORDER BY restored_at DESC LIMIT 1')
    : []
  const [newest] = restores
  return { tables, views, isImported: newest?.['export'] === hash && Number(newest['lost_at']) === lostAt }
}

/** A database of the export, read, decrypted and compared with the manifest. */
async function opened(
  { place, keyFile }: DatabaseImport,
  { name, fileHash, sqlHash, rows }: ExportedDatabase,
  at: string,
): Promise<DatabaseCopy> {
  const sealed = await place.read(fileKey(at, name))
  if (sealed === null || hashOf(sealed) !== fileHash)
    throw new SetupError(`The file of ${name} is not the one that the manifest names.`)
  const sql = await unseal(sealed, keyFile)
  if (hashOf(sql) !== sqlHash) throw new SetupError(`${name} is not what the manifest names.`)
  const copy = DatabaseCopy.replay(name, sql)
  try {
    requireRows(name, rows, copy.counts())
    return copy
  } catch (error) {
    copy.close()
    throw error
  }
}

async function importOne(
  request: DatabaseImport,
  exported: ExportedDatabase,
  { at, hash, tables, views }: Standing & { readonly at: string; readonly hash: string },
): Promise<void> {
  const { name } = exported
  const { databases, lostAt, now, print } = request
  const copy = await opened(request, exported, at)
  try {
    // A database that was in use accepted acts until it is replaced.
    const stoppedAt = tables.length > 0 ? now : lostAt
    const signedFrom = stoppedAt + OPERATOR_ACT_TOLERANCE_MS
    makeSafe(copy, name, `(${now}, '${hash}', ${lostAt}, ${signedFrom})`)
    const drops = [
      ...views.map((view) => `DROP VIEW ${quoted(view)}`),
      ...tables.map((table) => `DROP TABLE ${quoted(table)}`),
    ]
    await databases.run(name, [...drops, ...copy.statements()])
    requireRows(name, copy.counts(), await rowsOf(databases, name, Object.keys(copy.counts())))
  } finally {
    copy.close()
  }
  const sum = Object.values(exported.rows).reduce((all, one) => all + one, 0)
  print(`${name}: ${sum} rows imported`)
  for (const todo of AFTER_IMPORT[name]?.todo ?? []) print(`  ${todo}`)
}

function makeSafe(copy: DatabaseCopy, name: string, restore: string): void {
  for (const table of copy.counted()) copy.skipNumbers(table, SKIPPED_NUMBERS)
  // Of a database that was never deployed to, nothing comes back.
  if (copy.migrations().length > 0) for (const sql of AFTER_IMPORT[name]?.sql ?? []) copy.execute(sql)
  copy.execute(RESTORES)
  copy.execute(`INSERT INTO restores (restored_at, export, lost_at, signed_from) VALUES ${restore}`)
}

async function rowsOf(databases: Databases, name: string, tables: readonly string[]): Promise<Record<string, number>> {
  const found: Record<string, number> = {}
  for (const table of tables) {
    const [row] = await databases.query(name, `SELECT count(*) AS n FROM ${quoted(table)}`)
    found[table] = Number(row?.['n'])
  }
  return found
}

function requireRows(
  name: string,
  wanted: Readonly<Record<string, number>>,
  found: Readonly<Record<string, number>>,
): void {
  const other = Object.entries(wanted).find(([table, rows]) => found[table] !== rows)
  if (!other && Object.keys(found).length === Object.keys(wanted).length) return
  const [table = 'a table', rows] = other ?? []
  throw new SetupError(`${name}: ${table} has ${found[table] ?? 'no'} rows, and should have ${rows ?? 'none'}.`)
}

function textOf(bytes: Uint8Array | null): string | null {
  return bytes && new TextDecoder().decode(bytes)
}
