/** The expected state of a vault after a run of operations, kept in memory as simply as possible. */
import { hashHex, toHex } from '@svc/protocol/base/hash'
import { merkleRoot } from '@svc/protocol/merkle/tree'
import type { BlobRef, NoteEntry } from '@svc/protocol/notes/api'
import { changeLeaf, type NoteChange } from '@svc/protocol/notes/log'
import { DAY_MS } from '../vault.fixture.ts'

/** The error that the model expects, or null on success. */
export type Refusal = 'not_found' | 'note_exists' | 'note_tombstoned' | 'attachment_exists' | 'storage_quota' | null

interface ModelNote {
  entry: NoteEntry
  versions: { readonly recordHash: string; readonly content: Uint8Array }[]
  readonly attachments: Map<string, Uint8Array>
}

export class ModelVault {
  readonly #quotaBytes: number
  readonly #notes = new Map<string, ModelNote>()
  readonly #blobs = new Map<string, { readonly bytes: number; unreferencedSince: number | null }>()
  readonly #log: NoteChange[] = []

  constructor(quotaBytes: number) {
    this.#quotaBytes = quotaBytes
  }

  append(noteId: string, isFirst: boolean, recordHash: string, content: Uint8Array, now: number): Refusal {
    const note = this.#notes.get(noteId)
    if (note?.versions.some((version) => version.recordHash === recordHash)) return null
    if (note?.entry.status === 'tombstoned') return 'note_tombstoned'
    if (isFirst && note) return 'note_exists'
    if (!(isFirst || note)) return 'not_found'
    if (!this.#fits(content)) return 'storage_quota'
    const version = (note?.entry.version ?? 0) + 1
    const [seq, bytes, attachments] = [this.#log.length, content.length, note?.entry.attachments ?? 0]
    const createdAt = note?.entry.createdAt ?? now
    const newest = { version, seq, recordHash, bytes }
    const entry = { noteId, status: 'stored' as const, ...newest, attachments, createdAt, updatedAt: now }
    const versions = [...(note?.versions ?? []), { recordHash, content }]
    this.#notes.set(noteId, { entry, versions, attachments: note?.attachments ?? new Map() })
    this.#log.push({ seq, noteId, kind: 'version', version, attachmentId: null, recordHash, acceptedAt: now })
    this.#refer(content)
    return null
  }

  attach(noteId: string, attachmentId: string, content: Uint8Array, isReuse: boolean, now: number): Refusal {
    const note = this.#notes.get(noteId)
    if (!note) return 'not_found'
    if (note.entry.status === 'tombstoned') return 'note_tombstoned'
    const there = note.attachments.get(attachmentId)
    if (there) return hashHex(there) === hashHex(content) ? null : 'attachment_exists'
    const recordHash = hashHex(content)
    if (isReuse && !this.#blobs.has(recordHash)) return 'not_found'
    if (!this.#fits(content)) return 'storage_quota'
    const seq = this.#log.length
    note.attachments.set(attachmentId, content)
    note.entry = { ...note.entry, seq, updatedAt: now, attachments: note.attachments.size }
    this.#log.push({ seq, noteId, kind: 'attachment', version: null, attachmentId, recordHash, acceptedAt: now })
    this.#refer(content)
    return null
  }

  erase(noteId: string, now: number): Refusal {
    const note = this.#notes.get(noteId)
    if (!note) return 'not_found'
    if (note.entry.status === 'tombstoned') return null
    const seq = this.#log.length
    note.versions = []
    note.attachments.clear()
    const nothing = { status: 'tombstoned' as const, recordHash: null, bytes: 0, attachments: 0 }
    note.entry = { ...note.entry, ...nothing, seq, updatedAt: now }
    const change = { seq, noteId, version: null, attachmentId: null, recordHash: null, acceptedAt: now }
    this.#log.push({ ...change, kind: 'tombstone' })
    for (const [hash, blob] of this.#blobs)
      if (this.#refs(hash) === 0 && blob.unreferencedSince === null) blob.unreferencedSince = now
    return null
  }

  collect(now: number): void {
    for (const [hash, { unreferencedSince }] of this.#blobs)
      if (unreferencedSince !== null && unreferencedSince + DAY_MS <= now) this.#blobs.delete(hash)
  }

  usage() {
    const bytes = [...this.#blobs.values()].reduce((sum, blob) => sum + blob.bytes, 0)
    return { bytes, objects: this.#blobs.size, refs: this.#contents().length }
  }

  blobs(): BlobRef[] {
    const blobs = [...this.#blobs].map(([cipherHash, blob]) => ({ cipherHash, ...blob, refs: this.#refs(cipherHash) }))
    return blobs.toSorted((a, b) => (a.cipherHash < b.cipherHash ? -1 : 1))
  }

  index(): NoteEntry[] {
    return [...this.#notes.values()].map(({ entry }) => entry).toSorted((a, b) => a.seq - b.seq)
  }

  /** Entries of the log, each with what an export adds to it. */
  log() {
    return this.#log.map((change) => {
      const note = this.#notes.get(change.noteId)
      const isErased = change.kind !== 'tombstone' && note?.entry.status === 'tombstoned'
      const version = note?.versions[(change.version ?? 0) - 1]?.content
      const content = version ?? note?.attachments.get(change.attachmentId ?? '')
      return { change, isErased, bytes: content?.length ?? null }
    })
  }

  root(): string {
    return toHex(merkleRoot(this.#log.map(changeLeaf)))
  }

  #contents(): Uint8Array[] {
    return [...this.#notes.values()].flatMap(({ versions, attachments }) => [
      ...versions.map(({ content }) => content),
      ...attachments.values(),
    ])
  }

  #refs(hash: string): number {
    return this.#contents().filter((content) => hashHex(content) === hash).length
  }

  #fits(content: Uint8Array): boolean {
    const more = this.#blobs.has(hashHex(content)) ? 0 : content.length
    return this.usage().bytes + more <= this.#quotaBytes
  }

  #refer(content: Uint8Array): void {
    this.#blobs.set(hashHex(content), { bytes: content.length, unreferencedSince: null })
  }
}
