import type { Caller } from '@svc/assertion'
import { bytesOf, encodeBase64url } from '@svc/protocol/base/base64url'
import type { DeploymentSigner } from '@svc/protocol/base/deployment-signer'
import type { Realms } from '@svc/protocol/base/realm'
import { err, ok, type Result } from '@svc/protocol/base/result'
import { statementHashAsync } from '@svc/protocol/base/statement'
import {
  DEFAULT_INDEX_PAGE,
  DEFAULT_VERSIONS_PAGE,
  MAX_INDEX_PAGE,
  MAX_VERSIONS_PAGE,
  type NoteAnswer,
  type NoteAppended,
  type NoteVersions,
} from '@svc/protocol/notes/api'
import type { DeletionReceipt } from '@svc/protocol/notes/log'
import type { NoteSubmission } from '@svc/protocol/notes/notes'
import type { InceptionLogService } from '../inception/log-service.ts'
import type { Leased } from './object.ts'
import type { ReadRefusal, VaultBehind } from './reading.ts'
import { type RecordRefusal, recordFault } from './record.ts'
import { pageLimit, type VaultLimits } from './rules.ts'
import type { VersionRefusal } from './transaction.ts'
import type { Vaults } from './vaults.ts'

export type UnknownEvent = { readonly reason: 'unknown_event' }
type Unsigned = { readonly reason: 'receipts_unavailable' }

export interface NoteDependencies {
  readonly vaults: Vaults
  readonly inceptionLogs: InceptionLogService
  /** Signs receipts of deleted notes. */
  readonly receipts: DeploymentSigner
  readonly limits: VaultLimits
  readonly realms: Realms
}

/** Notes of one owner. Bytes are stored before the vault refers to them, and deleted after it no longer does. */
export class NoteService {
  readonly #deps: NoteDependencies

  constructor(deps: NoteDependencies) {
    this.#deps = deps
  }

  /** Stores a version. Idempotent: repeating one returns the stored version. */
  async append(
    caller: Caller,
    { statement, signatureB64u, ciphertextB64u }: NoteSubmission,
    now: number,
  ): Promise<Result<NoteAppended, RecordRefusal | UnknownEvent | Leased<VersionRefusal>>> {
    const ciphertext = bytesOf(ciphertextB64u)
    const refusal = await recordFault(caller, { statement, signatureB64u }, ciphertext, this.#deps.realms)
    if (refusal) return err(refusal)
    const { vaults, inceptionLogs, limits } = this.#deps
    const { did, header, cipherHash, keyId, follows, inception } = statement
    if (!(await inceptionLogs.has(did, inception))) return err({ reason: 'unknown_event' })
    const r2Key = vaults.blobs.newKey(did, cipherHash)
    const version = {
      noteId: header.noteId,
      recordHash: await statementHashAsync(statement),
      cipherHash,
      bytes: ciphertext.length,
      keyId,
      operation: header.operation,
      follows,
      record: JSON.stringify({ statement, signatureB64u }),
      r2Key,
      startedAt: now,
    }
    const checked = await vaults.write(did, async (vault) => vault.checkVersion(did, version, limits))
    if (!checked.ok || checked.value) return checked as Result<NoteAppended, Leased<VersionRefusal>>
    await vaults.blobs.put(r2Key, ciphertext)
    const appended = await vaults.write(did, async (vault) => vault.append(did, version, limits))
    // Without an answer it is unknown whether the vault refers to it: the alarm of the vault will find out.
    if (!appended.ok) await vaults.discard(did, r2Key)
    return appended
  }

  /** A page of the index, as JSON text. */
  async index(
    did: string,
    query: { cursor?: number | undefined; limit?: number | undefined },
  ): Promise<Result<string, VaultBehind>> {
    const limit = pageLimit(query.limit ?? DEFAULT_INDEX_PAGE, MAX_INDEX_PAGE)
    return this.#deps.vaults.ask(did, async (vault) => vault.index(query.cursor ?? 0, limit))
  }

  /** The newest version and the note's attachments. */
  async read(did: string, noteId: string, version: number | null): Promise<Result<NoteAnswer, ReadRefusal>> {
    const read = await this.#deps.vaults.ask(did, async (vault) => vault.note(noteId, version))
    if (!read.ok) return read
    const { appended, record, r2Key, attachments } = read.value
    const ciphertext = await this.#deps.vaults.blobs.get(r2Key)
    return ok({ ...appended, ...record, ciphertextB64u: encodeBase64url(ciphertext), attachments: [...attachments] })
  }

  async versions(
    did: string,
    noteId: string,
    query: { from?: number | undefined; limit?: number | undefined },
  ): Promise<Result<NoteVersions, { reason: 'not_found' }>> {
    const limit = pageLimit(query.limit ?? DEFAULT_VERSIONS_PAGE, MAX_VERSIONS_PAGE)
    return this.#deps.vaults.ask(did, async (vault) => vault.versions(noteId, query.from ?? 1, limit))
  }

  /** Erases a note. Refused if the deployment cannot sign the receipt. */
  async delete(did: string, noteId: string): Promise<Result<DeletionReceipt, { reason: 'not_found' } | Unsigned>> {
    const { receipts } = this.#deps
    if (!receipts.isReady) return err({ reason: 'receipts_unavailable' })
    const erased = await this.#deps.vaults.ask(did, async (vault) => vault.tombstone(noteId))
    if (!erased.ok) return erased
    const { seq, tombstonedAt, ...facts } = erased.value
    const receipt = await receipts.sign({
      type: 'svc/note-deletion/v1',
      did,
      size: seq + 1,
      seq,
      ...facts,
      issuedAt: tombstonedAt,
    } as const)
    return receipt ? ok(receipt) : err({ reason: 'receipts_unavailable' })
  }
}
