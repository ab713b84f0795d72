import { type ObjectStorage, Outbox, outboxTable, type Sql, type TableGroup } from '@svc/objects'
import { HASH_ALG } from '@svc/protocol/base/labels'
import type { LoggedAnchor } from '@svc/protocol/ledger/anchor-log'
import type { GovernanceAttestation } from '@svc/protocol/ledger/attestations'
import type { LogPosition } from '@svc/protocol/merkle/log-name'

export const ANCHORS: TableGroup = {
  name: 'anchors',
  steps: [
    {
      name: 'anchors of the owner, and those on their way',
      sql: `
        CREATE TABLE anchors (
          seq INTEGER PRIMARY KEY, anchor_id TEXT NOT NULL UNIQUE, root TEXT NOT NULL, epoch TEXT NOT NULL,
          created_at TEXT NOT NULL, attestations TEXT NOT NULL,
          -- Hides in the log what the leaf commits to.
          salt TEXT NOT NULL,
          -- The log that the anchor belongs to once it is sent there, and its place.
          log TEXT, idx INTEGER,
          -- The leaf of an anchor that the operator withholds: nothing else of it is kept.
          withheld TEXT
        ) STRICT;
        ${outboxTable('undelivered_anchors')}`,
    },
  ],
}

/** An anchor as its owner has it. */
export interface OwnedAnchor {
  readonly anchor: Omit<LoggedAnchor, 'owner'>
  readonly log: string | null
  readonly index: number | null
  /** Its leaf, if it is withheld. */
  readonly withheld: string | null
}

interface AnchorSql extends Record<string, SqlStorageValue> {
  anchor_id: string
  root: string
  epoch: string
  created_at: string
  attestations: string
  salt: string
  log: string | null
  idx: number | null
  withheld: string | null
}

/** The anchors of an identity in its object's SQLite: the first place where one is durable, and the index of its owner. */
export class OwnedAnchors {
  readonly #sql: Sql
  readonly #outbox: Outbox

  constructor(stored: ObjectStorage) {
    this.#sql = stored.tables(ANCHORS)
    this.#outbox = new Outbox(this.#sql, 'undelivered_anchors')
  }

  find(anchorId: string): OwnedAnchor | null {
    const [row] = this.#sql.exec<AnchorSql>('SELECT * FROM anchors WHERE anchor_id = ?', anchorId).toArray()
    return row ? ownedOf(row) : null
  }

  newest(): OwnedAnchor | null {
    const [row] = this.#sql
      .exec<AnchorSql>('SELECT * FROM anchors WHERE withheld IS NULL ORDER BY seq DESC LIMIT 1')
      .toArray()
    return row ? ownedOf(row) : null
  }

  /** Call in the transaction that accepts it. */
  add({ anchorId, root, epoch, createdAt, attestations, salt }: OwnedAnchor['anchor'], dueAt: number): void {
    this.#sql.exec(
      'INSERT INTO anchors (anchor_id, root, epoch, created_at, attestations, salt) VALUES (?, ?, ?, ?, ?, ?)',
      anchorId,
      root,
      epoch,
      createdAt,
      JSON.stringify(attestations),
      salt,
    )
    this.#outbox.add({ id: anchorId, item: '' }, dueAt)
  }

  isWaiting(anchorId: string): boolean {
    return this.#sql.exec('SELECT 1 FROM undelivered_anchors WHERE id = ?', anchorId).toArray().length > 0
  }

  dueAt(): number | null {
    return this.#outbox.dueAt()
  }

  /** The oldest that are on their way; none before the next delivery is due. */
  due(now: number, limit: number): OwnedAnchor[] {
    const waiting = this.#outbox.due(now, limit).map(({ id }) => id)
    return this.#sql
      .exec<AnchorSql>(
        'SELECT * FROM anchors WHERE withheld IS NULL AND anchor_id IN (SELECT value FROM json_each(?)) ORDER BY seq',
        JSON.stringify(waiting),
      )
      .toArray()
      .map(ownedOf)
  }

  /** They belong to this log from now on, unless they belong to one already: no anchor gets into two. */
  sendTo(log: string, anchorIds: readonly string[]): void {
    this.#sql.exec(
      'UPDATE anchors SET log = ? WHERE log IS NULL AND anchor_id IN (SELECT value FROM json_each(?))',
      log,
      JSON.stringify(anchorIds),
    )
  }

  /** What a closed log has not taken belongs to the next one. */
  moveTo(log: string, anchorIds: readonly string[]): void {
    this.#sql.exec(
      'UPDATE anchors SET log = ? WHERE idx IS NULL AND anchor_id IN (SELECT value FROM json_each(?))',
      log,
      JSON.stringify(anchorIds),
    )
  }

  placed(anchorId: string, { log, index }: LogPosition): void {
    this.#sql.exec('UPDATE anchors SET log = ?, idx = ? WHERE anchor_id = ?', log, index, anchorId)
  }

  /** What was published of it before: the object had lost it in a restore, and its owner has submitted it again. */
  restore(anchorId: string, { createdAt, attestations, salt }: LoggedAnchor): void {
    this.#sql.exec(
      'UPDATE anchors SET created_at = ?, attestations = ?, salt = ? WHERE anchor_id = ?',
      createdAt,
      JSON.stringify(attestations),
      salt,
      anchorId,
    )
  }

  /** Deletes everything but the id. Returns whether it was not withheld before. */
  withhold(anchorId: string, leaf: string): boolean {
    const isNew = this.find(anchorId)?.withheld === null
    this.#sql.exec(
      "UPDATE anchors SET root = '', epoch = '', attestations = '[]', salt = '', withheld = ? WHERE anchor_id = ?",
      leaf,
      anchorId,
    )
    return isNew
  }

  settle(anchorIds: readonly string[], hasArrived: boolean, now: number): void {
    const delivered = anchorIds.map((id) => ({ id }))
    this.#outbox.settle(delivered, hasArrived, now)
  }
}

function ownedOf(row: AnchorSql): OwnedAnchor {
  const { anchor_id: anchorId, root, epoch, created_at: createdAt, salt, log, idx: index, withheld } = row
  const attestations = JSON.parse(row.attestations) as GovernanceAttestation[]
  return { anchor: { anchorId, root, epoch, hashAlg: HASH_ALG, createdAt, attestations, salt }, log, index, withheld }
}
