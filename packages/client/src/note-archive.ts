import { hashHex } from '@svc/protocol/hash'
import type { VersionSummary } from '@svc/protocol/note-api'
import {
  type ExportedChange,
  ExportVerifier,
  type NoteExport,
  noteExportSchema,
  verifyReceipt,
} from '@svc/protocol/note-log'
import type { Note } from './note-record.ts'
import type { Notes } from './notes.ts'
import { ServiceError } from './service-error.ts'
import type { Transport } from './transport.ts'

/** A piece of an export, in order: a page of the log with its notes, then the attachments that it names. */
export type ArchivedItem =
  | { readonly kind: 'page'; readonly page: NoteExport }
  | { readonly kind: 'attachment'; readonly cipherHash: string; readonly sealed: Uint8Array }

export interface RestoreSummary {
  /** Versions that were sent. */
  readonly restored: number
  /** Versions that the vault had already. */
  readonly present: number
  /** Notes that had been written to on both sides: what is current there stays current, and nothing is lost. */
  readonly merged: readonly string[]
}

/** Taking a vault along, and putting it back. */
export class NoteArchive {
  readonly #transport: Transport
  readonly #url: string
  readonly #notes: Notes

  constructor(transport: Transport, url: string, notes: Notes) {
    this.#transport = transport
    this.#url = url
    this.#notes = notes
  }

  /**
   * The whole vault as it is now, verified piece by piece: every record against its leaf and its signature, and at the
   * end all leaves against the root that the service has signed. Throws when something is missing that no tombstone
   * explains; a note that is deleted while the export runs is such a thing, and the export is to be begun again.
   */
  async *export(): AsyncGenerator<ArchivedItem, void> {
    const verifier = new ExportVerifier()
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: NoteExport = await this.#page(cursor)
      await this.#check(verifier, page)
      yield { kind: 'page', page }
      for (const entry of page.entries) {
        if (entry.kind !== 'attachment' || entry.isErased) continue
        const { noteId, attachmentId, recordHash } = entry
        const sealed = await this.#notes.ciphertext(noteId, attachmentId ?? '')
        if (hashHex(sealed) !== recordHash) throw new Error('an attachment is not what the log says')
        yield { kind: 'attachment', cipherHash: recordHash, sealed }
      }
      cursor = page.cursor
    }
    end(verifier)
  }

  /**
   * Puts a vault back, here or at another deployment where the identity exists. What is there already is left as it is,
   * so it may be begun again after a crash; what was written there meanwhile stays what it is. Versions of this very key
   * are sent as they are, those of earlier keys and devices under this key.
   */
  async restore(items: AsyncIterable<ArchivedItem> | Iterable<ArchivedItem>): Promise<RestoreSummary> {
    const verifier = new ExportVerifier()
    const restoring = new Restoring(this.#notes)
    const waiting = new Map<string, { noteId: string; attachmentId: string }[]>()
    for await (const item of items) {
      if (item.kind === 'attachment') {
        for (const { noteId, attachmentId } of waiting.get(item.cipherHash) ?? [])
          await this.#notes.putCiphertext(noteId, attachmentId, item.sealed)
        waiting.delete(item.cipherHash)
        continue
      }
      await this.#check(verifier, item.page)
      for (const entry of item.page.entries) {
        const { kind, isErased, noteId, attachmentId, recordHash } = entry
        if (isErased || kind === 'tombstone' || recordHash === null) continue
        if (kind === 'version') await restoring.version(entry)
        else waiting.set(recordHash, [...(waiting.get(recordHash) ?? []), { noteId, attachmentId: attachmentId ?? '' }])
      }
    }
    end(verifier)
    if (waiting.size > 0) throw new Error('the archive lacks attachments that it names')
    return restoring.finish()
  }

  #page(cursor: string): Promise<NoteExport> {
    const url = `${this.#url}/export${cursor === '' ? '' : `?cursor=${cursor}`}`
    return this.#transport.data({ method: 'GET', url, audience: 'notes' }, noteExportSchema)
  }

  async #check(verifier: ExportVerifier, page: NoteExport): Promise<void> {
    const fault = verifier.next(page)
    if (fault) throw new Error(`the export does not hold: ${fault.reason} at ${fault.seq}`)
    if (!(await verifyReceipt(page.manifest, page.manifest.publicKeyB64u)))
      throw new Error('the manifest is not signed')
    for (const { record } of page.entries) if (record) await this.#notes.check(record)
  }
}

function end(verifier: ExportVerifier): void {
  const fault = verifier.end()
  if (fault) throw new Error(`the export is not whole: ${fault.reason} at ${fault.seq}`)
}

/** What a vault that is written to has of a note that is put back. */
interface Target {
  /** As they were when the note was first looked at. */
  readonly versions: readonly VersionSummary[]
  /** How many of them the archive begins with. */
  matched: number
  /** What a version that is sent follows. */
  base: Note | null
  isMerged: boolean
}

class Restoring {
  readonly #notes: Notes
  readonly #targets = new Map<string, Target>()
  #restored = 0
  #present = 0

  constructor(notes: Notes) {
    this.#notes = notes
  }

  async version(entry: ExportedChange): Promise<void> {
    const { noteId, recordHash, record, ciphertextB64u } = entry
    if (!record || recordHash === null || ciphertextB64u === null) return
    const target = this.#targets.get(noteId) ?? (await this.#look(noteId))
    const there = target.versions[target.matched]
    if (there && (await this.#isSame(noteId, there, recordHash))) {
      target.matched += 1
      this.#present += 1
      return
    }
    target.isMerged = target.matched < target.versions.length
    const isFirst = target.versions.length === 0 && target.base === null
    if (this.#notes.isOurs(record) && isFirst === (record.statement.header.operation === 'create')) {
      const appended = await this.#notes.send({ ...record, ciphertextB64u })
      target.base = await this.#notes.open({ ...appended, ...record, ciphertextB64u })
    } else {
      const stored = { noteId, version: entry.version ?? 1, seq: entry.seq, recordHash, acceptedAt: entry.acceptedAt }
      const note = await this.#notes.open({ ...stored, ...record, ciphertextB64u })
      const base = target.base ?? (isFirst ? null : await this.#notes.get(noteId))
      target.base = await this.#notes.rewrite(note, base, recordHash)
    }
    this.#restored += 1
  }

  /** Where both sides had gone on, what was current in the vault becomes current again. */
  async finish(): Promise<RestoreSummary> {
    const merged: string[] = []
    for (const [noteId, { versions, base, isMerged }] of this.#targets) {
      const last = versions.at(-1)
      if (!isMerged || !last || !base) continue
      await this.#notes.rewrite(await this.#notes.get(noteId, last.version), base, last.recordHash)
      merged.push(noteId)
    }
    return { restored: this.#restored, present: this.#present, merged }
  }

  async #look(noteId: string): Promise<Target> {
    const versions = await this.#notes.history(noteId).catch((error: unknown) => {
      if (error instanceof ServiceError && error.status === 404) return []
      throw error
    })
    const target: Target = { versions, matched: 0, base: null, isMerged: false }
    this.#targets.set(noteId, target)
    return target
  }

  /** Whether a version of the vault is the one of the archive, as it was or sent under another key. */
  async #isSame(noteId: string, there: VersionSummary, recordHash: string): Promise<boolean> {
    if (there.recordHash === recordHash) return true
    return (await this.#notes.originOf(noteId, there.version)) === recordHash
  }
}
