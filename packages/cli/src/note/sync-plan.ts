/**
 * What a synchronization of a folder with the notes does. Pure: the same folder and the same notes give the same plan.
 *
 * @module
 */
/** What the folder was like after the last synchronization. */
export interface Synced {
  readonly noteId: string
  readonly file: string
  readonly version: number
  /** SHA3-384 of the file. */
  readonly hash: string
}

/** An entry of the index of the notes. */
export interface Listed {
  readonly noteId: string
  readonly version: number
  readonly status: 'stored' | 'tombstoned'
}

export type Step =
  /** Write the newest version into the file. */
  | { readonly act: 'pull'; readonly noteId: string; readonly file: string }
  /** Write the file as the next version, or as a new note. */
  | { readonly act: 'push'; readonly noteId: string | null; readonly file: string; readonly isConcurrent: boolean }
  /** The note was deleted: remove the file. */
  | { readonly act: 'remove'; readonly noteId: string; readonly file: string }

/**
 * `files` are the hashes of the files by name. A file that was changed on both sides becomes the newest version, and the
 * other one stays in the history of the note. A file that was changed after its note was deleted becomes a new note. A
 * file that is gone is written again: `svc note delete` deletes.
 */
export function planOf(
  synced: readonly Synced[],
  listed: readonly Listed[],
  files: ReadonlyMap<string, string>,
): readonly Step[] {
  const before = new Map(synced.map((one) => [one.noteId, one]))
  const steps: Step[] = []
  for (const { noteId, version, status } of listed) {
    const known = before.get(noteId)
    const file = known?.file ?? `${noteId}.md`
    const hash = files.get(file)
    const isChanged = hash !== undefined && hash !== known?.hash
    if (status === 'tombstoned') {
      if (known && isChanged) steps.push({ act: 'push', noteId: null, file, isConcurrent: true })
      else if (known && hash !== undefined) steps.push({ act: 'remove', noteId, file })
    } else if (isChanged) {
      // Without a state, a file that is there may have changes that are nowhere else.
      steps.push({ act: 'push', noteId, file, isConcurrent: version !== known?.version })
    } else if (hash === undefined || version !== known?.version) {
      steps.push({ act: 'pull', noteId, file })
    }
  }
  const names = new Set([...synced, ...listed.map(({ noteId }) => ({ file: `${noteId}.md` }))].map(({ file }) => file))
  for (const file of files.keys())
    if (!names.has(file)) steps.push({ act: 'push', noteId: null, file, isConcurrent: false })
  return steps
}

/** A note as a file: the title is its first heading. */
export function fileOf({ title, body }: { readonly title: string; readonly body: string }): string {
  return title === '' ? body : `# ${title}\n\n${body}`
}

export function noteOf(file: string): { readonly title: string; readonly body: string } {
  const [, title, body] = /^# ([^\r\n]+)\r?\n(?:\r?\n)?([\s\S]*)$/.exec(file) ?? []
  return title === undefined ? { title: '', body: file } : { title, body: body ?? '' }
}
