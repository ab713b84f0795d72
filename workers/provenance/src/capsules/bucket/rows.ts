import type { CapsuleKind, ChainBinding } from '@svc/protocol/provenance/capsules'

export interface NewCapsule {
  readonly assetId: string
  readonly did: string
  readonly kind: CapsuleKind
  readonly capsuleHash: string
  readonly bodyKey: string
}

export interface StoredCapsule extends NewCapsule {
  readonly position: number
  readonly registeredAt: number
  readonly chain: ChainBinding | null
}

export type Claim = Pick<StoredCapsule, 'did' | 'capsuleHash' | 'position' | 'registeredAt'>

/** A registration with the first of all claims to its asset. */
export interface ClaimedCapsule {
  readonly stored: StoredCapsule
  readonly claims: Claim[]
  readonly count: number
}

export type CapsuleRow = {
  asset_id: string
  did: string
  kind: CapsuleKind
  capsule_hash: string
  body_key: string
  position: number
  registered_at: number
  block_index: string | null
  block_hash: string | null
  block_accepted_at: number | null
}

export const CAPSULE_COLUMNS = `asset_id, did, kind, capsule_hash, body_key, position, registered_at, block_index, block_hash,
  block_accepted_at`

export function capsuleOf(row: CapsuleRow): StoredCapsule {
  const { block_index: index, block_hash: hash, block_accepted_at: acceptedAt } = row
  return {
    assetId: row.asset_id,
    did: row.did,
    kind: row.kind,
    capsuleHash: row.capsule_hash,
    bodyKey: row.body_key,
    position: row.position,
    registeredAt: row.registered_at,
    chain: index === null || hash === null || acceptedAt === null ? null : { index, hash, acceptedAt },
  }
}
