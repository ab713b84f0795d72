import { reaching } from '@svc/protocol/base/dependency-fault'
import { userIdOfKey } from '@svc/protocol/base/identity'
import type { AnchorLeaf, AnchorListItem, AnchorRecord, SignedPublication } from '@svc/protocol/ledger/anchors'
import type { GovernanceAttestation } from '@svc/protocol/ledger/governance'
import type { LogEntry } from './log-entry.ts'

interface Row {
  log_no: number
  idx: number
  log: string
  anchor_id: string
  owner: string
  root: string
  epoch: string
  created_at: string
}

interface AttestationRow {
  log_no: number
  idx: number
  public_key: string
  signature: string
  signed_at: string | null
}

interface PublicationRow {
  anchor_id: string
  chain: string
  tx: string
  state: 'published' | 'confirmed'
}

export interface UntoldPublication extends PublicationRow {
  readonly owner: string
}

/** In one run: a call to an object for each. */
const MAX_TOLD = 50

const ANCHORS = `SELECT log_no, idx, log, anchor_id, owner, root, epoch, created_at, leaf
  FROM anchors JOIN anchor_logs USING (log_no)`
/** The place after which a page continues: logs in the order in which they opened, and the index in the log. */
export type AnchorPlace = readonly [logNo: number, index: number]
const NEWEST: AnchorPlace = [Number.MAX_SAFE_INTEGER, 0]

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
          `INSERT INTO anchors (log_no, idx, anchor_id, owner, root, epoch, created_at, leaf)
           SELECT log_no, ?2, ?3, ?4, ?5, ?6, ?7, ?8 FROM anchor_logs WHERE log = ?1 ON CONFLICT DO NOTHING`,
        )
        .bind(log, index, anchor.anchorId, anchor.owner, anchor.root, anchor.epoch, anchor.createdAt, anchor.leaf),
      ...anchor.attestations.flatMap((attestation, position) => this.#attestation(log, index, position, attestation)),
    ])
    await reaching('anchors', () => this.#db.batch([...logs, ...statements]))
  }

  async find(anchorId: string): Promise<AnchorRecord | null> {
    const statement = this.#db.prepare(`${ANCHORS} WHERE anchor_id = ?`).bind(anchorId)
    const row = await reaching('anchors', () => statement.first<Row>())
    const [record] = row ? await this.#records([row]) : []
    return record ?? null
  }

  async newestOf(owner: string): Promise<AnchorRecord | null> {
    const statement = this.#db.prepare(`${ANCHORS} WHERE owner = ? ORDER BY log_no DESC, idx DESC LIMIT 1`).bind(owner)
    const row = await reaching('anchors', () => statement.first<Row>())
    const [record] = row ? await this.#records([row]) : []
    return record ?? null
  }

  /** A page, newest first, after a place. */
  async list(
    after: AnchorPlace | null,
    limit: number,
    withAttestations: boolean,
  ): Promise<{ items: AnchorListItem[]; next: AnchorPlace | null }> {
    const statement = this.#db
      .prepare(`${ANCHORS} WHERE (log_no, idx) < (?, ?) ORDER BY log_no DESC, idx DESC LIMIT ?`)
      .bind(...(after ?? NEWEST), limit + 1)
    const { results } = await reaching('anchors', () => statement.all<Row>())
    const rows = results.slice(0, limit)
    const last = results.length > limit ? rows.at(-1) : undefined
    const next = last ? ([last.log_no, last.idx] as const) : null
    if (withAttestations) return { items: await this.#records(rows), next }
    const publications = await this.#publications(rows)
    return { items: rows.map((row) => factsOf(row, publications.get(row.anchor_id) ?? [])), next }
  }

  /** The newest leaves with the anchors they hash, oldest first. */
  async window(size: number): Promise<{ leaf: string; anchor: AnchorLeaf }[]> {
    const statement = this.#db.prepare(`${ANCHORS} ORDER BY log_no DESC, idx DESC LIMIT ?`).bind(size)
    const { results } = await reaching('anchors', () => statement.all<Row & { leaf: string }>())
    return results.toReversed().map((row) => ({ leaf: row.leaf, anchor: leafOf(row) }))
  }

  /** Whether the log has an anchor. */
  async hasLog(log: string): Promise<boolean> {
    const statement = this.#db.prepare('SELECT 1 AS one FROM anchor_logs WHERE log = ?').bind(log)
    return (await reaching('anchors', () => statement.first('one'))) !== null
  }

  /**
   * Accepts a report once: the nonce and the report are written in one transaction. `replay` if the nonce was used
   * before. A confirmed publication stays confirmed.
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

  /** Adds attestations and publications to rows. */
  async #records(rows: readonly Row[]): Promise<AnchorRecord[]> {
    const { low, high } = boundsOf(rows)
    const statement = this.#db
      .prepare(
        `SELECT a.log_no, a.idx, k.public_key, a.signature, a.signed_at FROM anchor_attestations a
         JOIN attestation_keys k ON k.user_id = a.user_id
         WHERE (a.log_no, a.idx) >= (?, ?) AND (a.log_no, a.idx) <= (?, ?) ORDER BY a.log_no, a.idx, a.position`,
      )
      .bind(...low, ...high)
    const [attested, publications] = await Promise.all([
      reaching('anchors', () => statement.all<AttestationRow>()),
      this.#publications(rows),
    ])
    const attestations = Map.groupBy(attested.results, placeOf)
    return rows.map((row) => ({
      ...factsOf(row, publications.get(row.anchor_id) ?? []),
      attestations: (attestations.get(placeOf(row)) ?? []).map(attestationOf),
    }))
  }

  async #publications(rows: readonly Row[]): Promise<Map<string, PublicationRow[]>> {
    const { low, high } = boundsOf(rows)
    const statement = this.#db
      .prepare(
        `SELECT p.anchor_id, p.chain, p.tx, p.state FROM anchors n
         JOIN anchor_publications p ON p.anchor_id = n.anchor_id
         WHERE (n.log_no, n.idx) >= (?, ?) AND (n.log_no, n.idx) <= (?, ?) ORDER BY p.reported_at, p.chain, p.tx`,
      )
      .bind(...low, ...high)
    const { results } = await reaching('anchors', () => statement.all<PublicationRow>())
    return Map.groupBy(results, (row) => row.anchor_id)
  }
}

const placeOf = ({ log_no, idx }: Pick<Row, 'log_no' | 'idx'>) => `${log_no} ${idx}`

/** Pages are contiguous over all logs, in either order. */
function boundsOf(rows: readonly Row[]): { low: AnchorPlace; high: AnchorPlace } {
  const ends = [rows.at(0), rows.at(-1)].flatMap((row) => (row ? [[row.log_no, row.idx] as const] : []))
  const [low = [0, 0] as const, high = low] = ends.toSorted((a, b) => a[0] - b[0] || a[1] - b[1])
  return { low, high }
}

function leafOf(row: Row): AnchorLeaf {
  const { anchor_id: anchorId, root, epoch, created_at: createdAt } = row
  return { anchorId, root, epoch, hashAlg: 'sha3-384', createdAt }
}

function attestationOf(row: AttestationRow): GovernanceAttestation {
  const { public_key: publicKeyB64u, signature: signatureB64u, signed_at: signedAt } = row
  return { alg: 'ml-dsa-65', publicKeyB64u, signatureB64u, ...(signedAt === null ? {} : { signedAt }) }
}

/** Everything in a record except its attestations. */
function factsOf(row: Row, publications: readonly PublicationRow[]): Omit<AnchorRecord, 'attestations'> {
  const isConfirmed = publications.some(({ state }) => state === 'confirmed')
  return {
    ...leafOf(row),
    ...(publications.length > 0 ? { chains: publications.map(({ chain, tx }) => ({ chain, tx })) } : {}),
    status: publications.length === 0 ? 'submitted' : isConfirmed ? 'confirmed' : 'published',
    owner: row.owner,
    position: { log: row.log, index: row.idx },
  }
}
