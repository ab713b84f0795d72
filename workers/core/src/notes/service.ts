import type { Caller } from '@svc/assertion'
import { bytesOf, encodeBase64url } from '@svc/protocol/base/base64url'
import { DependencyFault, reaching } from '@svc/protocol/base/dependency-fault'
import type { DeploymentSigner } from '@svc/protocol/base/deployment-signer'
import { hashHexAsync } from '@svc/protocol/base/hash'
import { userIdOfAsync } from '@svc/protocol/base/identity'
import type { Realms } from '@svc/protocol/base/realm'
import { err, ok, type Result } from '@svc/protocol/base/result'
import { statementHashAsync, verifyStatement } from '@svc/protocol/base/statement'
import {
  type Attachment,
  type BlobRef,
  type BlobRefs,
  type Collected,
  type CollectRequest,
  DEFAULT_INDEX_PAGE,
  DEFAULT_VERSIONS_PAGE,
  MAX_EXPORT_PAGE,
  MAX_EXPORT_PAGE_BYTES,
  MAX_INDEX_PAGE,
  MAX_VERSIONS_PAGE,
  type NoteAnswer,
  type NoteAppended,
  type NoteVersions,
  type RebuildRequest,
  type Rebuilt,
  type StorageUsage,
} from '@svc/protocol/notes/api'
import type { DeletionReceipt, ExportedChange, NoteExport } from '@svc/protocol/notes/log'
import { type NoteSubmission, noteAad } from '@svc/protocol/notes/notes'
import type { IdentityService } from '../identity/service.ts'
import type { BudgetRefusal } from '../storage/rules.ts'
import type { StorageBudget } from '../storage/service.ts'
import type { BlobStore } from './blob-store.ts'
import type { Leased, NoteVaultObject } from './object.ts'
import type { VaultLimits } from './rules.ts'
import type {
  AttachRefusal,
  ExportRow,
  ReadRefusal,
  SpentStatement,
  VaultBehind,
  VersionRefusal,
} from './transaction.ts'

/** How far the date of a detached owner signature may be off, in either direction. */
const STATEMENT_TOLERANCE_MS = 5 * 60_000

export type RecordRefusal = {
  readonly reason: 'owner_mismatch' | 'not_eligible' | 'aad_mismatch' | 'hash_mismatch' | 'invalid_signature'
}
export type UploadRefusal = Leased<AttachRefusal> | { readonly reason: 'hash_mismatch' | 'revoked' }
export type OwnerActRefusal = { readonly reason: 'invalid_signature' | 'statement_expired' | 'statement_replay' }
type Unsigned = { readonly reason: 'receipts_unavailable' }

export interface NewUpload {
  readonly noteId: string
  readonly attachmentId: string
  readonly cipherHash: string
  /** Null to refer to a ciphertext that the vault already has. */
  readonly body: { readonly stream: ReadableStream<Uint8Array>; readonly length: number } | null
}

export interface NoteDependencies {
  readonly vaults: DurableObjectNamespace<NoteVaultObject>
  readonly blobs: BlobStore
  readonly identities: IdentityService
  readonly budget: StorageBudget
  readonly receipts: DeploymentSigner
  readonly limits: VaultLimits
  readonly realms: Realms
}

type Vault = DurableObjectStub<NoteVaultObject>

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
  ): Promise<Result<NoteAppended, RecordRefusal | Leased<VersionRefusal>>> {
    const ciphertext = bytesOf(ciphertextB64u)
    const refusal = await recordFault(caller, { statement, signatureB64u }, ciphertext, this.#deps.realms)
    if (refusal) return err(refusal)
    const { blobs, limits } = this.#deps
    const { did, header, cipherHash, keyId, follows } = statement
    const r2Key = blobs.newKey(did, cipherHash)
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
    const checked = await this.#kept(did, async (vault) => vault.checkVersion(did, version, limits))
    if (!checked.ok || checked.value) return checked as Result<NoteAppended, Leased<VersionRefusal>>
    await blobs.put(r2Key, ciphertext)
    const appended = await this.#kept(did, async (vault) => vault.append(did, version, limits))
    // Without an answer it is unknown whether the vault refers to it: the alarm of the vault will find out.
    if (!appended.ok) await this.#discard(did, r2Key)
    return appended
  }

  /** A page of the index, as JSON text. */
  async index(
    did: string,
    query: { cursor?: number | undefined; limit?: number | undefined },
  ): Promise<Result<string, VaultBehind>> {
    const limit = clamp(query.limit ?? DEFAULT_INDEX_PAGE, MAX_INDEX_PAGE)
    return this.#vault(did, async (vault) => vault.index(query.cursor ?? 0, limit))
  }

  /** The newest version and the note's attachments. */
  async read(did: string, noteId: string, version: number | null): Promise<Result<NoteAnswer, ReadRefusal>> {
    const read = await this.#vault(did, async (vault) => vault.note(noteId, version))
    if (!read.ok) return read
    const { appended, record, r2Key, attachments } = read.value
    const ciphertext = await this.#deps.blobs.get(r2Key)
    return ok({ ...appended, ...record, ciphertextB64u: encodeBase64url(ciphertext), attachments: [...attachments] })
  }

  async versions(
    did: string,
    noteId: string,
    query: { from?: number | undefined; limit?: number | undefined },
  ): Promise<Result<NoteVersions, { reason: 'not_found' }>> {
    const limit = clamp(query.limit ?? DEFAULT_VERSIONS_PAGE, MAX_VERSIONS_PAGE)
    return this.#vault(did, async (vault) => vault.versions(noteId, query.from ?? 1, limit))
  }

  /** Erases a note. Refused if the deployment cannot sign the receipt. */
  async delete(did: string, noteId: string): Promise<Result<DeletionReceipt, { reason: 'not_found' } | Unsigned>> {
    const { receipts } = this.#deps
    if (!receipts.isReady) return err({ reason: 'receipts_unavailable' })
    const erased = await this.#vault(did, async (vault) => vault.tombstone(noteId))
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

  /**
   * Stores an attachment chunk by chunk. It becomes visible only once its last byte is stored, its hash is the stated one,
   * and the sender is still allowed to act.
   */
  async upload(caller: Caller, upload: NewUpload, now: number): Promise<Result<Attachment, UploadRefusal>> {
    const { blobs, identities, limits } = this.#deps
    const { did } = caller
    const { noteId, attachmentId, cipherHash, body } = upload
    const r2Key = blobs.newKey(did, cipherHash)
    const attachment = {
      noteId,
      attachmentId,
      cipherHash,
      bytes: body?.length ?? 0,
      upload: body && { r2Key, startedAt: now },
    }
    if (!body) return this.#kept(did, async (vault) => vault.attach(did, attachment, limits))
    const checked = await this.#kept(did, async (vault) => vault.checkAttachment(did, attachment, limits))
    if (!checked.ok || checked.value) return checked as Result<Attachment, UploadRefusal>
    const actual = await blobs.putStream(r2Key, body.stream, body.length)
    const refusal = actual === cipherHash ? await this.#standing(identities, caller) : 'hash_mismatch'
    if (refusal) {
      await this.#discard(did, r2Key)
      return err({ reason: refusal })
    }
    const attached = await this.#kept(did, async (vault) => vault.attach(did, attachment, limits))
    if (!attached.ok) await this.#discard(did, r2Key)
    return attached
  }

  /** Deletes a rejected upload. If that fails, the alarm of the vault does it. */
  async #discard(did: string, r2Key: string): Promise<void> {
    try {
      await this.#deps.blobs.delete([r2Key])
      await this.#vault(did, async (vault) => vault.endUpload(r2Key))
    } catch (error) {
      if (!(error instanceof DependencyFault)) throw error
    }
  }

  async attachment(did: string, noteId: string, attachmentId: string) {
    return this.#vault(did, async (vault) => vault.attachment(noteId, attachmentId))
  }

  open(r2Key: string, window: { readonly offset: number; readonly length: number }): Promise<ReadableStream> {
    return this.#deps.blobs.open(r2Key, window)
  }

  /** One call to the vault; does not read the store. */
  blob(did: string, cipherHash: string): Promise<BlobRef | null> {
    return this.#vault(did, async (vault) => vault.blob(cipherHash))
  }

  async usage(did: string, now: number): Promise<StorageUsage> {
    const { bytes, objects } = await this.#vault(did, async (vault) => vault.usage())
    return { did, bytesUsed: bytes, objectCount: objects, measuredAt: now }
  }

  refs(did: string, query: { after?: string | undefined; limit?: number | undefined }): Promise<BlobRefs> {
    const limit = clamp(query.limit ?? DEFAULT_INDEX_PAGE, MAX_INDEX_PAGE)
    return this.#vault(did, async (vault) => vault.refs(query.after ?? '', limit))
  }

  /** One page of everything in the vault, as of the first page. */
  async export(
    did: string,
    position: { readonly from: number; readonly size: number | null },
    now: number,
  ): Promise<Result<NoteExport, VaultBehind | Unsigned>> {
    const max = { entries: MAX_EXPORT_PAGE, bytes: MAX_EXPORT_PAGE_BYTES }
    const read = await this.#vault(did, async (vault) => vault.export(position.from, position.size, max))
    if (!read.ok) return read
    const { size, length, root, rows } = read.value
    const statement = { type: 'svc/note-manifest/v1', did, size, root, length, issuedAt: now } as const
    const manifest = await this.#deps.receipts.sign(statement)
    if (!manifest) return err({ reason: 'receipts_unavailable' })
    const entries = await Promise.all(rows.map((row) => this.#exported(row)))
    const next = position.from + rows.length
    return ok({ format: 'svc/note-export/v1', manifest, entries, cursor: next < size ? `${next}.${size}` : null })
  }

  async #exported({ change, isErased, record, r2Key, bytes }: ExportRow): Promise<ExportedChange> {
    const ciphertext = r2Key === null ? null : await this.#deps.blobs.get(r2Key)
    return { ...change, isErased, record, ciphertextB64u: ciphertext && encodeBase64url(ciphertext), bytes }
  }

  async collect(did: string, request: CollectRequest, now: number): Promise<Result<Collected, OwnerActRefusal>> {
    const spent = await this.#ownerAct(did, request, now)
    return spent.ok ? this.#vault(did, async (vault) => vault.collect(did, spent.value)) : spent
  }

  async rebuild(
    did: string,
    { dryRun = false, ...signed }: RebuildRequest,
    now: number,
  ): Promise<Result<Rebuilt, OwnerActRefusal>> {
    const spent = await this.#ownerAct(did, signed, now)
    return spent.ok ? this.#vault(did, async (vault) => vault.rebuild(did, spent.value, dryRun)) : spent
  }

  /** The statement is the credential: it must be recent and signed by the owner's current root key. */
  async #ownerAct(
    did: string,
    signed: CollectRequest | Omit<RebuildRequest, 'dryRun'>,
    now: number,
  ): Promise<Result<SpentStatement, OwnerActRefusal>> {
    const { issuedAt } = signed.statement
    if (Math.abs(now - issuedAt) > STATEMENT_TOLERANCE_MS) return err({ reason: 'statement_expired' })
    // Unknown, ended and foreign keys look alike: a caller without a key of the vault learns nothing about it.
    const identity = await this.#deps.identities.ask(did, async (object) => object.read())
    const isOwners =
      identity !== null &&
      identity.deactivatedAt === null &&
      signed.statement.did === did &&
      (await verifyStatement(signed, identity.current.publicKey, this.#deps.realms))
    if (!isOwners) return err({ reason: 'invalid_signature' })
    return ok({ hash: await statementHashAsync(signed.statement), keepUntil: issuedAt + STATEMENT_TOLERANCE_MS })
  }

  /** An upload may take minutes: if the key was superseded or revoked meanwhile, nothing is left behind. */
  async #standing(identities: IdentityService, { did, userId, device }: Caller): Promise<'revoked' | null> {
    const acting = device && { deviceId: device.deviceId, needs: 'notes:write' as const }
    const acts = await identities.ask(did, async (identity) => identity.stillActs(userId, acting))
    return acts ? null : 'revoked'
  }

  /** A write that may exceed the budget of the identity. */
  #kept<T, E extends { readonly reason: string }>(
    did: string,
    work: (vault: Vault) => Promise<Result<T, E | BudgetRefusal>>,
  ): Promise<Result<T, E | BudgetRefusal>> {
    return this.#deps.budget.within(() => this.#vault(did, work))
  }

  #vault<T>(did: string, work: (vault: Vault) => Promise<T>): Promise<T> {
    return reaching('notes', () => work(this.#deps.vaults.getByName(did)))
  }
}

/** Faults of a record that has passed its schema, judged by the record alone. */
async function recordFault(
  { did, userId, publicKeyB64u, device }: Caller,
  { statement, signatureB64u }: Pick<NoteSubmission, 'statement' | 'signatureB64u'>,
  ciphertext: Uint8Array,
  realms: Realms,
): Promise<RecordRefusal | null> {
  const { header, keyId } = statement
  if (statement.did !== did || header.userId !== userId) return { reason: 'owner_mismatch' }
  const signer = device?.publicKeyB64u ?? publicKeyB64u
  // A device can only name itself; the root key may name the software that it acts in.
  const publicKey = bytesOf(signer)
  if (keyId !== (await userIdOfAsync(publicKey)) || (device && header.deviceId !== device.deviceId))
    return { reason: 'not_eligible' }
  if (noteAad(header) !== statement.aadB64u) return { reason: 'aad_mismatch' }
  const isStated =
    ciphertext.length === header.contentLength && (await hashHexAsync(ciphertext)) === statement.cipherHash
  if (!isStated) return { reason: 'hash_mismatch' }
  const isSigned = await verifyStatement({ statement, signatureB64u }, publicKey, realms)
  return isSigned ? null : { reason: 'invalid_signature' }
}

function clamp(value: number, max: number): number {
  return Math.min(Math.max(value, 1), max)
}
