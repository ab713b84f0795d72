import { reaching } from '@svc/protocol/base/dependency-fault'
import { userIdOfKey } from '@svc/protocol/base/identity'
import type {
  AnchorLeaf,
  AnchorListItem,
  AnchorRecord,
  AnchorStatus,
  SignedPublication,
} from '@svc/protocol/ledger/anchors'
import type { GovernanceAttestation } from '@svc/protocol/ledger/governance'
import type { LogEntry } from './log-entry.ts'
import { countFitting, sentBytes } from './page.ts'
import {
  type AnchorPlace,
  type AnchorRow,
  type AttestationRow,
  attestationOf,
  factsOf,
  leafOf,
  type PublicationRow,
  placeKey,
} from './rows.ts'

export interface UntoldPublication extends PublicationRow {
  readonly owner: string
}

/** In one run: a call to an object for each. */
const MAX_TOLD = 50

const ANCHORS = `SELECT log_no, idx, log, anchor_id, owner, root, epoch, created_at, status, attested_bytes, leaf
  FROM anchors JOIN anchor_logs USING (log_no)`

/** Each has an index in the order of the list, so that a page reads what it returns. */
const AFTER = '(log_no, idx) < (?1, ?2) ORDER BY log_no DESC, idx DESC LIMIT ?3'
const PAGE = `${ANCHORS} WHERE ${AFTER}`
const PAGE_OF_OWNER = `${ANCHORS} WHERE owner = ?4 AND ${AFTER}`
const PAGE_OF_STATUS = `${ANCHORS} WHERE status = ?4 AND ${AFTER}`
const PAGE_OF_BOTH = `${ANCHORS} WHERE owner = ?4 AND status = ?5 AND ${AFTER}`
const NEWEST: AnchorPlace = [Number.MAX_SAFE_INTEGER, 0]

/** Which anchors a list has. Of all owners and with any status, unless it says otherwise. */
export interface AnchorFilter {
  readonly owner?: string | undefined
  readonly status?: AnchorStatus | undefined
}

/** Anchors in D1, in the order set by the logs' objects, with the publisher's reports. */
export class AnchorStore {
  readonly #db: D1Database

  constructor(db: D1Database) {
    this.#db = db
  }

  /** Existing rows are kept as they are. */
  async put(entries: readonly LogEntry[]): Promise<void> {
    const logs = [...new Set(entries.map(({ log }) => log))].map((log) =>
      this.#db.prepare('INSERT INTO anchor_logs (log) VALUES (?) ON CONFLICT DO NOTHING').bind(log),
    )
    const statements = entries.flatMap(({ log, index, anchor }) => [
      this.#db
        .prepare(
          `INSERT INTO anchors (log_no, idx, anchor_id, owner, root, epoch, created_at, leaf, attested_bytes)
           SELECT log_no, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9 FROM anchor_logs WHERE log = ?1 ON CONFLICT DO NOTHING`,
        )
        .bind(
          log,
          index,
          anchor.anchorId,
          anchor.owner,
          anchor.root,
          anchor.epoch,
          anchor.createdAt,
          anchor.leaf,
          JSON.stringify(anchor.attestations).length,
        ),
      ...anchor.attestations.flatMap((attestation, position) => this.#attestation(log, index, position, attestation)),
    ])
    await reaching('anchors', () => this.#db.batch([...logs, ...statements]))
  }

  async find(anchorId: string): Promise<AnchorRecord | null> {
    const statement = this.#db.prepare(`${ANCHORS} WHERE anchor_id = ?`).bind(anchorId)
    const row = await reaching('anchors', () => statement.first<AnchorRow>())
    const [record] = row ? await this.#records([row]) : []
    return record ?? null
  }

  async newestOf(owner: string): Promise<AnchorRecord | null> {
    const statement = this.#db.prepare(`${ANCHORS} WHERE owner = ? ORDER BY log_no DESC, idx DESC LIMIT 1`).bind(owner)
    const row = await reaching('anchors', () => statement.first<AnchorRow>())
    const [record] = row ? await this.#records([row]) : []
    return record ?? null
  }

  /** A page, newest first, after a place: at most `limit` anchors, and what fits into a page as it is sent. */
  async list(
    filter: AnchorFilter,
    after: AnchorPlace | null,
    limit: number,
    withAttestations: boolean,
  ): Promise<{ items: AnchorListItem[]; next: AnchorPlace | null }> {
    const statement = this.#page(filter, after ?? NEWEST, limit + 1)
    const { results } = await reaching('anchors', () => statement.all<AnchorRow>())
    const rows = results.slice(0, limit)
    const publications = await this.#publications(rows)
    const facts = rows.map((row) => factsOf(row, publications.get(row.anchor_id)))
    const sizes = rows.map((row, i) => sentBytes(facts[i] ?? {}, withAttestations ? row.attested_bytes : null))
    const taken = rows.slice(0, countFitting(sizes))
    const last = results.length > taken.length ? taken.at(-1) : undefined
    const next = last ? ([last.log_no, last.idx] as const) : null
    const items = withAttestations ? await this.#attested(taken, facts) : facts.slice(0, taken.length)
    return { items, next }
  }

  /** The newest leaves with the anchors they hash, oldest first. */
  async window(size: number): Promise<{ leaf: string; anchor: AnchorLeaf }[]> {
    const statement = this.#db.prepare(`${ANCHORS} ORDER BY log_no DESC, idx DESC LIMIT ?`).bind(size)
    const { results } = await reaching('anchors', () => statement.all<AnchorRow & { leaf: string }>())
    return results.toReversed().map((row) => ({ leaf: row.leaf, anchor: leafOf(row) }))
  }

  /** Whether the log has an anchor. */
  async hasLog(log: string): Promise<boolean> {
    const statement = this.#db.prepare('SELECT 1 AS one FROM anchor_logs WHERE log = ?').bind(log)
    return (await reaching('anchors', () => statement.first('one'))) !== null
  }

  /**
   * Accepts a report once: the nonce, the report and the status of the anchor are written in one transaction. `replay` if
   * the nonce was used before. A confirmed publication stays confirmed, and so does its anchor.
   */
  async publish({ statement }: SignedPublication, requestId: string, now: number): Promise<'taken' | 'replay'> {
    const { anchorId, chain, tx, state, nonce } = statement
    const [, taken] = await reaching('anchors', () =>
      this.#db.batch([
        this.#db
          .prepare(
            `INSERT INTO anchor_publication_nonces (nonce, request_id, taken_at) VALUES (?, ?, ?)
             ON CONFLICT DO NOTHING`,
          )
          .bind(nonce, requestId, now),
        this.#db
          .prepare('SELECT 1 FROM anchor_publication_nonces WHERE nonce = ? AND request_id = ?')
          .bind(nonce, requestId),
        this.#db
          .prepare(
            `INSERT INTO anchor_publications (anchor_id, chain, tx, state, reported_at)
             SELECT ?1, ?2, ?3, ?4, ?5 WHERE EXISTS
               (SELECT 1 FROM anchor_publication_nonces WHERE nonce = ?6 AND request_id = ?7)
             ON CONFLICT (anchor_id, chain, tx) DO UPDATE SET state = ?4, told = 0
               WHERE ?4 = 'confirmed' AND state <> ?4`,
          )
          .bind(anchorId, chain, tx, state, now, nonce, requestId),
        this.#db
          .prepare(
            `UPDATE anchors SET status = ?2 WHERE anchor_id = ?1 AND (status = 'submitted' OR ?2 = 'confirmed')
               AND status <> ?2 AND EXISTS
               (SELECT 1 FROM anchor_publication_nonces WHERE nonce = ?3 AND request_id = ?4)`,
          )
          .bind(anchorId, state, nonce, requestId),
      ]),
    )
    return taken?.results.length === 1 ? 'taken' : 'replay'
  }

  /** Publications that the event feed of their owner does not have, of one anchor or of any. */
  async untold(anchorId: string | null): Promise<UntoldPublication[]> {
    const statement = this.#db
      .prepare(
        `SELECT p.anchor_id, p.chain, p.tx, p.state, a.owner FROM anchor_publications p
         JOIN anchors a ON a.anchor_id = p.anchor_id
         WHERE p.told = 0 AND (?1 IS NULL OR p.anchor_id = ?1) ORDER BY p.anchor_id LIMIT ?2`,
      )
      .bind(anchorId, MAX_TOLD)
    return (await reaching('anchors', () => statement.all<UntoldPublication>())).results
  }

  /** Unless it has become another in the meantime. */
  async told({ anchor_id, chain, tx, state }: UntoldPublication): Promise<void> {
    const statement = this.#db
      .prepare('UPDATE anchor_publications SET told = 1 WHERE anchor_id = ? AND chain = ? AND tx = ? AND state = ?')
      .bind(anchor_id, chain, tx, state)
    await reaching('anchors', () => statement.run())
  }

  #attestation(
    log: string,
    index: number,
    position: number,
    attestation: GovernanceAttestation,
  ): D1PreparedStatement[] {
    const { publicKeyB64u, signatureB64u, signedAt } = attestation
    const userId = userIdOfKey(publicKeyB64u)
    return [
      this.#db
        .prepare('INSERT INTO attestation_keys (user_id, public_key) VALUES (?, ?) ON CONFLICT DO NOTHING')
        .bind(userId, publicKeyB64u),
      this.#db
        .prepare(
          `INSERT INTO anchor_attestations (log_no, idx, position, user_id, signature, signed_at)
           SELECT log_no, ?2, ?3, ?4, ?5, ?6 FROM anchor_logs WHERE log = ?1 ON CONFLICT DO NOTHING`,
        )
        .bind(log, index, position, userId, signatureB64u, signedAt ?? null),
    ]
  }

  #page({ owner, status }: AnchorFilter, after: AnchorPlace, limit: number): D1PreparedStatement {
    if (owner === undefined && status === undefined) return this.#db.prepare(PAGE).bind(...after, limit)
    if (status === undefined) return this.#db.prepare(PAGE_OF_OWNER).bind(...after, limit, owner)
    if (owner === undefined) return this.#db.prepare(PAGE_OF_STATUS).bind(...after, limit, status)
    return this.#db.prepare(PAGE_OF_BOTH).bind(...after, limit, owner, status)
  }

  /** Adds attestations and publications to rows. */
  async #records(rows: readonly AnchorRow[]): Promise<AnchorRecord[]> {
    const publications = await this.#publications(rows)
    return this.#attested(
      rows,
      rows.map((row) => factsOf(row, publications.get(row.anchor_id))),
    )
  }

  /** Adds attestations to the facts of rows. */
  async #attested(
    rows: readonly AnchorRow[],
    facts: readonly Omit<AnchorRecord, 'attestations'>[],
  ): Promise<AnchorRecord[]> {
    const statement = this.#db
      .prepare(
        `SELECT a.log_no, a.idx, k.public_key, a.signature, a.signed_at FROM json_each(?) p
         JOIN anchor_attestations a ON a.log_no = p.value ->> 0 AND a.idx = p.value ->> 1
         JOIN attestation_keys k ON k.user_id = a.user_id ORDER BY a.log_no, a.idx, a.position`,
      )
      .bind(JSON.stringify(rows.map(({ log_no, idx }) => [log_no, idx])))
    const { results } = await reaching('anchors', () => statement.all<AttestationRow>())
    const attestations = Map.groupBy(results, placeKey)
    return rows.flatMap((row, i) => {
      const known = facts[i]
      return known ? [{ ...known, attestations: (attestations.get(placeKey(row)) ?? []).map(attestationOf) }] : []
    })
  }

  async #publications(rows: readonly AnchorRow[]): Promise<Map<string, PublicationRow[]>> {
    const published = rows.filter(({ status }) => status !== 'submitted')
    if (published.length === 0) return new Map()
    const statement = this.#db
      .prepare(
        `SELECT p.anchor_id, p.chain, p.tx, p.state FROM json_each(?) n
         JOIN anchor_publications p ON p.anchor_id = n.value ORDER BY p.reported_at, p.chain, p.tx`,
      )
      .bind(JSON.stringify(published.map((row) => row.anchor_id)))
    const { results } = await reaching('anchors', () => statement.all<PublicationRow>())
    return Map.groupBy(results, (row) => row.anchor_id)
  }
}
