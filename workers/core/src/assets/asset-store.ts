import type {
  AssetCore,
  AssetMintHeader,
  AssetReceipt,
  AssetRecord,
  AssetTransferEvent,
  AssetTransferHeader,
} from '@svc/protocol/assets'
import { MAX_RECEIPTS, MAX_TRANSFERS } from '@svc/protocol/assets'
import { reaching } from '@svc/protocol/dependency-fault'
import type { GovernanceAttestation } from '@svc/protocol/governance'

interface AssetRow {
  asset_id: string
  header: string
  asset: string
  attestations: string
  owner: string
  transfers: number
  created_at: number
  updated_at: number
}

interface TransferRow {
  position: number
  header: string
  attestations: string
  previous_owner: string
  new_owner: string
  occurred_at: number
}

interface ReceiptRow {
  standard: 'erc721' | 'erc1155'
  contract: string
  token_id: string
  chain_id: string
  tx_hash: string | null
  mapped_at: number
}

/** What decides about an asset: its owner, and how many transfers came before. */
export interface AssetStanding {
  readonly header: AssetMintHeader
  readonly asset: AssetCore
  readonly attestations: readonly GovernanceAttestation[]
  readonly owner: string
  readonly transfers: number
  readonly createdAt: number
  readonly updatedAt: number
}

export interface NewTransfer {
  readonly header: AssetTransferHeader
  readonly attestations: readonly GovernanceAttestation[]
  readonly previousOwner: string
  readonly position: number
}

const ASSET = 'asset_id, header, asset, attestations, owner, transfers, created_at, updated_at'
const RECEIPT = 'standard, contract, token_id, chain_id, tx_hash, mapped_at'
const TRANSFER = 'position, header, attestations, previous_owner, new_owner, occurred_at'

/** Assets, their transfers and receipts in D1. The owner changes by a conditional write alone. */
export class AssetStore {
  readonly #db: D1Database

  constructor(db: D1Database) {
    this.#db = db
  }

  /** False when the asset is minted already. */
  async mint(
    minted: {
      readonly header: AssetMintHeader
      readonly asset: AssetCore
      readonly attestations: readonly GovernanceAttestation[]
      readonly owner: string
    },
    now: number,
  ): Promise<boolean> {
    const { header, asset, attestations, owner } = minted
    const statement = this.#db
      .prepare(
        `INSERT INTO assets (asset_id, header, asset, attestations, owner, transfers, created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, 0, ?6, ?6) ON CONFLICT DO NOTHING RETURNING 1`,
      )
      .bind(header.assetId, JSON.stringify(header), JSON.stringify(asset), JSON.stringify(attestations), owner, now)
    return (await reaching('assets', () => statement.first())) !== null
  }

  async standing(assetId: string): Promise<AssetStanding | null> {
    const statement = this.#db.prepare(`SELECT ${ASSET} FROM assets WHERE asset_id = ?`).bind(assetId)
    const row = await reaching('assets', () => statement.first<AssetRow>())
    return row && standingOf(row)
  }

  /** The record with its newest transfers and its receipts, all read at one time. */
  async record(assetId: string): Promise<AssetRecord | null> {
    const [assets, transfers, receipts] = await reaching('assets', () =>
      this.#db.batch<AssetRow | TransferRow | ReceiptRow>([
        this.#db.prepare(`SELECT ${ASSET} FROM assets WHERE asset_id = ?`).bind(assetId),
        this.#db
          .prepare(`SELECT ${TRANSFER} FROM asset_transfers WHERE asset_id = ? ORDER BY position DESC LIMIT ?`)
          .bind(assetId, MAX_TRANSFERS),
        this.#db
          .prepare(`SELECT ${RECEIPT} FROM asset_receipts WHERE asset_id = ? ORDER BY mapped_at, contract, token_id`)
          .bind(assetId),
      ]),
    )
    const [row] = (assets?.results ?? []) as AssetRow[]
    if (!row) return null
    const { header, asset, attestations, owner, createdAt, updatedAt } = standingOf(row)
    const moved = ((transfers?.results ?? []) as TransferRow[]).toReversed().map(transferOf)
    const mapped = ((receipts?.results ?? []) as ReceiptRow[]).map(receiptOf)
    return {
      header,
      asset,
      attestations: [...attestations],
      owner,
      createdAt: new Date(createdAt).toISOString(),
      updatedAt: new Date(updatedAt).toISOString(),
      ...(moved.length > 0 ? { transfers: moved } : {}),
      ...(mapped.length > 0 ? { receipts: mapped } : {}),
    }
  }

  /** Transfers from a position on, oldest first; one more than `limit` tells that there is a next page. */
  async transfers(assetId: string, from: number, limit: number): Promise<AssetTransferEvent[]> {
    const statement = this.#db
      .prepare(`SELECT ${TRANSFER} FROM asset_transfers WHERE asset_id = ? AND position >= ? ORDER BY position LIMIT ?`)
      .bind(assetId, from, limit + 1)
    const { results } = await reaching('assets', () => statement.all<TransferRow>())
    return results.map(transferOf)
  }

  /** One transaction: the event and the owner change together, and only from the standing that was judged. */
  async transfer({ header, attestations, previousOwner, position }: NewTransfer, now: number): Promise<boolean> {
    const standing = 'SELECT 1 FROM assets WHERE asset_id = ?1 AND owner = ?2 AND transfers = ?3'
    const [event] = await reaching('assets', () =>
      this.#db.batch([
        this.#db
          .prepare(
            `INSERT INTO asset_transfers (asset_id, ${TRANSFER})
             SELECT ?1, ?3, ?4, ?5, ?2, ?6, ?7 WHERE EXISTS (${standing}) RETURNING 1`,
          )
          .bind(
            header.assetId,
            previousOwner,
            position,
            JSON.stringify(header),
            JSON.stringify(attestations),
            header.to,
            now,
          ),
        this.#db
          .prepare(
            `UPDATE assets SET owner = ?4, transfers = transfers + 1, updated_at = ?5
             WHERE asset_id = ?1 AND owner = ?2 AND transfers = ?3`,
          )
          .bind(header.assetId, previousOwner, position, header.to, now),
      ]),
    )
    return event?.results.length === 1
  }

  /**
   * Adds a receipt of an asset that this owner has; `full` at 128, `moved` when the asset is another's by now. The same
   * mapping again is the same receipt.
   */
  async addReceipt(
    assetId: string,
    owner: string,
    receipt: Omit<AssetReceipt, 'mappedAt'>,
    now: number,
  ): Promise<'added' | 'full' | 'moved'> {
    const { standard, contract, tokenId, chainId, txHash } = receipt
    const [, found] = await reaching('assets', () =>
      this.#db.batch<{ owner: string; mapped: 0 | 1 }>([
        this.#db
          .prepare(
            `INSERT INTO asset_receipts (asset_id, standard, contract, token_id, chain_id, tx_hash, mapped_at)
             SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7
             WHERE (SELECT count(*) FROM asset_receipts WHERE asset_id = ?1) < ?8
               AND EXISTS (SELECT 1 FROM assets WHERE asset_id = ?1 AND owner = ?9)
             ON CONFLICT DO NOTHING`,
          )
          .bind(assetId, standard, contract, tokenId, chainId ?? '', txHash ?? null, now, MAX_RECEIPTS, owner),
        this.#db
          .prepare(
            `SELECT owner, EXISTS (
               SELECT 1 FROM asset_receipts
               WHERE asset_id = ?1 AND standard = ?2 AND contract = ?3 AND token_id = ?4 AND chain_id = ?5
             ) AS mapped FROM assets WHERE asset_id = ?1`,
          )
          .bind(assetId, standard, contract, tokenId, chainId ?? ''),
      ]),
    )
    const [standing] = found?.results ?? []
    if (standing?.owner !== owner) return 'moved'
    return standing.mapped ? 'added' : 'full'
  }
}

function standingOf(row: AssetRow): AssetStanding {
  return {
    header: JSON.parse(row.header) as AssetMintHeader,
    asset: JSON.parse(row.asset) as AssetCore,
    attestations: JSON.parse(row.attestations) as GovernanceAttestation[],
    owner: row.owner,
    transfers: row.transfers,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

function transferOf(row: TransferRow): AssetTransferEvent {
  return {
    header: JSON.parse(row.header) as AssetTransferHeader,
    attestations: JSON.parse(row.attestations) as GovernanceAttestation[],
    previousOwner: row.previous_owner,
    newOwner: row.new_owner,
    occurredAt: new Date(row.occurred_at).toISOString(),
  }
}

function receiptOf(row: ReceiptRow): AssetReceipt {
  return {
    standard: row.standard,
    contract: row.contract,
    tokenId: row.token_id,
    ...(row.chain_id === '' ? {} : { chainId: row.chain_id }),
    ...(row.tx_hash === null ? {} : { txHash: row.tx_hash }),
    mappedAt: new Date(row.mapped_at).toISOString(),
  }
}
