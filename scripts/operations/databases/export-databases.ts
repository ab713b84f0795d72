import { SetupError } from '@svc/platform/workspace'
import { DatabaseCopy } from './database-copy.ts'
import type { Databases } from './databases.ts'
import { type ExportPlace, exportName, fileKey, manifestKey, NEWEST_KEY } from './export-place.ts'
import { type ExportedDatabase, hashOf, manifestText } from './manifest.ts'
import { seal } from './sealed-export.ts'

export interface DatabaseExport {
  /** The environment, or `local`. */
  readonly deployment: string
  readonly databases: Databases
  /** Public keys of age. */
  readonly recipients: readonly string[]
  readonly place: ExportPlace
  readonly now: number
  readonly print: (line: string) => void
}

/**
 * Exports every database, encrypted, with a manifest that is written last. Each is replayed before it is written, so that
 * an export that cannot be imported fails now and not when it is needed. Returns the name of the export and the hash of its
 * manifest.
 */
export async function exportDatabases(request: DatabaseExport): Promise<{ at: string; manifestHash: string }> {
  const { deployment, databases, recipients, place, now, print } = request
  if (recipients.length === 0)
    throw new SetupError(
      `No key to encrypt exports for: make one with scripts/operate new-export-key FILE, and put its recipient into ` +
        `exportRecipients of deployments/${deployment}.json.`,
    )
  const at = exportName(now)
  const exported: ExportedDatabase[] = []
  for (const name of databases.names) {
    const sql = await databases.export(name)
    const { migrations, rows } = replayed(name, sql)
    const sealed = await seal(sql, recipients)
    await place.write(fileKey(at, name), sealed)
    exported.push({ name, fileHash: hashOf(sealed), sqlHash: hashOf(sql), migrations, rows })
    const sum = Object.values(rows).reduce((all, one) => all + one, 0)
    print(`${name}: ${sum} rows, ${sealed.length} bytes`)
  }
  const exportedAt = new Date(now).toISOString()
  const text = manifestText({ format: 'svc/database-export/v1', deployment, exportedAt, databases: exported })
  await place.write(manifestKey(at), new TextEncoder().encode(text))
  await place.write(NEWEST_KEY, new TextEncoder().encode(at))
  const manifestHash = hashOf(text)
  print(`export ${at} in ${place.name}, manifest ${manifestHash}`)
  return { at, manifestHash }
}

function replayed(name: string, sql: string) {
  const copy = DatabaseCopy.replay(name, sql)
  try {
    // Throws for a row that D1 would not take back.
    copy.statements()
    return { migrations: copy.migrations(), rows: copy.counts() }
  } finally {
    copy.close()
  }
}
