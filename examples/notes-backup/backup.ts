import { createReadStream } from 'node:fs'
import { mkdir, open, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { ArchivedItem, Client, RestoreSummary } from '@svc/client'
import { hashOf } from '@svc/client/functions'
import { textOf } from '@svc/client/text'

const FORMAT = 'notes-backup/v1'
const LOG = 'log.jsonl'
const NAME_OF_HASH = /^[0-9a-f]{96}$/

/** `index.json` of a backup. It is written last, so a backup that has one is complete. */
export interface BackupIndex {
  readonly format: typeof FORMAT
  readonly did: string
  readonly createdAt: string
  /** What the service signed about the size and the root of the vault's log. */
  readonly manifest: unknown
  /** SHA3-384 of every file, by its path in the backup. */
  readonly files: Readonly<Record<string, string>>
}

/** A fault of a backup, in words for its owner. */
export class BackupError extends Error {
  override readonly name = 'BackupError'
}

/**
 * Writes the whole vault to a new folder: the log with its encrypted notes, each attachment as a file, and the manifest.
 * The SDK verifies every piece, and throws at the end if something is missing. Until then the folder ends in `.partial`.
 */
export async function backUp(client: Client, did: string, folder: string, createdAt: Date): Promise<BackupIndex> {
  if (await exists(folder)) throw new BackupError(`${folder} exists: name a new folder for each backup`)
  const partial = `${folder}.partial`
  if (await exists(partial)) throw new BackupError(`${partial} is left from a backup that failed: delete it`)
  await mkdir(join(partial, 'attachments'), { recursive: true, mode: 0o700 })
  const files: Record<string, string> = {}
  let manifest: unknown = null
  const log = await open(join(partial, LOG), 'wx', 0o600)
  try {
    for await (const item of client.notes.export()) {
      if (item.kind === 'attachment') {
        const path = `attachments/${item.cipherHash}`
        await writeFile(join(partial, path), item.sealed, { mode: 0o600, flush: true })
        files[path] = item.cipherHash
        await log.write(`${JSON.stringify({ kind: item.kind, cipherHash: item.cipherHash })}\n`)
      } else {
        if (item.kind === 'page') manifest ??= item.page.manifest
        await log.write(`${JSON.stringify(item)}\n`)
      }
    }
    await log.sync()
  } finally {
    await log.close()
  }
  files[LOG] = await hashOf(await readFile(join(partial, LOG)))
  const index: BackupIndex = { format: FORMAT, did, createdAt: createdAt.toISOString(), manifest, files }
  await writeFile(join(partial, 'index.json'), `${JSON.stringify(index, null, 2)}\n`, { mode: 0o600, flush: true })
  await rename(partial, folder)
  return index
}

/** Whether every file is as it was written. `restore` also verifies the notes, against the log and the keys. */
export async function verifyBackup(folder: string): Promise<BackupIndex> {
  const bytes = await readFile(join(folder, 'index.json')).catch(() => {
    throw new BackupError(`${folder} is not a complete backup: it has no index.json`)
  })
  const index = JSON.parse(textOf(bytes)) as BackupIndex
  const isOurs: boolean = index.format === FORMAT
  if (!isOurs) throw new BackupError(`${folder} has another format than ${FORMAT}`)
  for (const [path, hash] of Object.entries(index.files)) {
    const held = await readFile(join(folder, safePath(path))).catch(() => null)
    if (held === null) throw new BackupError(`${path} is missing: use another backup`)
    if ((await hashOf(held)) !== hash) throw new BackupError(`${path} was changed: use another backup`)
  }
  return index
}

/** Sends what the vault lacks, from a backup whose files are verified. You can start it again. */
export async function restoreBackup(client: Client, folder: string): Promise<RestoreSummary> {
  return client.notes.restore(itemsOf(folder))
}

async function* itemsOf(folder: string): AsyncGenerator<ArchivedItem, void> {
  for await (const line of createInterface({ input: createReadStream(join(folder, LOG)) })) {
    const item = JSON.parse(line) as Exclude<ArchivedItem, { kind: 'attachment' }> | Omit<Attachment, 'sealed'>
    if (item.kind === 'attachment') {
      const sealed = await readFile(join(folder, safePath(`attachments/${item.cipherHash}`)))
      yield { ...item, sealed: new Uint8Array(sealed) }
    } else yield item
  }
}

type Attachment = Extract<ArchivedItem, { kind: 'attachment' }>

/** A backup from elsewhere must not name files outside its folder. */
function safePath(path: string): string {
  const [folder, name = ''] = path.split('/')
  if (path === LOG || (folder === 'attachments' && path === `attachments/${name}` && NAME_OF_HASH.test(name)))
    return path
  throw new BackupError(`${path} is not a file of a backup`)
}

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  )
