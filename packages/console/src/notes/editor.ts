/**
 * What happens to a note's text while a person types, in whatever order typing, saving and leaving come. Text is given up
 * only once it is saved, or by `discard`.
 *
 * @module
 */
import type { Note, WrittenNote } from '@svc/client'

/** As it stands in the fields. */
export interface Typed {
  readonly title: string
  readonly body: string
  readonly tags: string
}

/** What is kept of a note until it is saved. */
export interface NoteDraft {
  readonly typed: Typed
  /** The version that was changed; 0 for a new note. */
  readonly version: number
}

export type NoteText = Pick<Note, 'title' | 'body' | 'tags'>

export interface NoteEditorPorts {
  /** Writes the next version; rejects if it could not be written. */
  readonly write: (text: NoteText, over: Note | null) => Promise<WrittenNote>
  /** Keeps what is not saved yet; null once there is nothing. `of` is null for a new note. */
  readonly keep: (of: string | null, draft: NoteDraft | null) => void
  /** Something is different now. */
  readonly onChange: () => void
}

const FIELDS = ['title', 'body', 'tags'] as const

export class NoteEditor {
  readonly #ports: NoteEditorPorts
  #base: Note | null
  #typed: Typed
  #saving: Promise<WrittenNote> | null = null

  constructor(base: Note | null, draft: NoteDraft | null, ports: NoteEditorPorts) {
    this.#base = base
    this.#typed = draft?.typed ?? typedOf(base)
    this.#ports = ports
  }

  /** The newest version that this page knows; the next one follows it. */
  get base(): Note | null {
    return this.#base
  }

  get typed(): Typed {
    return this.#typed
  }

  get isChanged(): boolean {
    return differ(this.#typed, typedOf(this.#base))
  }

  type(fields: Partial<Typed>): void {
    this.#typed = { ...this.#typed, ...fields }
    this.#keep()
  }

  /** Saves until what is saved is what stands in the fields: what is typed meanwhile is saved too. */
  save(): Promise<WrittenNote> {
    this.#saving ??= this.#saveAll().finally(() => {
      this.#saving = null
    })
    return this.#saving
  }

  /** The note has another version, by something else than its text: fields that were not changed follow it. */
  follow(next: Note): void {
    const before = typedOf(this.#base)
    this.#base = next
    this.#typed = merged(this.#typed, before, typedOf(next))
    this.#keep()
  }

  /** Gives up what is not saved. */
  discard(): void {
    this.#typed = typedOf(this.#base)
    this.#keep()
  }

  async #saveAll(): Promise<WrittenNote> {
    let isConcurrent = false
    for (;;) {
      const sent = this.#typed
      const isNew = this.#base === null
      const next = await this.#ports.write(textOf(sent), this.#base)
      isConcurrent ||= next.isConcurrent
      this.#base = next
      this.#typed = merged(this.#typed, sent, typedOf(next))
      // What was kept of a note without an id goes on under its id.
      if (isNew) this.#ports.keep(null, null)
      this.#keep()
      if (!this.isChanged) return { ...next, isConcurrent }
    }
  }

  #keep(): void {
    const draft = this.isChanged ? { typed: this.#typed, version: this.#base?.version ?? 0 } : null
    this.#ports.keep(this.#base?.noteId ?? null, draft)
    this.#ports.onChange()
  }
}

export function typedOf(note: NoteText | null): Typed {
  return { title: note?.title ?? '', body: note?.body ?? '', tags: note?.tags.join(', ') ?? '' }
}

function textOf({ title, body, tags }: Typed): NoteText {
  const listed = tags.split(',').map((tag) => tag.trim())
  return { title: title.trim(), body, tags: [...new Set(listed)].filter((tag) => tag !== '') }
}

/** What was typed since `before`, and otherwise what is stored. */
function merged(now: Typed, before: Typed, stored: Typed): Typed {
  const of = (field: (typeof FIELDS)[number]) => (now[field] === before[field] ? stored[field] : now[field])
  return { title: of('title'), body: of('body'), tags: of('tags') }
}

function differ(a: Typed, b: Typed): boolean {
  return FIELDS.some((field) => a[field] !== b[field])
}
