import { encodeBase64url } from '@svc/protocol/base/base64url'
import type { DeploymentSigner } from '@svc/protocol/base/deployment-signer'
import type { Realms } from '@svc/protocol/base/realm'
import { err, ok, type Result } from '@svc/protocol/base/result'
import { statementHashAsync, verifyStatement } from '@svc/protocol/base/statement'
import {
  type BlobRef,
  type BlobRefs,
  type Collected,
  type CollectRequest,
  DEFAULT_INDEX_PAGE,
  MAX_EXPORT_PAGE,
  MAX_EXPORT_PAGE_BYTES,
  MAX_INDEX_PAGE,
  type RebuildRequest,
  type Rebuilt,
  type StorageUsage,
} from '@svc/protocol/notes/api'
import type { ExportedChange, NoteExport } from '@svc/protocol/notes/log'
import type { IdentityService } from '../identity/service.ts'
import type { ExportRow, VaultBehind } from './reading.ts'
import { pageLimit } from './rules.ts'
import type { SpentStatement } from './transaction.ts'
import type { Vaults } from './vaults.ts'

/** How far the date of a detached owner signature may be off, in either direction. */
const STATEMENT_TOLERANCE_MS = 5 * 60_000

export type OwnerActRefusal = { readonly reason: 'invalid_signature' | 'statement_expired' | 'statement_replay' }

export interface VaultDependencies {
  readonly vaults: Vaults
  readonly identities: IdentityService
  /** Signs the manifests of exports. */
  readonly receipts: DeploymentSigner
  readonly realms: Realms
}

/** The vault of an owner as a whole: what it uses, its export, and its upkeep at the owner's demand. */
export class VaultService {
  readonly #deps: VaultDependencies

  constructor(deps: VaultDependencies) {
    this.#deps = deps
  }

  /** One call to the vault; does not read the store. */
  blob(did: string, cipherHash: string): Promise<BlobRef | null> {
    return this.#deps.vaults.ask(did, async (vault) => vault.blob(cipherHash))
  }

  async usage(did: string, now: number): Promise<StorageUsage> {
    const { bytes, objects } = await this.#deps.vaults.ask(did, async (vault) => vault.usage())
    return { did, bytesUsed: bytes, objectCount: objects, measuredAt: now }
  }

  refs(did: string, query: { after?: string | undefined; limit?: number | undefined }): Promise<BlobRefs> {
    const limit = pageLimit(query.limit ?? DEFAULT_INDEX_PAGE, MAX_INDEX_PAGE)
    return this.#deps.vaults.ask(did, async (vault) => vault.refs(query.after ?? '', limit))
  }

  /** One page of everything in the vault, as of the first page. */
  async export(
    did: string,
    position: { readonly from: number; readonly size: number | null },
    now: number,
  ): Promise<Result<NoteExport, VaultBehind | { readonly reason: 'receipts_unavailable' }>> {
    const max = { entries: MAX_EXPORT_PAGE, bytes: MAX_EXPORT_PAGE_BYTES }
    const read = await this.#deps.vaults.ask(did, async (vault) => vault.export(position.from, position.size, max))
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
    const ciphertext = r2Key === null ? null : await this.#deps.vaults.blobs.get(r2Key)
    return { ...change, isErased, record, ciphertextB64u: ciphertext && encodeBase64url(ciphertext), bytes }
  }

  async collect(did: string, request: CollectRequest, now: number): Promise<Result<Collected, OwnerActRefusal>> {
    const spent = await this.#ownerAct(did, request, now)
    return spent.ok ? this.#deps.vaults.ask(did, async (vault) => vault.collect(did, spent.value)) : spent
  }

  async rebuild(
    did: string,
    { dryRun = false, ...signed }: RebuildRequest,
    now: number,
  ): Promise<Result<Rebuilt, OwnerActRefusal>> {
    const spent = await this.#ownerAct(did, signed, now)
    return spent.ok ? this.#deps.vaults.ask(did, async (vault) => vault.rebuild(did, spent.value, dryRun)) : spent
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
}
