import { hashHex } from '@svc/protocol/hash'
import type { AttestDevice } from '@svc/protocol/inception'
import type { VersionSummary } from '@svc/protocol/note-api'
import { type ExportedChange, ExportVerifier, type NoteExport, noteExportSchema } from '@svc/protocol/note-log'
import type { Note } from './note-record.ts'
import type { Notes } from './notes.ts'
import { ServiceError } from './service-error.ts'
import type { Transport } from './transport.ts'

/**
 * A piece of an export, in order: the devices that may have written, then each page of the log with its notes, followed
 * by the attachments that it names.
 */
export type ArchivedItem =
  | { readonly kind: 'devices'; readonly attestations: readonly AttestDevice[] }
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

export interface RestoreOptions {
  /** Also sends versions again whose ciphertext the service has lost: one probe for each that is there. */
  readonly repair?: boolean
}

/** Taking a vault along, and putting it back. */
export class NoteArchive {
  readonly #transport: Transport
  readonly #url: () => string
  readonly #owner: { readonly did: string }
  readonly #notes: Notes

  constructor(transport: Transport, url: () => string, owner: { readonly did: string }, notes: Notes) {
    this.#transport = transport
    this.#url = url
    this.#owner = owner
    this.#notes = notes
  }

  /**
   * The whole vault as it is now, verified piece by piece: every record against its leaf and its signature, and at the
   * end all leaves against the root that the service has signed. Throws when something is missing that no tombstone
   * explains; a note that is deleted while the export runs is such a thing, and the export is to be begun again.
   */
  async *export(): AsyncGenerator<ArchivedItem, void> {
    const verifier = new ExportVerifier()
    const attestations = await this.#notes.attestations()
    if (attestations.length > 0) yield { kind: 'devices', attestations }
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: NoteExport = await this.#page(cursor)
      await this.#check(verifier, page)
      if (page.entries.length === 0 && page.cursor !== null) throw new Error('the export does not go on')
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
   * so it may be begun again after a crash; what was written or deleted there meanwhile stays what it is. Versions of
   * this very key are sent as they are, those of earlier keys and devices under this key.
   */
  async restore(
    items: AsyncIterable<ArchivedItem> | Iterable<ArchivedItem>,
    { repair = false }: RestoreOptions = {},
  ): Promise<RestoreSummary> {
    const verifier = new ExportVerifier()
    const restoring = new Restoring(this.#notes, repair)
    const waiting = new Map<string, { noteId: string; attachmentId: string }[]>()
    for await (const item of items) {
      if (item.kind === 'devices') {
        await this.#notes.learn(item.attestations)
        continue
      }
      if (item.kind === 'attachment') {
        if (hashHex(item.sealed) !== item.cipherHash) throw new Error('an attachment is not what the log says')
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
        else if (!restoring.isDeleted(noteId))
          waiting.set(recordHash, [...(waiting.get(recordHash) ?? []), { noteId, attachmentId: attachmentId ?? '' }])
      }
    }
    end(verifier)
    if (waiting.size > 0) throw new Error('the archive lacks attachments that it names')
    return restoring.finish()
  }

  #page(cursor: string): Promise<NoteExport> {
    const url = `${this.#url()}/export${cursor === '' ? '' : `?cursor=${cursor}`}`
    return this.#transport.data({ method: 'GET', url, audience: 'notes' }, noteExportSchema)
  }

  async #check(verifier: ExportVerifier, page: NoteExport): Promise<void> {
    if (page.manifest.statement.did !== this.#owner.did) throw new Error('the export is of another identity')
    const fault = verifier.next(page)
    if (fault) throw new Error(`the export does not hold: ${fault.reason} at ${fault.seq}`)
    if (!(await this.#notes.isReceipt(page.manifest))) throw new Error('the manifest is not signed')
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
  /** What the archive has of it, by `recordHash`. */
  readonly archived: Set<string>
  /** The newest version that was sent: what the next one follows. */
  base: Note | null
  isDeleted: boolean
}

class Restoring {
  readonly #notes: Notes
  readonly #targets = new Map<string, Target>()
  /** What versions of the vault were restored from, by their `recordHash`, as far as it was asked for. */
  readonly #origins = new Map<string, string | null>()
  readonly #repairs: boolean
  #restored = 0
  #present = 0

  constructor(notes: Notes, repairs: boolean) {
    this.#notes = notes
    this.#repairs = repairs
  }

  /** Whether the vault has deleted a note that the archive has: it stays deleted. */
  isDeleted(noteId: string): boolean {
    return this.#targets.get(noteId)?.isDeleted ?? false
  }

  async version(entry: ExportedChange): Promise<void> {
    const { noteId, recordHash } = entry
    if (recordHash === null) return
    const target = this.#targets.get(noteId) ?? (await this.#look(noteId))
    target.archived.add(recordHash)
    if (target.isDeleted) return
    if (await this.#isPresent(noteId, target, recordHash)) {
      if (this.#repairs) await this.#repair(entry)
      this.#present += 1
      return
    }
    try {
      await this.#put(target, entry)
      this.#restored += 1
    } catch (error) {
      if (!(error instanceof ServiceError) || error.error !== 'note_tombstoned') throw error
      target.isDeleted = true
    }
  }

  /** The same statement again brings its ciphertext back; one that was rewritten under this key has another. */
  async #repair({ record, ciphertextB64u }: ExportedChange): Promise<void> {
    if (!record || ciphertextB64u === null || !this.#notes.isOurs(record)) return
    if (!(await this.#notes.has(record.statement.cipherHash))) await this.#notes.send({ ...record, ciphertextB64u })
  }

  async #put(target: Target, entry: ExportedChange): Promise<void> {
    const { noteId, recordHash, record, ciphertextB64u } = entry
    if (!record || recordHash === null || ciphertextB64u === null) return
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
  }

  /** Where both sides had gone on, what was current in the vault becomes current again. */
  async finish(): Promise<RestoreSummary> {
    const merged: string[] = []
    for (const [noteId, target] of this.#targets) {
      const current = target.isDeleted ? undefined : await this.#supersededBy(noteId, target)
      if (!current) continue
      const base = target.base ?? (await this.#notes.get(noteId))
      await this.#notes.rewrite(await this.#notes.get(noteId, current.version), base, current.recordHash)
      merged.push(noteId)
    }
    return { restored: this.#restored, present: this.#present, merged }
  }

  /** The newest version that the vault has and the archive has not, when one of the archive came after it. */
  async #supersededBy(noteId: string, target: Target): Promise<VersionSummary | undefined> {
    for (const [i, there] of target.versions.toReversed().entries()) {
      if (await this.#isArchived(noteId, target, there)) continue
      return i > 0 || target.base ? there : undefined
    }
    return undefined
  }

  async #isPresent(noteId: string, { versions, archived }: Target, recordHash: string): Promise<boolean> {
    if (versions.some((there) => there.recordHash === recordHash)) return true
    const rewritten = versions.filter((there) => !archived.has(there.recordHash))
    for (const there of rewritten) if ((await this.#origin(noteId, there)) === recordHash) return true
    return false
  }

  /** A copy of a version of this very vault is no restored one: it says what is to be current. */
  async #isArchived(noteId: string, { versions, archived }: Target, there: VersionSummary): Promise<boolean> {
    if (archived.has(there.recordHash)) return true
    const origin = await this.#origin(noteId, there)
    return origin !== null && archived.has(origin) && !versions.some(({ recordHash }) => recordHash === origin)
  }

  async #look(noteId: string): Promise<Target> {
    const versions = await this.#notes.history(noteId).catch((error: unknown) => {
      if (error instanceof ServiceError && error.status === 404) return []
      throw error
    })
    const target: Target = { versions, archived: new Set(), base: null, isDeleted: false }
    this.#targets.set(noteId, target)
    return target
  }

  async #origin(noteId: string, { version, recordHash }: VersionSummary): Promise<string | null> {
    const known = this.#origins.get(recordHash)
    if (known !== undefined) return known
    const origin = await this.#notes.originOf(noteId, version)
    this.#origins.set(recordHash, origin)
    return origin
  }
}
