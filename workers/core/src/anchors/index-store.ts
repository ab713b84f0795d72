import { bytesOf } from '@svc/protocol/base/base64url'
import { reaching } from '@svc/protocol/base/dependency-fault'
import { toHex } from '@svc/protocol/base/hash'
import type { LoggedAnchor } from '@svc/protocol/ledger/anchor-log'
import type { AnchorStatus, SignedPublication } from '@svc/protocol/ledger/anchors'
import type { WithheldNotice } from '@svc/protocol/ledger/withheld-notice'
import type { LogPosition } from '@svc/protocol/merkle/log-name'
import { countFitting, sentBytes } from './page.ts'
import {
  type AnchorPlace,
  type AnchorRow,
  factsOf,
  type IndexedAnchor,
  idBytes,
  idOf,
  ownerBytes,
  type PublicationRow,
  rootBytes,
  statusNumber,
  type WithheldPlace,
  type WithheldRow,
  withheldPlaceOf,
} from './rows.ts'

export type { IndexedAnchor } from './rows.ts'

export interface UntoldPublication {
  readonly anchorId: string
  readonly owner: string
  readonly chain: string
  readonly tx: string
  readonly state: 'published' | 'confirmed'
}

/** In one run: a call to an object for each. */
const MAX_TOLD = 50

const ANCHORS = `SELECT log_no, idx, log, anchor_id, owner, root, epoch, created_at, salt, status, attested_bytes
  FROM anchors JOIN anchor_logs USING (log_no)`

/** Each has an index in the order of the list, so that a page reads what it returns. */
const AFTER = '(log_no, idx) < (?1, ?2) ORDER BY log_no DESC, idx DESC LIMIT ?3'
const PAGE = `${ANCHORS} WHERE ${AFTER}`
/** The index has eight bytes of an owner, which tell owners apart unless somebody chooses them. */
const OF_OWNER = 'substr(owner, 1, 8) = substr(?4, 1, 8) AND owner = ?4'
const PAGE_OF_OWNER = `${ANCHORS} WHERE ${OF_OWNER} AND ${AFTER}`
const PAGE_OF_STATUS = `${ANCHORS} WHERE status = ?4 AND ${AFTER}`
const PAGE_OF_BOTH = `${ANCHORS} WHERE ${OF_OWNER} AND status = ?5 AND ${AFTER}`
/** Oldest first: who was first is what somebody with a file asks, and later anchors of it cannot hide that. */
const PAGE_OF_ROOT = `${ANCHORS} WHERE substr(root, 1, 8) = substr(?4, 1, 8) AND (log_no, idx) > (?1, ?2)
  ORDER BY log_no, idx LIMIT ?3`
const NEWEST: AnchorPlace = [Number.MAX_SAFE_INTEGER, 0]
const OLDEST: AnchorPlace = [0, 0]

/** Which anchors a list has. Of all owners and with any status, unless it says otherwise. */
export interface AnchorFilter {
  readonly owner?: string | undefined
  readonly status?: AnchorStatus | undefined
  readonly root?: string | undefined
}

/**
 * The index of anchors in D1: what lists and lookups need, in the order that the logs' objects set. All of it follows from
 * the logs and files in R2, from which an operator rebuilds it.
 */
export class AnchorIndex {
  readonly #db: D1Database

  constructor(db: D1Database) {
    this.#db = db
  }

  /** Existing rows are kept as they are, and what is withheld stays out. */
  async put(log: string, anchors: readonly (LoggedAnchor & { readonly index: number })[]): Promise<void> {
    if (anchors.length === 0) return
    const named = this.#db.prepare('INSERT INTO anchor_logs (log) VALUES (?) ON CONFLICT DO NOTHING').bind(log)
    const rows = anchors.map(({ index, anchorId, owner, root, epoch, createdAt, attestations, salt }) =>
      this.#db
        .prepare(
          `INSERT INTO anchors (log_no, idx, anchor_id, owner, root, epoch, created_at, attested_bytes, salt)
           SELECT log_no, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9 FROM anchor_logs l WHERE log = ?1
             AND NOT EXISTS (SELECT 1 FROM withheld_anchors w WHERE w.log_no = l.log_no AND w.idx = ?2)
           ON CONFLICT DO NOTHING`,
        )
        .bind(
          log,
          index,
          idBytes(anchorId),
          ownerBytes(owner),
          rootBytes(root),
          epoch,
          Date.parse(createdAt),
          JSON.stringify(attestations).length,
          bytesOf(salt),
        ),
    )
    await reaching('anchors', () => this.#db.batch([named, ...rows]))
  }

  async find(anchorId: string): Promise<IndexedAnchor | null> {
    const statement = this.#db.prepare(`${ANCHORS} WHERE anchor_id = ?`).bind(idBytes(anchorId))
    const row = await reaching('anchors', () => statement.first<AnchorRow>())
    const [found] = row ? await factsIn(this.#db, [row]) : []
    return found ?? null
  }

  /**
   * A page, newest first, or of one root oldest first, after a place: at most `limit` anchors, and what fits into a page as it is sent. May
   * lack what was written last.
   */
  async list(
    filter: AnchorFilter,
    after: AnchorPlace | null,
    limit: number,
    withAttestations: boolean,
  ): Promise<{ items: IndexedAnchor[]; next: AnchorPlace | null }> {
    const replica = this.#replica()
    const start = filter.root === undefined ? NEWEST : OLDEST
    const statement = pageIn(replica, filter, after ?? start, limit + 1)
    const { results } = await reaching('anchors', () => statement.all<AnchorRow>())
    const read = results.slice(0, limit)
    const rows = read.filter((row) => isOf(filter, row))
    const facts = await factsIn(replica, rows)
    const sizes = rows.map((row, i) => sentBytes(facts[i] ?? {}, withAttestations ? row.attested_bytes : null))
    const taken = rows.slice(0, countFitting(sizes))
    const isCut = taken.length < rows.length
    const last = isCut ? taken.at(-1) : results.length > read.length ? read.at(-1) : undefined
    return { items: facts.slice(0, taken.length), next: last ? ([last.log_no, last.idx] as const) : null }
  }

  /** Removes the row of an anchor and its reports, and keeps where it was, why it is gone and where the log says so. */
  async withhold(place: LogPosition, anchorId: string | null, notice: WithheldNotice): Promise<void> {
    const id = anchorId === null ? null : idBytes(anchorId)
    const { ground, day, position } = notice
    await reaching('anchors', () =>
      this.#db.batch([
        this.#db.prepare('INSERT INTO anchor_logs (log) VALUES (?) ON CONFLICT DO NOTHING').bind(place.log),
        this.#db
          .prepare(
            `INSERT INTO withheld_anchors (log_no, idx, ground, day, act_log, act_idx)
             SELECT log_no, ?2, ?3, ?4, ?5, ?6 FROM anchor_logs WHERE log = ?1 ON CONFLICT DO NOTHING`,
          )
          .bind(place.log, place.index, ground, day, position.log, position.index),
        this.#db
          .prepare('DELETE FROM anchors WHERE idx = ?2 AND log_no = (SELECT log_no FROM anchor_logs WHERE log = ?1)')
          .bind(place.log, place.index),
        this.#db.prepare('DELETE FROM anchor_publications WHERE anchor_id = ?').bind(id),
      ]),
    )
  }

  /** The newest anchors, oldest first, with the places of those that are withheld. May lack what was written last. */
  async window(size: number): Promise<(IndexedAnchor | WithheldPlace)[]> {
    const replica = this.#replica()
    const order = 'ORDER BY log_no DESC, idx DESC LIMIT ?'
    const [shown, withheld] = await reaching('anchors', () =>
      replica.batch<AnchorRow | WithheldRow>([
        replica.prepare(`${ANCHORS} ${order}`).bind(size),
        replica
          .prepare(`SELECT log_no, idx, log, ground, day, act_log, act_idx FROM withheld_anchors
          JOIN anchor_logs USING (log_no) ${order}`)
          .bind(size),
      ]),
    )
    return [...(shown?.results ?? []), ...(withheld?.results ?? [])]
      .toSorted((a, b) => a.log_no - b.log_no || a.idx - b.idx)
      .slice(-size)
      .map((row) => ('act_log' in row ? withheldPlaceOf(row) : factsOf(row)))
  }

  /** Whether the log has an anchor. */
  async hasLog(log: string): Promise<boolean> {
    const statement = this.#db.prepare('SELECT 1 AS one FROM anchor_logs WHERE log = ?').bind(log)
    return (await reaching('anchors', () => statement.first('one'))) !== null
  }

  /**
   * Accepts a report once: the nonce, the report and the status of the anchor are written in one transaction. `replay` if
   * another request has used the nonce. A confirmed publication stays confirmed, and so does its anchor.
   */
  async publish(
    anchorId: string,
    { statement: { chain, tx, state, nonce, issuedAt } }: SignedPublication,
    requestId: string,
    now: number,
  ): Promise<'taken' | 'replay'> {
    const id = idBytes(anchorId)
    const isFirst = 'EXISTS (SELECT 1 FROM anchor_publication_nonces WHERE nonce = ? AND request_id = ?)'
    const [, taken] = await reaching('anchors', () =>
      this.#db.batch([
        this.#db
          .prepare(
            `INSERT INTO anchor_publication_nonces (nonce, request_id, taken_at) VALUES (?, ?, ?)
             ON CONFLICT DO NOTHING`,
          )
          .bind(nonce, requestId, now),
        this.#db.prepare(`SELECT 1 WHERE ${isFirst}`).bind(nonce, requestId),
        this.#db
          .prepare(
            `INSERT INTO anchor_publications (anchor_id, chain, tx, state, reported_at) SELECT ?, ?, ?, ?, ?
             WHERE ${isFirst} ON CONFLICT (anchor_id, chain, tx) DO UPDATE SET state = excluded.state, told = 0
               WHERE excluded.state = 'confirmed' AND state <> excluded.state`,
          )
          .bind(id, chain, tx, state, issuedAt, nonce, requestId),
        this.#db
          .prepare(`UPDATE anchors SET status = max(status, ?) WHERE anchor_id = ? AND ${isFirst}`)
          .bind(statusNumber(state), id, nonce, requestId),
      ]),
    )
    return taken?.results.length === 1 ? 'taken' : 'replay'
  }

  /** Forgets nonces whose reports are too old to be accepted again. R2 has every one for good. */
  async forgetNonces(before: number): Promise<void> {
    const statement = this.#db.prepare('DELETE FROM anchor_publication_nonces WHERE taken_at < ?').bind(before)
    await reaching('anchors', () => statement.run())
  }

  /** Publications that the event feed of their owner does not have, of one anchor or of any. */
  async untold(anchorId: string | null): Promise<UntoldPublication[]> {
    const statement = this.#db
      .prepare(
        `SELECT log_no, idx, log, a.anchor_id, owner, root, epoch, created_at, salt, a.status, attested_bytes, p.chain, p.tx, p.state
         FROM anchor_publications p JOIN anchors a ON a.anchor_id = p.anchor_id JOIN anchor_logs USING (log_no)
         WHERE p.told = 0 AND (?1 IS NULL OR p.anchor_id = ?1) ORDER BY p.anchor_id LIMIT ?2`,
      )
      .bind(anchorId === null ? null : idBytes(anchorId), MAX_TOLD)
    const { results } = await reaching('anchors', () => statement.all<AnchorRow & PublicationRow>())
    return results.map((row) => {
      const { chain, tx, state } = row
      const { anchorId: id, owner } = factsOf(row)
      return { anchorId: id, owner, chain, tx, state }
    })
  }

  /** Unless it has become another in the meantime. */
  async told({ anchorId, chain, tx, state }: UntoldPublication): Promise<void> {
    const statement = this.#db
      .prepare('UPDATE anchor_publications SET told = 1 WHERE anchor_id = ? AND chain = ? AND tx = ? AND state = ?')
      .bind(idBytes(anchorId), chain, tx, state)
    await reaching('anchors', () => statement.run())
  }

  /** The copy that is closest. Where nothing is replicated it is the database itself. */
  #replica(): D1DatabaseSession {
    return this.#db.withSession('first-unconstrained')
  }
}

type Readable = Pick<D1Database, 'prepare'>

function pageIn(
  db: Readable,
  { owner, status, root }: AnchorFilter,
  after: AnchorPlace,
  limit: number,
): D1PreparedStatement {
  const owned = owner === undefined ? null : ownerBytes(owner)
  const state = status === undefined ? null : statusNumber(status)
  if (root !== undefined) return db.prepare(PAGE_OF_ROOT).bind(...after, limit, rootBytes(root))
  if (owned === null && state === null) return db.prepare(PAGE).bind(...after, limit)
  if (state === null) return db.prepare(PAGE_OF_OWNER).bind(...after, limit, owned)
  if (owned === null) return db.prepare(PAGE_OF_STATUS).bind(...after, limit, state)
  return db.prepare(PAGE_OF_BOTH).bind(...after, limit, owned, state)
}

/** A page of a root is read by the first bytes of the root alone. The other pages read what they return. */
function isOf({ owner, status, root }: AnchorFilter, row: AnchorRow): boolean {
  if (root === undefined) return true
  const found = factsOf(row)
  return found.root === root && found.owner === (owner ?? found.owner) && found.status === (status ?? found.status)
}

async function factsIn(db: Readable, rows: readonly AnchorRow[]): Promise<IndexedAnchor[]> {
  const publications = await publicationsIn(db, rows)
  return rows.map((row) => factsOf(row, publications.get(idOf(row.anchor_id))))
}

async function publicationsIn(db: Readable, rows: readonly AnchorRow[]): Promise<Map<string, PublicationRow[]>> {
  const published = rows.filter(({ status }) => status > 0)
  if (published.length === 0) return new Map()
  const statement = db
    .prepare(
      `SELECT p.anchor_id, p.chain, p.tx, p.state FROM json_each(?) n
         JOIN anchor_publications p ON p.anchor_id = unhex(n.value) ORDER BY p.reported_at, p.chain, p.tx`,
    )
    .bind(JSON.stringify(published.map((row) => toHex(new Uint8Array(row.anchor_id)))))
  const { results } = await reaching('anchors', () => statement.all<PublicationRow>())
  return Map.groupBy(results, (row) => idOf(row.anchor_id))
}
