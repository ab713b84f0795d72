import { bytesOf, encodeBase64url } from '@svc/protocol/base/base64url'
import { fromHex, toHex } from '@svc/protocol/base/hash'
import { HASH_ALG } from '@svc/protocol/base/labels'
import { ANCHOR_STATUSES, type AnchorLeaf, type AnchorRecord } from '@svc/protocol/ledger/anchors'
import type { WithheldGround, WithheldNotice } from '@svc/protocol/ledger/withheld-notice'
import type { LogPosition } from '@svc/protocol/merkle/log-name'

const DID = 'did:svc:'

/** As D1 returns a row: blobs are arrays of bytes. */
export interface AnchorRow {
  log_no: number
  idx: number
  log: string
  anchor_id: number[]
  owner: number[]
  root: number[]
  epoch: string
  created_at: number
  salt: number[]
  status: number
  /** Of its attestations as JSON, so that a page knows its size before it reads them. */
  attested_bytes: number
}

export interface PublicationRow {
  anchor_id: number[]
  chain: string
  tx: string
  state: 'published' | 'confirmed'
}

export interface WithheldRow {
  log_no: number
  idx: number
  log: string
  ground: WithheldGround
  day: string
  act_log: string
  act_idx: number
}

/** An anchor that is withheld: its place, and what a state proof tells of it besides the leaf. */
export interface WithheldPlace {
  readonly position: LogPosition
  readonly notice: Omit<WithheldNotice, 'leaf'>
}

export function withheldPlaceOf({ log, idx, ground, day, act_log, act_idx }: WithheldRow): WithheldPlace {
  return { position: { log, index: idx }, notice: { ground, day, position: { log: act_log, index: act_idx } } }
}

/** The place after which a page continues: logs in the order in which they opened, and the index in the log. */
export type AnchorPlace = readonly [logNo: number, index: number]

/** What the index says of an anchor: all of a record except its attestations. */
export type IndexedAnchor = Omit<AnchorRecord, 'attestations' | 'position'> & { readonly position: LogPosition }

export const idBytes = (anchorId: string) => bytesOf(anchorId)
export const idOf = (bytes: readonly number[]) => encodeBase64url(new Uint8Array(bytes))
export const ownerBytes = (did: string) => bytesOf(did.slice(DID.length))
export const rootBytes = (root: string) => fromHex(root)
export const statusNumber = (status: AnchorRecord['status']) => ANCHOR_STATUSES.indexOf(status)

function leafOf(row: AnchorRow): Omit<AnchorLeaf, 'attestationsHash'> {
  return {
    anchorId: idOf(row.anchor_id),
    root: toHex(new Uint8Array(row.root)),
    epoch: row.epoch,
    hashAlg: HASH_ALG,
    createdAt: new Date(row.created_at).toISOString(),
    owner: `${DID}${encodeBase64url(new Uint8Array(row.owner))}`,
    salt: encodeBase64url(new Uint8Array(row.salt)),
  }
}

export function factsOf(row: AnchorRow, publications: readonly PublicationRow[] = []): IndexedAnchor {
  const status = ANCHOR_STATUSES[row.status]
  if (!status) throw new Error('the index has a status that does not exist')
  return {
    ...leafOf(row),
    ...(publications.length > 0 ? { chains: publications.map(({ chain, tx }) => ({ chain, tx })) } : {}),
    status,
    position: { log: row.log, index: row.idx },
  }
}
