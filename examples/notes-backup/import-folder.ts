import { readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative, sep } from 'node:path'
import type { Client } from '@svc/client'
import { hashOf } from '@svc/client/functions'
import { textOf } from '@svc/client/text'

/** In the folder that is imported: which note each file became, so that the next import writes its next version. */
const RECORD = '.notes-import.json'

type Imported = Record<string, { readonly noteId: string; readonly hash: string }>

export interface ImportSummary {
  readonly added: number
  readonly changed: number
  readonly unchanged: number
  /** Files that could not be imported, each with the reason. */
  readonly failed: readonly string[]
}

/**
 * Makes a note of each Markdown file: the first heading of level 1 is its title, or else the name of the file, and the
 * folders above it are its tags. Run it again to import what changed. Hidden files and links are left out, and a note
 * whose file is gone stays.
 */
export async function importFolder(client: Client, did: string, folder: string): Promise<ImportSummary> {
  const record = join(folder, RECORD)
  const all = JSON.parse(textOf(await readFile(record).catch(emptyIfMissing))) as Record<string, Imported>
  const imported: Imported = all[did] ?? {}
  all[did] = imported
  const count = { added: 0, changed: 0, unchanged: 0 }
  const failed: string[] = []
  for (const path of await markdownIn(folder)) {
    const bytes = await readFile(join(folder, path))
    const hash = await hashOf(bytes)
    const known = imported[path]
    if (known?.hash === hash) {
      count.unchanged += 1
      continue
    }
    try {
      // Throws for a file that is not in UTF-8 or UTF-16: a note of it would be damaged.
      const note = noteOf(path, textOf(bytes))
      const over = known && (await client.notes.get(known.noteId))
      const { noteId } = await client.notes.put(note, over)
      imported[path] = { noteId, hash }
      count[known ? 'changed' : 'added'] += 1
    } catch (error) {
      failed.push(`${path}: ${error instanceof Error ? error.message : String(error)}`)
      continue
    }
    // After each note: a crash repeats one note at most.
    await writeFile(`${record}.new`, `${JSON.stringify(all, null, 2)}\n`, { mode: 0o600, flush: true })
    await rename(`${record}.new`, record)
  }
  return { ...count, failed }
}

function emptyIfMissing(error: NodeJS.ErrnoException): Uint8Array {
  if (error.code === 'ENOENT') return new TextEncoder().encode('{}')
  throw error
}

function noteOf(path: string, text: string) {
  const heading = /^# +(.+?)\s*$/m.exec(text)?.[1]
  const above = dirname(path)
  return { title: heading ?? basename(path, '.md'), body: text, tags: above === '.' ? [] : above.split('/') }
}

async function markdownIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((path) => path.split('/').every((part) => !part.startsWith('.')))
    .toSorted()
}
