import { hashHexAsync } from '#protocol/base/hash'
import type { AttestDevice } from '#protocol/devices/inception'
import {
  type DeletionReceipt,
  ExportVerifier,
  type NoteExport,
  noteExportSchema,
  type SignedManifest,
} from '#protocol/notes/log'
import { type Checkpoint, checkpointLog, placeOfCheckpoint } from '../memory/checkpoint-log.ts'
import type { LogName, Piece } from '../memory/errors.ts'
import { follow, refuseOlder } from '../memory/extension.ts'
import type { KnownLogs } from '../memory/known-logs.ts'
import type { OnProgress } from '../transport/progress.ts'
import type { Transport } from '../transport/transport.ts'
import { unverified } from '../verification/verification-error.ts'
import type { NoteReceipts } from './receipts.ts'
import { type RestoreSummary, Restoring } from './restoring.ts'
import type { Vault } from './vault.ts'

export type { PassedOver, RestoreSummary } from './restoring.ts'

/**
 * One piece of an export, in order: the devices that may have written, then each page of the log with its notes,
 * followed by the attachments it names.
 */
export type ArchivedItem =
  | { readonly kind: 'devices'; readonly attestations: readonly AttestDevice[] }
  | { readonly kind: 'page'; readonly page: NoteExport }
  | { readonly kind: 'attachment'; readonly cipherHash: string; readonly sealed: Uint8Array }

export interface RestoreOptions {
  /** Also resends versions whose ciphertext the service has lost; costs one probe per existing version. */
  readonly repair?: boolean
  /** The key that another deployment signed the export with. Otherwise it must be one that this client trusts. */
  readonly receiptKeyB64u?: string
  /** Told in entries of the exported log, page by page. */
  readonly onProgress?: OnProgress
}

/** What the service signs about the log of a vault. */
type Signed = (SignedManifest | DeletionReceipt) & Checkpoint

/** Exports a vault and restores it. */
export class NoteArchive {
  readonly #transport: Transport
  readonly #url: () => string
  readonly #owner: { readonly did: string }
  readonly #notes: Vault
  readonly #receipts: NoteReceipts
  readonly #memory: KnownLogs

  constructor(parts: {
    readonly transport: Transport
    readonly url: () => string
    readonly owner: { readonly did: string }
    readonly notes: Vault
    readonly receipts: NoteReceipts
    readonly memory: KnownLogs
  }) {
    this.#transport = parts.transport
    this.#url = parts.url
    this.#owner = parts.owner
    this.#notes = parts.notes
    this.#receipts = parts.receipts
    this.#memory = parts.memory
  }

  /**
   * The whole current vault, verified piece by piece: every record against its leaf and signature, and finally all
   * leaves against the root signed by the service. Throws if something is missing that no tombstone explains; that
   * includes a note deleted during the export: start the export again. Throws a `HistoryError` if the log does not
   * contain everything that the service has signed for this client before.
   */
  async *export(): AsyncGenerator<ArchivedItem, void> {
    const verifier = new ExportVerifier()
    const known = await this.#memory.recall<Piece<Signed>>(this.#name)
    let signed: SignedManifest | null = null
    const attestations = await this.#notes.attestations()
    if (attestations.length > 0) yield { kind: 'devices', attestations }
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: NoteExport = await this.#page(cursor)
      await this.#check(verifier, page)
      if (!signed) await refuseOlder(this.#log(page.manifest, verifier), known, placeOfCheckpoint(page.manifest))
      signed ??= page.manifest
      if (page.entries.length === 0 && page.cursor !== null)
        throw unverified('vault', 'repeated', 'The export does not advance')
      yield { kind: 'page', page }
      for (const entry of page.entries) {
        if (entry.kind !== 'attachment' || entry.isErased) continue
        const { noteId, attachmentId, recordHash } = entry
        const sealed = await this.#notes.ciphertext(noteId, attachmentId ?? '')
        if ((await hashHexAsync(sealed)) !== recordHash)
          throw unverified('vault', 'ciphertext', 'An attachment does not match the log')
        yield { kind: 'attachment', cipherHash: recordHash, sealed }
      }
      cursor = page.cursor
    }
    end(verifier)
    if (!signed) return
    const piece = await follow(this.#log(signed, verifier), known, placeOfCheckpoint(signed))
    await this.#memory.advance(this.#name, piece, known)
  }

  /** A receipt fixes the log of the vault up to its tombstone; the next export must contain it. */
  async remember(receipt: DeletionReceipt): Promise<void> {
    const known = await this.#memory.recall<Piece<Signed>>(this.#name)
    const place = placeOfCheckpoint(receipt)
    if (place.position < (known.at(-1)?.position ?? 0)) return
    const receipts = known.filter((piece) => piece.signed.statement.type === 'svc/note-deletion/v1')
    await this.#memory.advance(this.#name, { ...place, signed: receipt }, receipts)
  }

  get #name(): LogName {
    return { kind: 'vault', of: this.#owner.did }
  }

  /** The log of the vault as the rule of memory reads it: the export has every leaf, so no proof is fetched. */
  #log(signed: Signed, verifier: ExportVerifier) {
    return checkpointLog<Signed>(this.#name, signed, ({ statement }) =>
      Promise.resolve(verifier.rootAt(statement.size) === statement.root),
    )
  }

  /**
   * Restores a vault, here or at another deployment where the identity exists. Existing items are left unchanged, so
   * you can start again after a crash; what was written or deleted there in the meantime stays. Versions by this key
   * for this realm are sent unchanged, those by earlier keys and devices and for other realms are rewritten under it.
   * A client restores what another deployment exported if it accepts that realm (`acceptedRealms`).
   */
  async restore(
    items: AsyncIterable<ArchivedItem> | Iterable<ArchivedItem>,
    { repair = false, receiptKeyB64u, onProgress }: RestoreOptions = {},
  ): Promise<RestoreSummary> {
    const verifier = new ExportVerifier()
    const restoring = new Restoring(this.#notes, repair)
    const waiting = new Map<string, { noteId: string; attachmentId: string }[]>()
    let done = 0
    for await (const item of items) {
      if (item.kind === 'devices') {
        await this.#notes.learn(item.attestations)
        continue
      }
      if (item.kind === 'attachment') {
        if ((await hashHexAsync(item.sealed)) !== item.cipherHash)
          throw unverified('vault', 'ciphertext', 'An attachment does not match the log')
        for (const { noteId, attachmentId } of waiting.get(item.cipherHash) ?? [])
          await this.#notes.putCiphertext(noteId, attachmentId, item.sealed)
        waiting.delete(item.cipherHash)
        continue
      }
      await this.#check(verifier, item.page, receiptKeyB64u)
      for (const entry of item.page.entries) {
        const { kind, isErased, noteId, attachmentId, recordHash } = entry
        if (isErased || kind === 'tombstone' || recordHash === null) continue
        if (kind === 'version') await restoring.version(entry)
        else if (!restoring.isDeleted(noteId))
          waiting.set(recordHash, [...(waiting.get(recordHash) ?? []), { noteId, attachmentId: attachmentId ?? '' }])
      }
      done += item.page.entries.length
      onProgress?.({ done, total: item.page.manifest.statement.size })
    }
    end(verifier)
    if (waiting.size > 0) throw unverified('vault', 'left_out', 'The archive lacks attachments that it names')
    return restoring.finish()
  }

  #page(cursor: string): Promise<NoteExport> {
    const url = `${this.#url()}/export${cursor === '' ? '' : `?cursor=${cursor}`}`
    return this.#transport.data({ method: 'GET', url, audience: 'notes' }, noteExportSchema)
  }

  async #check(verifier: ExportVerifier, page: NoteExport, receiptKeyB64u?: string): Promise<void> {
    if (page.manifest.statement.did !== this.#owner.did)
      throw unverified('vault', 'wrong_identity', 'The export belongs to another identity', { evidence: page.manifest })
    const fault = verifier.next(page)
    if (fault)
      throw unverified('vault', fault.reason, `The export is invalid: ${fault.reason} at ${fault.seq}`, {
        where: { sequence: fault.seq },
      })
    await this.#receipts.checkManifest(page.manifest, receiptKeyB64u)
    for (const { record } of page.entries) if (record) await this.#notes.check(record)
  }
}

function end(verifier: ExportVerifier): void {
  const fault = verifier.end()
  if (fault)
    throw unverified('vault', fault.reason, `The export fails verification: ${fault.reason} at ${fault.seq}`, {
      where: { sequence: fault.seq },
    })
}
