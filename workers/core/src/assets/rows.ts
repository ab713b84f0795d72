import type {
  AssetCore,
  AssetMintHeader,
  AssetReceipt,
  AssetTransferEvent,
  AssetTransferHeader,
} from '@svc/protocol/ledger/assets'
import type { GovernanceAttestation } from '@svc/protocol/ledger/attestations'

export interface AssetRow {
  asset_id: string
  proved: 0 | 1
  header: string
  asset: string
  attestations: string
  owner: string
  transfers: number
  head: string
  created_at: number
  updated_at: number
}

export interface TransferRow {
  position: number
  header: string
  attestations: string
  previous_owner: string
  new_owner: string
  occurred_at: number
}

export interface ReceiptRow {
  standard: 'erc721' | 'erc1155'
  contract: string
  token_id: string
  chain_id: string
  tx_hash: string | null
  mapped_at: number
}

export const ASSET = 'asset_id, proved, header, asset, attestations, owner, transfers, head, created_at, updated_at'
export const RECEIPT = 'standard, contract, token_id, chain_id, tx_hash, mapped_at'
export const TRANSFER = 'position, header, attestations, previous_owner, new_owner, occurred_at'

/** What decides about an asset. */
export interface AssetStanding {
  readonly assetId: string
  /** Whether the id certifies the identity that signed the mint. */
  readonly isProved: boolean
  readonly header: AssetMintHeader
  readonly asset: AssetCore
  readonly attestations: readonly GovernanceAttestation[]
  readonly owner: string
  /** Number of transfers so far. */
  readonly transfers: number
  /** Hash of the newest event. */
  readonly head: string
  readonly createdAt: number
  readonly updatedAt: number
}

export function standingOf(row: AssetRow): AssetStanding {
  return {
    assetId: row.asset_id,
    isProved: row.proved === 1,
    header: JSON.parse(row.header) as AssetMintHeader,
    asset: JSON.parse(row.asset) as AssetCore,
    attestations: JSON.parse(row.attestations) as GovernanceAttestation[],
    owner: row.owner,
    transfers: row.transfers,
    head: row.head,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

export function transferOf(row: TransferRow): AssetTransferEvent {
  return {
    header: JSON.parse(row.header) as AssetTransferHeader,
    attestations: JSON.parse(row.attestations) as GovernanceAttestation[],
    previousOwner: row.previous_owner,
    newOwner: row.new_owner,
    occurredAt: new Date(row.occurred_at).toISOString(),
  }
}

export function receiptOf(row: ReceiptRow): AssetReceipt {
  return {
    standard: row.standard,
    contract: row.contract,
    tokenId: row.token_id,
    ...(row.chain_id === '' ? {} : { chainId: row.chain_id }),
    ...(row.tx_hash === null ? {} : { txHash: row.tx_hash }),
    mappedAt: new Date(row.mapped_at).toISOString(),
  }
}
