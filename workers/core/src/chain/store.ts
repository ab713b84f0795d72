import type { Facts, ObjectStorage, Sql, TableGroup } from '@svc/objects'
import type { Appended, Indexing } from '@svc/protocol/chain/api'
import type { ChainHead } from '@svc/protocol/chain/chain'
import type { ChainRecord } from './record.ts'

export const PAYLOADS: TableGroup = {
  name: 'payloads',
  steps: [
    {
      name: 'payloads',
      sql: `
        CREATE TABLE payloads (idx INTEGER PRIMARY KEY, bytes BLOB, r2_key TEXT) STRICT;
        CREATE INDEX payloads_in_r2 ON payloads (r2_key) WHERE r2_key IS NOT NULL;`,
    },
  ],
}

/** Made with the second block: until then the genesis block alone is searched. */
export const BLOCK_INDEX: TableGroup = {
  name: 'block_index',
  steps: [
    {
      name: 'blocks by hash and by content type',
      sql: `
        CREATE TABLE block_index (
          hash TEXT PRIMARY KEY, idx INTEGER NOT NULL, content_type TEXT
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX block_index_by_type ON block_index (content_type, idx);
        INSERT INTO block_index (hash, idx, content_type) SELECT hash, idx, content_type FROM blocks WHERE idx = 0;`,
    },
  ],
}

/** Where a payload is stored: small ones beside their block, large ones in R2. */
export type StoredPayload = { readonly bytes: Uint8Array } | { readonly r2Key: string }

/** A payload in R2 counts towards the budget of its owner as well. */
export type NewPayload =
  | { readonly bytes: Uint8Array }
  | { readonly r2Key: string; readonly length: number; readonly notedAt: number }

export interface BlockRange {
  readonly from: number
  readonly to: number
  readonly limit: number
  readonly contentType: string | null
}

interface BlockRow {
  [column: string]: SqlStorageValue
  idx: number
  hash: string
  version: 2 | 3 | 4
  timestamp: string
  previous_hash: string
  data_hash: string
  metadata_hash: string
  signature: ArrayBuffer
  content_type: string | null
  key_epoch: number
}

const COLUMNS =
  'idx, hash, version, timestamp, previous_hash, data_hash, metadata_hash, signature, content_type, key_epoch'
/** About 40 bytes a row: one step of a rebuild occupies the object for a few milliseconds. */
const REBUILD_STEP = 2_000

/** The blocks of one identity, in its object's SQLite. `blocks` is authoritative; `block_index` is derived from it. */
export class IdentityChainStore {
  readonly #sql: Sql
  readonly #facts: Facts
  readonly #payloads: Sql
  readonly #index: Sql
  readonly #hasIndex: () => boolean

  constructor(stored: ObjectStorage) {
    this.#sql = stored.sql
    this.#facts = stored.facts
    this.#payloads = stored.tables(PAYLOADS)
    this.#index = stored.tables(BLOCK_INDEX)
    this.#hasIndex = () => stored.hasMade(BLOCK_INDEX)
  }

  head(): ChainHead | null {
    const [row] = this.#sql
      .exec<{ idx: number; hash: string }>('SELECT idx, hash FROM blocks ORDER BY idx DESC LIMIT 1')
      .toArray()
    return row ? { index: String(row.idx), hash: row.hash } : null
  }

  /** Genesis writes the identity and block "0" together, so an identity always has a head. */
  mustHead(): ChainHead {
    const head = this.head()
    if (!head) throw new Error('Identity without a genesis block')
    return head
  }

  /** When the newest block after genesis was accepted. */
  lastAcceptedAt(): number | null {
    const [row] = this.#sql
      .exec<{ accepted_at: number }>('SELECT accepted_at FROM blocks WHERE idx > 0 ORDER BY idx DESC LIMIT 1')
      .toArray()
    return row?.accepted_at ?? null
  }

  /** The receipt of this very block; null if it was never appended. */
  receipt(index: number, hash: string): Appended | null {
    const [row] = this.#sql
      .exec<{ accepted_at: number }>('SELECT accepted_at FROM blocks WHERE idx = ? AND hash = ?', index, hash)
      .toArray()
    return row ? { index: String(index), hash, acceptedAt: row.accepted_at } : null
  }

  at(index: number): ChainRecord | null {
    const [row] = this.#sql.exec<BlockRow>(`SELECT ${COLUMNS} FROM blocks WHERE idx = ?`, index).toArray()
    return row ? fromRow(row) : null
  }

  /** By index or block hash. A hash is looked up in the projection, or in the blocks during a rebuild. */
  find(blockId: string): ChainRecord | null {
    if (blockId.length < 96) return this.at(Number(blockId))
    const table = this.#hasIndex() && !this.indexing() ? 'block_index' : 'blocks'
    const [row] = this.#sql.exec<{ idx: number }>(`SELECT idx FROM ${table} WHERE hash = ?`, blockId).toArray()
    return row ? this.at(row.idx) : null
  }

  /** Ascending. One row more than `limit` means there is a next page. */
  range({ from, to, limit, contentType }: BlockRange): ChainRecord[] {
    const rows =
      contentType === null
        ? this.#sql.exec<BlockRow>(
            `SELECT ${COLUMNS} FROM blocks WHERE idx BETWEEN ? AND ? ORDER BY idx LIMIT ?`,
            from,
            to,
            limit + 1,
          )
        : this.#sql.exec<BlockRow>(
            `SELECT ${COLUMNS} FROM blocks WHERE idx IN (
               SELECT idx FROM ${this.#hasIndex() ? 'block_index' : 'blocks'} WHERE content_type = ? AND idx BETWEEN ? AND ? ORDER BY idx LIMIT ?
             ) ORDER BY idx`,
            contentType,
            from,
            to,
            limit + 1,
          )
    return rows.toArray().map(fromRow)
  }

  payload(index: number): StoredPayload | null {
    const [row] = this.#payloads
      .exec<{ bytes: ArrayBuffer | null; r2_key: string | null }>(
        'SELECT bytes, r2_key FROM payloads WHERE idx = ?',
        index,
      )
      .toArray()
    if (row?.bytes) return { bytes: new Uint8Array(row.bytes) }
    return row?.r2_key ? { r2Key: row.r2_key } : null
  }

  /** Which of these keys in R2 a block refers to. */
  payloadsAmong(r2Keys: readonly string[]): string[] {
    const rows = this.#payloads.exec<{ r2_key: string }>(
      'SELECT r2_key FROM payloads WHERE r2_key IN (SELECT value FROM json_each(?))',
      JSON.stringify(r2Keys),
    )
    return rows.toArray().map(({ r2_key }) => r2_key)
  }

  /** Call in the transaction that checked the head. */
  append(record: ChainRecord, payload: NewPayload | null, acceptedAt: number): void {
    this.#sql.exec(
      `INSERT INTO blocks (${COLUMNS}, accepted_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      record.index,
      record.hash,
      record.version,
      record.timestamp,
      record.previousHash,
      record.dataHash,
      record.metadataHash,
      record.signature,
      record.contentType,
      record.keyEpoch,
      acceptedAt,
    )
    if (record.index > 0) {
      this.#index.exec(
        'INSERT OR REPLACE INTO block_index (hash, idx, content_type) VALUES (?, ?, ?)',
        record.hash,
        record.index,
        record.contentType,
      )
    }
    if (payload) {
      this.#payloads.exec(
        'INSERT INTO payloads (idx, bytes, r2_key) VALUES (?, ?, ?)',
        record.index,
        'bytes' in payload ? payload.bytes : null,
        'r2Key' in payload ? payload.r2Key : null,
      )
    }
  }

  /** Present while a rebuild is under way. */
  indexing(): Indexing | undefined {
    const progress = this.#facts.get<Omit<Indexing, 'state'>>('rebuild')
    return progress ? { state: 'rebuilding', ...progress } : undefined
  }

  /** Empties the projection; blocks appended from now on are indexed as they come. */
  startRebuild(): void {
    this.#index.exec('DELETE FROM block_index')
    this.#facts.put('rebuild', { done: 0, total: Number(this.mustHead().index) + 1 })
  }

  /** One bounded step, in order of index. Returns whether there is more to do. */
  rebuildStep(): boolean {
    const state = this.indexing()
    if (!state) return false
    const { done, total } = state
    const until = Math.min(done + REBUILD_STEP, total)
    this.#index.exec(
      `INSERT OR REPLACE INTO block_index (hash, idx, content_type)
       SELECT hash, idx, content_type FROM blocks WHERE idx >= ? AND idx < ?`,
      done,
      until,
    )
    if (until < total) this.#facts.put('rebuild', { done: until, total })
    else this.#facts.delete('rebuild')
    return until < total
  }
}

function fromRow(row: BlockRow): ChainRecord {
  return {
    index: row.idx,
    hash: row.hash,
    version: row.version,
    timestamp: row.timestamp,
    previousHash: row.previous_hash,
    dataHash: row.data_hash,
    metadataHash: row.metadata_hash,
    signature: new Uint8Array(row.signature),
    contentType: row.content_type,
    keyEpoch: row.key_epoch,
  }
}
