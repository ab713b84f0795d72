import type { Caller } from '@svc/assertion'
import {
  type AssetCore,
  type AssetExport,
  type AssetMintHeader,
  type AssetReceipt,
  type AssetRecord,
  type AssetTransferHeader,
  mintBytes,
  transferBytes,
} from '@svc/protocol/assets'
import type { AttestationFault, GovernanceAttestation } from '@svc/protocol/governance'
import { jcs } from '@svc/protocol/jcs'
import { err, ok, type Result } from '@svc/protocol/result'
import type { GovernanceService } from '../governance/governance-service.ts'
import type { IdentityService } from '../identity/identity-service.ts'
import type { AssetStore } from './asset-store.ts'

/**
 * A transfer takes 8 kB with the attestation of its owner, so a page and the record beside it 2 MB; with those of all
 * sixteen signers of a policy as well, 122 kB, and such an answer of nothing else 31 MB.
 */
const PAGE_TRANSFERS = 128

export type MintRefusal = AttestationFault | { readonly reason: 'owner_mismatch' | 'asset_mismatch' | 'asset_exists' }
export type TransferRefusal =
  | AttestationFault
  | { readonly reason: 'not_found' | 'owner_mismatch' | 'asset_moved' | 'recipient_unknown' }
export type ReceiptRefusal = { readonly reason: 'not_found' | 'owner_mismatch' | 'receipt_limit' }

/** Minting and moving assets. The caller's assertion is the authority; attestations vouch beside it. */
export class AssetService {
  readonly #store: AssetStore
  readonly #governance: GovernanceService
  readonly #identities: IdentityService

  constructor(store: AssetStore, governance: GovernanceService, identities: IdentityService) {
    this.#store = store
    this.#governance = governance
    this.#identities = identities
  }

  /** The same mint by the same owner again gives the record. */
  async mint(
    caller: Caller,
    minted: {
      readonly header: AssetMintHeader
      readonly asset: AssetCore
      readonly attestations: readonly GovernanceAttestation[]
    },
    now: number,
  ): Promise<Result<AssetRecord, MintRefusal>> {
    const { header, asset, attestations } = minted
    if (header.userId !== caller.userId) return err({ reason: 'owner_mismatch' })
    if (header.assetId !== asset.assetId) return err({ reason: 'asset_mismatch' })
    const vouched = await this.#governance.vouchedFor(attestations, mintBytes(header, asset), caller.publicKeyB64u)
    if (!vouched.ok) return vouched
    const isNew = await this.#store.mint({ ...minted, owner: caller.did }, now)
    const record = await this.#store.record(header.assetId)
    const isSame =
      record?.owner === caller.did && jcs(record.header) === jcs(header) && jcs(record.asset) === jcs(asset)
    return record && (isNew || isSame) ? ok(record) : err({ reason: 'asset_exists' })
  }

  /** Of two transfers of one asset one is taken. The retry of the one that was finds it in place. */
  async transfer(
    caller: Caller,
    moved: { readonly header: AssetTransferHeader; readonly attestations: readonly GovernanceAttestation[] },
    now: number,
  ): Promise<Result<AssetRecord, TransferRefusal>> {
    const { header, attestations } = moved
    if (header.userId !== caller.userId) return err({ reason: 'owner_mismatch' })
    const standing = await this.#store.standing(header.assetId)
    if (!standing) return err({ reason: 'not_found' })
    if (standing.owner !== caller.did) return this.#again(caller, header, 'owner_mismatch')
    // To oneself the owner does not tell whether it was taken; the newest event does.
    const placed = header.to === caller.did ? await this.#again(caller, header, 'asset_moved') : null
    if (placed?.ok) return placed
    const vouched = await this.#governance.vouchedFor(attestations, transferBytes(header), caller.publicKeyB64u)
    if (!vouched.ok) return vouched
    const recipient = await this.#identities.ask(header.to, async (identity) => identity.read())
    if (recipient?.deactivatedAt !== null) return err({ reason: 'recipient_unknown' })
    const transfer = { ...moved, previousOwner: caller.did, position: standing.transfers }
    const isTaken = await this.#store.transfer(transfer, now)
    if (!isTaken) return this.#again(caller, header, 'asset_moved')
    const record = await this.#store.record(header.assetId)
    return record ? ok(record) : err({ reason: 'not_found' })
  }

  find(assetId: string): Promise<AssetRecord | null> {
    return this.#store.record(assetId)
  }

  /** The record and every transfer, in pages; the owner's to take along. */
  async export(
    caller: Caller,
    assetId: string,
    from: number,
    now: number,
  ): Promise<Result<AssetExport, { reason: 'not_found' | 'owner_mismatch' }>> {
    const record = await this.#store.record(assetId)
    if (!record) return err({ reason: 'not_found' })
    if (record.owner !== caller.did) return err({ reason: 'owner_mismatch' })
    const transfers = await this.#store.transfers(assetId, from, PAGE_TRANSFERS)
    const cursor = transfers.length > PAGE_TRANSFERS ? String(from + PAGE_TRANSFERS) : null
    const exportedAt = new Date(now).toISOString()
    return ok({
      format: 'svc/asset-export/v1',
      exportedAt,
      record,
      transfers: transfers.slice(0, PAGE_TRANSFERS),
      cursor,
    })
  }

  async addReceipt(
    caller: Caller,
    assetId: string,
    receipt: Omit<AssetReceipt, 'mappedAt'>,
    now: number,
  ): Promise<Result<AssetRecord, ReceiptRefusal>> {
    const standing = await this.#store.standing(assetId)
    if (!standing) return err({ reason: 'not_found' })
    if (standing.owner !== caller.did) return err({ reason: 'owner_mismatch' })
    const outcome = await this.#store.addReceipt(assetId, caller.did, receipt, now)
    if (outcome !== 'added') return err({ reason: outcome === 'full' ? 'receipt_limit' : 'owner_mismatch' })
    const record = await this.#store.record(assetId)
    return record ? ok(record) : err({ reason: 'not_found' })
  }

  /** When this very transfer by this caller is the newest, the answer was lost, and here it is. */
  async #again(
    caller: Caller,
    header: AssetTransferHeader,
    otherwise: 'owner_mismatch' | 'asset_moved',
  ): Promise<Result<AssetRecord, TransferRefusal>> {
    const record = await this.#store.record(header.assetId)
    const last = record?.transfers?.at(-1)
    const isPlaced = last?.previousOwner === caller.did && jcs(last.header) === jcs(header)
    return record && isPlaced ? ok(record) : err({ reason: otherwise })
  }
}
