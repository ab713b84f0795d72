import { reaching } from '@svc/protocol/base/dependency-fault'
import type {
  AssetCore,
  AssetMintHeader,
  AssetReceipt,
  AssetRecord,
  AssetTransferEvent,
} from '@svc/protocol/ledger/assets'
import { MAX_RECEIPTS, MAX_TRANSFERS } from '@svc/protocol/ledger/assets'
import type { GovernanceAttestation } from '@svc/protocol/ledger/attestations'
import {
  ASSET,
  type AssetRow,
  type AssetStanding,
  RECEIPT,
  type ReceiptRow,
  receiptOf,
  standingOf,
  TRANSFER,
  type TransferRow,
  transferOf,
} from './rows.ts'

export interface NewAsset {
  readonly header: AssetMintHeader
  readonly asset: AssetCore
  readonly attestations: readonly GovernanceAttestation[]
  readonly owner: string
  /** Whether the id certifies the identity that signed the mint. */
  readonly isProved: boolean
  /** Hash of the mint. */
  readonly head: string
}

export interface NewTransfer {
  /** The standing that was checked: the transfer takes place on no other. */
  readonly standing: AssetStanding
  readonly event: AssetTransferEvent
  /** Hash of the event. */
  readonly head: string
}

/** One record of an id: the proved or the unproved one. */
export type RecordKey = Pick<AssetStanding, 'assetId' | 'isProved'>

/**
 * Assets, their transfers and receipts in D1. An id has at most one proved and one unproved record. The proved one is
 * current as soon as it is there, and nothing changes the other from then on.
 */
export class AssetStore {
  readonly #db: D1Database

  constructor(db: D1Database) {
    this.#db = db
  }

  /** False if the id has a record that this one does not displace. */
  async mint(minted: NewAsset, now: number): Promise<boolean> {
    const { header, asset, attestations, owner, isProved, head } = minted
    const statement = this.#db
      .prepare(
        `INSERT INTO assets (${ASSET})
         SELECT ?1, ?2, ?3, ?4, ?5, ?6, 0, ?7, ?8, ?8
         WHERE NOT EXISTS (SELECT 1 FROM assets WHERE asset_id = ?1 AND proved >= ?2)
         ON CONFLICT DO NOTHING RETURNING 1`,
      )
      .bind(
        header.assetId,
        Number(isProved),
        JSON.stringify(header),
        JSON.stringify(asset),
        JSON.stringify(attestations),
        owner,
        head,
        now,
      )
    return (await reaching('assets', () => statement.first())) !== null
  }

  /** Of the current record. */
  async standing(assetId: string): Promise<AssetStanding | null> {
    const statement = this.#db
      .prepare(`SELECT ${ASSET} FROM assets WHERE asset_id = ? ORDER BY proved DESC LIMIT 1`)
      .bind(assetId)
    const row = await reaching('assets', () => statement.first<AssetRow>())
    return row && standingOf(row)
  }

  /** Of the unproved record that a proved one has displaced, with the time when that happened. */
  async displaced(assetId: string): Promise<(AssetStanding & { readonly displacedAt: number }) | null> {
    const statement = this.#db
      .prepare(`SELECT ${ASSET} FROM assets WHERE asset_id = ? ORDER BY proved DESC LIMIT 2`)
      .bind(assetId)
    const { results } = await reaching('assets', () => statement.all<AssetRow>())
    const [current, before] = results
    return current && before ? { ...standingOf(before), displacedAt: current.created_at } : null
  }

  /** The current record with its newest transfers and its receipts, in one consistent read. */
  async record(assetId: string): Promise<{ readonly record: AssetRecord; readonly standing: AssetStanding } | null> {
    const proved = '(SELECT max(proved) FROM assets WHERE asset_id = ?1)'
    const [assets, transfers, receipts] = await reaching('assets', () =>
      this.#db.batch<AssetRow | TransferRow | ReceiptRow>([
        this.#db.prepare(`SELECT ${ASSET} FROM assets WHERE asset_id = ?1 AND proved = ${proved}`).bind(assetId),
        this.#db
          .prepare(
            `SELECT ${TRANSFER} FROM asset_transfers WHERE asset_id = ?1 AND proved = ${proved}
             ORDER BY position DESC LIMIT ?2`,
          )
          .bind(assetId, MAX_TRANSFERS),
        this.#db
          .prepare(
            `SELECT ${RECEIPT} FROM asset_receipts WHERE asset_id = ?1 AND proved = ${proved}
             ORDER BY mapped_at, contract, token_id`,
          )
          .bind(assetId),
      ]),
    )
    const [row] = (assets?.results ?? []) as AssetRow[]
    if (!row) return null
    const standing = standingOf(row)
    const moved = ((transfers?.results ?? []) as TransferRow[]).toReversed().map(transferOf)
    const mapped = ((receipts?.results ?? []) as ReceiptRow[]).map(receiptOf)
    return { standing, record: recordOf(standing, moved, mapped) }
  }

  async receipts({ assetId, isProved }: RecordKey): Promise<AssetReceipt[]> {
    const statement = this.#db
      .prepare(
        `SELECT ${RECEIPT} FROM asset_receipts WHERE asset_id = ? AND proved = ? ORDER BY mapped_at, contract, token_id`,
      )
      .bind(assetId, Number(isProved))
    const { results } = await reaching('assets', () => statement.all<ReceiptRow>())
    return results.map(receiptOf)
  }

  /** Ascending from a position. One more than `limit` means there is a next page. */
  async transfers({ assetId, isProved }: RecordKey, from: number, limit: number): Promise<AssetTransferEvent[]> {
    const statement = this.#db
      .prepare(
        `SELECT ${TRANSFER} FROM asset_transfers WHERE asset_id = ? AND proved = ? AND position >= ?
         ORDER BY position LIMIT ?`,
      )
      .bind(assetId, Number(isProved), from, limit + 1)
    const { results } = await reaching('assets', () => statement.all<TransferRow>())
    return results.map(transferOf)
  }

  /** One transaction: event and owner change together, and only on the standing that was checked, while it is current. */
  async transfer({ standing: checked, event, head }: NewTransfer): Promise<boolean> {
    const { assetId, isProved, transfers } = checked
    const key = [assetId, Number(isProved), checked.head] as const
    const current = '(SELECT max(proved) FROM assets WHERE asset_id = ?1)'
    const standing = `SELECT 1 FROM assets WHERE asset_id = ?1 AND proved = ?2 AND head = ?3 AND proved = ${current}`
    const { header, attestations, previousOwner, newOwner, occurredAt } = event
    const at = Date.parse(occurredAt)
    const [written] = await reaching('assets', () =>
      this.#db.batch([
        this.#db
          .prepare(
            `INSERT INTO asset_transfers (asset_id, proved, ${TRANSFER})
             SELECT ?1, ?2, ?4, ?5, ?6, ?7, ?8, ?9 WHERE EXISTS (${standing}) RETURNING 1`,
          )
          .bind(...key, transfers, JSON.stringify(header), JSON.stringify(attestations), previousOwner, newOwner, at),
        this.#db
          .prepare(
            `UPDATE assets SET owner = ?4, transfers = ?5, head = ?6, updated_at = ?7
             WHERE asset_id = ?1 AND proved = ?2 AND head = ?3 AND proved = ${current}`,
          )
          .bind(...key, newOwner, transfers + 1, head, at),
      ]),
    )
    return written?.results.length === 1
  }

  /**
   * Adds a receipt to a record that this owner has; `full` at 128 receipts, `moved` if it has another owner by now or is
   * not current any more. Idempotent: the same mapping returns the existing receipt.
   */
  async addReceipt(
    { assetId, isProved }: RecordKey,
    owner: string,
    receipt: Omit<AssetReceipt, 'mappedAt'>,
    now: number,
  ): Promise<'added' | 'full' | 'moved'> {
    const { standard, contract, tokenId, chainId, txHash } = receipt
    const key = [assetId, Number(isProved)] as const
    const current = '(SELECT max(proved) FROM assets WHERE asset_id = ?1)'
    const [, found] = await reaching('assets', () =>
      this.#db.batch<{ owner: string; mapped: 0 | 1 }>([
        this.#db
          .prepare(
            `INSERT INTO asset_receipts (asset_id, proved, ${RECEIPT})
             SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8
             WHERE (SELECT count(*) FROM asset_receipts WHERE asset_id = ?1 AND proved = ?2) < ?9
               AND EXISTS (SELECT 1 FROM assets WHERE asset_id = ?1 AND proved = ?2 AND owner = ?10 AND proved = ${current})
             ON CONFLICT DO NOTHING`,
          )
          .bind(...key, standard, contract, tokenId, chainId ?? '', txHash ?? null, now, MAX_RECEIPTS, owner),
        this.#db
          .prepare(
            `SELECT owner, EXISTS (
               SELECT 1 FROM asset_receipts WHERE asset_id = ?1 AND proved = ?2
                 AND standard = ?3 AND contract = ?4 AND token_id = ?5 AND chain_id = ?6
             ) AS mapped FROM assets WHERE asset_id = ?1 AND proved = ?2 AND proved = ${current}`,
          )
          .bind(...key, standard, contract, tokenId, chainId ?? ''),
      ]),
    )
    const [standing] = found?.results ?? []
    if (standing?.owner !== owner) return 'moved'
    return standing.mapped ? 'added' : 'full'
  }
}

/** The documented record. */
export function recordOf(
  { header, asset, attestations, owner, createdAt, updatedAt }: AssetStanding,
  transfers: readonly AssetTransferEvent[],
  receipts: readonly AssetReceipt[],
): AssetRecord {
  return {
    header,
    asset,
    attestations: [...attestations],
    owner,
    createdAt: new Date(createdAt).toISOString(),
    updatedAt: new Date(updatedAt).toISOString(),
    ...(transfers.length > 0 ? { transfers: [...transfers] } : {}),
    ...(receipts.length > 0 ? { receipts: [...receipts] } : {}),
  }
}
