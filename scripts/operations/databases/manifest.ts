import { createHash } from 'node:crypto'
import { SetupError } from '@svc/platform/workspace'
import * as z from 'zod'

const hashSchema = z.string().regex(/^[0-9a-f]{64}$/)

/** What an export has: written last, so that an export without one is not complete. */
const manifestSchema = z.strictObject({
  format: z.literal('svc/database-export/v1'),
  /** The environment, or `local`. */
  deployment: z.string(),
  exportedAt: z.iso.datetime(),
  databases: z.array(
    z.strictObject({
      name: z.string(),
      /** Of the encrypted file. */
      fileHash: hashSchema,
      /** Of the SQL in it. */
      sqlHash: hashSchema,
      /** The migrations that the database has, in order. */
      migrations: z.array(z.string()),
      /** The rows of each table. */
      rows: z.record(z.string(), z.int()),
    }),
  ),
})

export type Manifest = z.infer<typeof manifestSchema>
export type ExportedDatabase = Manifest['databases'][number]

/** SHA-256, in hex. */
export function hashOf(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex')
}

export function manifestText(manifest: Manifest): string {
  return `${JSON.stringify(manifest, null, 2)}\n`
}

export function readManifest(text: string): Manifest {
  const parsed = manifestSchema.safeParse(jsonOf(text))
  if (!parsed.success) throw new SetupError('The manifest is not that of an export of databases.')
  return parsed.data
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
