import type { Caller } from '@svc/assertion'
import { jcs } from '@svc/protocol/base/jcs'
import type { Realms } from '@svc/protocol/base/realm'
import { err, ok, type Result } from '@svc/protocol/base/result'
import {
  certifiesMinter,
  mintBytes,
  mintEventHash,
  transferBytes,
  transferEventHash,
} from '@svc/protocol/ledger/asset-statements'
import type {
  AssetCore,
  AssetExport,
  AssetHistoryPage,
  AssetMintHeader,
  AssetReceipt,
  AssetRecord,
  AssetTransferHeader,
} from '@svc/protocol/ledger/assets'
import type { AttestationFault, GovernanceAttestation } from '@svc/protocol/ledger/attestations'
import type { GovernanceService } from '../governance/service.ts'
import type { IdentityService } from '../identity/service.ts'
import type { BudgetRefusal } from '../storage/rules.ts'
import type { StorageBudget } from '../storage/service.ts'
import type { AssetStanding } from './rows.ts'
import { type AssetStore, recordOf } from './store.ts'

/**
 * A transfer takes 8 kB with its owner's attestation, so a page and its record take 2 MB. With attestations by all
 * sixteen signers of a policy, a transfer takes 122 kB, and a page of nothing else 31 MB.
 */
const PAGE_TRANSFERS = 128

export type MintRefusal =
  | AttestationFault
  | BudgetRefusal
  | { readonly reason: 'owner_mismatch' | 'asset_mismatch' | 'asset_exists' }
export type TransferRefusal =
  | AttestationFault
  | BudgetRefusal
  | { readonly reason: 'not_found' | 'owner_mismatch' | 'asset_moved' | 'recipient_unknown' | 'security_hold' }
export type ReceiptRefusal = BudgetRefusal | { readonly reason: 'not_found' | 'owner_mismatch' | 'receipt_limit' }

export interface AssetParts {
  readonly store: AssetStore
  readonly governance: GovernanceService
  readonly identities: IdentityService
  readonly budget: StorageBudget
  readonly realms: Realms
}

interface Minted {
  readonly header: AssetMintHeader
  readonly asset: AssetCore
  readonly attestations: readonly GovernanceAttestation[]
}

/**
 * Mints and transfers assets. The caller's assertion is the authority; attestations are evidence for those who read. A
 * mint under an id that certifies its signer displaces a record under that id that proves nothing.
 */
export class AssetService {
  readonly #parts: AssetParts

  constructor(parts: AssetParts) {
    this.#parts = parts
  }

  /** Idempotent: repeating a mint returns the record, also a new mint of one's own proved asset while one owns it. */
  async mint(caller: Caller, minted: Minted, now: number): Promise<Result<AssetRecord, MintRefusal>> {
    const { store, governance, realms } = this.#parts
    const { header, asset, attestations } = minted
    if (header.userId !== caller.userId) return err({ reason: 'owner_mismatch' })
    if (header.assetId !== asset.assetId) return err({ reason: 'asset_mismatch' })
    const bytes = realms.map((realm) => mintBytes(header, asset, realm))
    const vouched = await governance.vouchedFor(attestations, bytes, caller.publicKeyB64u)
    if (!vouched.ok) return vouched
    const isCertified = await certifiesMinter(asset, caller.scope)
    const isProved = isCertified && attestations.some(({ publicKeyB64u }) => publicKeyB64u === caller.publicKeyB64u)
    const head = await mintEventHash({ header, asset, attestations, createdAt: new Date(now).toISOString() })
    const kept = await this.#kept(caller, `mint ${head}`, minted, async () =>
      (await store.mint({ ...minted, owner: caller.did, isProved, head }, now)) ? null : 'taken',
    )
    if (!kept.ok) return kept
    const isNew = kept.value === null
    const placed = await store.record(header.assetId)
    if (!placed) return err({ reason: 'asset_exists' })
    const { record, standing } = placed
    const isSame = jcs(record.header) === jcs(header) && jcs(record.asset) === jcs(asset)
    const isOwn = record.owner === caller.did && (isSame || (isCertified && standing.isProved))
    return isOwn || (isNew && isSame) ? ok(record) : err({ reason: 'asset_exists' })
  }

  /** Of two transfers of one asset one succeeds. Retrying the successful one returns it. */
  async transfer(
    caller: Caller,
    moved: { readonly header: AssetTransferHeader; readonly attestations: readonly GovernanceAttestation[] },
    now: number,
  ): Promise<Result<AssetRecord, TransferRefusal>> {
    const { store, governance, identities } = this.#parts
    const { header, attestations } = moved
    if (header.userId !== caller.userId) return err({ reason: 'owner_mismatch' })
    const standing = await store.standing(header.assetId)
    if (!standing) return err({ reason: 'not_found' })
    if (standing.owner !== caller.did) return this.#again(caller, header, 'owner_mismatch')
    // After a transfer to oneself, the owner does not show whether it happened; the newest event does.
    const placed = header.to === caller.did ? await this.#again(caller, header, 'asset_moved') : null
    if (placed?.ok) return placed
    const vouched = await governance.vouchedFor(attestations, this.#bytesOf(header, standing), caller.publicKeyB64u)
    if (!vouched.ok) return vouched
    const recipient = await identities.ask(header.to, async (identity) => identity.read())
    if (recipient?.deactivatedAt !== null) return err({ reason: 'recipient_unknown' })
    if (await identities.ask(caller.did, async (identity) => identity.isHeld())) {
      return err({ reason: 'security_hold' })
    }
    const occurredAt = new Date(now).toISOString()
    const event = {
      ...moved,
      attestations: [...attestations],
      previousOwner: caller.did,
      newOwner: header.to,
      occurredAt,
    }
    const head = await transferEventHash(event)
    const kept = await this.#kept(caller, `transfer ${head}`, event, async () =>
      (await store.transfer({ standing, event, head })) ? null : 'moved',
    )
    if (!kept.ok) return kept
    if (kept.value) return this.#again(caller, header, 'asset_moved')
    const found = await store.record(header.assetId)
    return found ? ok(found.record) : err({ reason: 'not_found' })
  }

  async find(assetId: string): Promise<AssetRecord | null> {
    return (await this.#parts.store.record(assetId))?.record ?? null
  }

  /** The record and every transfer, in pages, for the owner to keep. */
  async export(
    caller: Caller,
    assetId: string,
    from: number,
    now: number,
  ): Promise<Result<AssetExport, { reason: 'not_found' | 'owner_mismatch' }>> {
    const found = await this.#parts.store.record(assetId)
    if (!found) return err({ reason: 'not_found' })
    const { record, standing } = found
    if (record.owner !== caller.did) return err({ reason: 'owner_mismatch' })
    const exportedAt = new Date(now).toISOString()
    return ok({ format: 'svc/asset-export/v1', exportedAt, record, ...(await this.#page(standing, from)) })
  }

  /** The unproved record that the current one displaced, with its transfers in pages; null if the id has no record. */
  async history(assetId: string, from: number): Promise<AssetHistoryPage | null> {
    const { store } = this.#parts
    const before = await store.displaced(assetId)
    if (!before) return (await store.standing(assetId)) ? { assetId, displaced: null } : null
    const record = recordOf(before, [], await store.receipts(before))
    const displacedAt = new Date(before.displacedAt).toISOString()
    return { assetId, displaced: { record, displacedAt, ...(await this.#page(before, from)) } }
  }

  async addReceipt(
    caller: Caller,
    assetId: string,
    receipt: Omit<AssetReceipt, 'mappedAt'>,
    now: number,
  ): Promise<Result<AssetRecord, ReceiptRefusal>> {
    const { store } = this.#parts
    const standing = await store.standing(assetId)
    if (!standing) return err({ reason: 'not_found' })
    if (standing.owner !== caller.did) return err({ reason: 'owner_mismatch' })
    const item = `receipt ${assetId} ${receipt.contract} ${receipt.tokenId}`
    const kept = await this.#kept(caller, item, receipt, async () => {
      const outcome = await store.addReceipt(standing, caller.did, receipt, now)
      return outcome === 'added' ? null : outcome
    })
    if (!kept.ok) return kept
    if (kept.value) return err({ reason: kept.value === 'full' ? 'receipt_limit' : 'owner_mismatch' })
    const found = await store.record(assetId)
    return found ? ok(found.record) : err({ reason: 'not_found' })
  }

  /** What the owner signs for the next transfer, in each realm. */
  #bytesOf(header: AssetTransferHeader, { owner, transfers, head }: AssetStanding) {
    const place = { previousOwner: owner, position: transfers, previousEventHash: head }
    return this.#parts.realms.map((realm) => transferBytes(header, place, realm))
  }

  /** Counts a record towards its writer's budget before it is written; `write` returns why it was not. */
  async #kept<T>(
    { did }: Caller,
    item: string,
    record: object,
    write: () => Promise<T | null>,
  ): Promise<Result<T | null, BudgetRefusal>> {
    const { budget } = this.#parts
    const kept = await budget.keep(did, { kind: 'assets', item, bytes: JSON.stringify(record).length })
    if (!kept.ok) return kept
    const refusal = await write()
    if (refusal !== null && kept.value.isNew) await budget.release(did, 'assets', item)
    return ok(refusal)
  }

  async #page(standing: AssetStanding, from: number) {
    const transfers = await this.#parts.store.transfers(standing, from, PAGE_TRANSFERS)
    const cursor = transfers.length > PAGE_TRANSFERS ? String(from + PAGE_TRANSFERS) : null
    return { transfers: transfers.slice(0, PAGE_TRANSFERS), position: from, count: standing.transfers, cursor }
  }

  /** If the newest event is this very transfer by this caller, its response was lost: returns it. */
  async #again(
    caller: Caller,
    header: AssetTransferHeader,
    otherwise: 'owner_mismatch' | 'asset_moved',
  ): Promise<Result<AssetRecord, TransferRefusal>> {
    const record = await this.find(header.assetId)
    const last = record?.transfers?.at(-1)
    const isPlaced = last?.previousOwner === caller.did && jcs(last.header) === jcs(header)
    return record && isPlaced ? ok(record) : err({ reason: otherwise })
  }
}
