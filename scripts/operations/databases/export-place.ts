import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The part of Cloudflare's API that reads and writes objects. */
interface Objects {
  readObject(bucket: string, key: string): Promise<Uint8Array | null>
  writeObject(bucket: string, key: string, bytes: Uint8Array): Promise<void>
}

/** Where exports are kept. */
export interface ExportPlace {
  /** For messages. */
  readonly name: string
  read(key: string): Promise<Uint8Array | null>
  write(key: string, bytes: Uint8Array): Promise<void>
}

/** No Worker binds it, so none can read, replace or delete an export. */
export const EXPORT_BUCKET = 'svc-exports'
/** Locked: neither the token of the workflow nor anybody else can change an export that is there. */
export const EXPORT_PREFIX = 'databases/'
/** The name of the newest export, outside of what is locked. */
export const NEWEST_KEY = 'newest-databases'

export const fileKey = (at: string, database: string) => `${EXPORT_PREFIX}${at}/${database}.sql.gz.age`
export const manifestKey = (at: string) => `${EXPORT_PREFIX}${at}/manifest.json`

/** The name of an export: `2027-03-01T10-00-00Z`. */
export function exportName(now: number): string {
  return new Date(now).toISOString().replace(/\.\d+/, '').replaceAll(':', '-')
}

export function bucketPlace(api: Objects, suffix: string): ExportPlace {
  const bucket = EXPORT_BUCKET + suffix
  return {
    name: `the bucket ${bucket}`,
    read: (key) => api.readObject(bucket, key),
    write: (key, bytes) => api.writeObject(bucket, key, bytes),
  }
}

export function folderPlace(folder: string): ExportPlace {
  const pathOf = (key: string) => join(folder, key)
  return {
    name: folder,
    read: (key) => {
      const path = pathOf(key)
      return Promise.resolve(statSync(path, { throwIfNoEntry: false }) ? new Uint8Array(readFileSync(path)) : null)
    },
    write: (key, bytes) => {
      const path = pathOf(key)
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      writeFileSync(path, bytes)
      return Promise.resolve()
    },
  }
}
