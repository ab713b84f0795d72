import type { AnchorLeaf, AnchorListItem, AnchorRecord, SignedPublication } from '@svc/protocol/anchors'
import { reaching } from '@svc/protocol/dependency-fault'
import type { GovernanceAttestation } from '@svc/protocol/governance'
import { userIdOfKey } from '@svc/protocol/identity'
import type { LogEntry } from './anchor-log-store.ts'

export interface NewAnchor {
  readonly anchorId: string
  readonly owner: string
  readonly root: string
  readonly epoch: string
  readonly createdAt: string
  /** Leaf hash, 96 hex. */
  readonly leaf: string
  readonly attestations: readonly GovernanceAttestation[]
}

interface Row {
  idx: number
  anchor_id: string
  owner: string
  root: string
  epoch: string
  created_at: string
}

interface AttestationRow {
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

const COLUMNS = 'idx, anchor_id, owner, root, epoch, created_at'

/** Anchors in D1, as the log's object has ordered them, and what the publisher reports of them. */
export class AnchorStore {
  readonly #db: D1Database

  constructor(db: D1Database) {
    this.#db = db
  }

  /** Rows that are there already stay as they are. */
  async put(entries: readonly LogEntry[]): Promise<void> {
    const statements = entries.flatMap(({ index, anchor }) => [
      this.#db
        .prepare(`INSERT INTO anchors (${COLUMNS}, leaf) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`)
        .bind(index, anchor.anchorId, anchor.owner, anchor.root, anchor.epoch, anchor.createdAt, anchor.leaf),
      ...anchor.attestations.flatMap((attestation, position) => this.#attestation(index, position, attestation)),
    ])
    await reaching('anchors', () => this.#db.batch(statements))
  }

  async find(anchorId: string): Promise<AnchorRecord | null> {
    const statement = this.#db.prepare(`SELECT ${COLUMNS} FROM anchors WHERE anchor_id = ?`).bind(anchorId)
    const row = await reaching('anchors', () => statement.first<Row>())
    const [record] = row ? await this.#records([row]) : []
    return record ?? null
  }

  async newestOf(owner: string): Promise<AnchorRecord | null> {
    const statement = this.#db
      .prepare(`SELECT ${COLUMNS} FROM anchors WHERE owner = ? ORDER BY idx DESC LIMIT 1`)
      .bind(owner)
    const row = await reaching('anchors', () => statement.first<Row>())
    const [record] = row ? await this.#records([row]) : []
    return record ?? null
  }

  /** Newest first, below an index. One more than `limit` tells that there is a next page. */
  async list(below: number, limit: number, withAttestations: boolean): Promise<AnchorListItem[]> {
    const statement = this.#db
      .prepare(`SELECT ${COLUMNS} FROM anchors WHERE idx < ? ORDER BY idx DESC LIMIT ?`)
      .bind(below, limit + 1)
    const { results } = await reaching('anchors', () => statement.all<Row>())
    if (withAttestations) return this.#records(results)
    const publications = await this.#publications(results)
    return results.map((row) => factsOf(row, publications.get(row.anchor_id) ?? []))
  }

  /** The newest leaves with what they hash, oldest first. */
  async window(size: number): Promise<{ leaf: string; anchor: AnchorLeaf }[]> {
    const statement = this.#db.prepare(`SELECT ${COLUMNS}, leaf FROM anchors ORDER BY idx DESC LIMIT ?`).bind(size)
    const { results } = await reaching('anchors', () => statement.all<Row & { leaf: string }>())
    return results.toReversed().map((row) => ({ leaf: row.leaf, anchor: leafOf(row) }))
  }

  /**
   * Takes a report once: the nonce and what it reports are one transaction. `replay` when the nonce was taken before.
   * What is confirmed stays confirmed.
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
             ON CONFLICT (anchor_id, chain, tx) DO UPDATE SET state = ?4 WHERE ?4 = 'confirmed'`,
          )
          .bind(anchorId, chain, tx, state, now, nonce, requestId),
      ]),
    )
    return taken?.results.length === 1 ? 'taken' : 'replay'
  }

  #attestation(index: number, position: number, attestation: GovernanceAttestation): D1PreparedStatement[] {
    const { publicKeyB64u, signatureB64u, signedAt } = attestation
    const userId = userIdOfKey(publicKeyB64u)
    return [
      this.#db
        .prepare('INSERT INTO attestation_keys (user_id, public_key) VALUES (?, ?) ON CONFLICT DO NOTHING')
        .bind(userId, publicKeyB64u),
      this.#db
        .prepare(
          `INSERT INTO anchor_attestations (idx, position, user_id, signature, signed_at) VALUES (?, ?, ?, ?, ?)
           ON CONFLICT DO NOTHING`,
        )
        .bind(index, position, userId, signatureB64u, signedAt ?? null),
    ]
  }

  /** Adds to rows what is stored beside them. */
  async #records(rows: readonly Row[]): Promise<AnchorRecord[]> {
    const { low, high } = boundsOf(rows)
    const statement = this.#db
      .prepare(
        `SELECT a.idx, k.public_key, a.signature, a.signed_at FROM anchor_attestations a
         JOIN attestation_keys k ON k.user_id = a.user_id WHERE a.idx BETWEEN ? AND ? ORDER BY a.idx, a.position`,
      )
      .bind(low, high)
    const [attested, publications] = await Promise.all([
      reaching('anchors', () => statement.all<AttestationRow>()),
      this.#publications(rows),
    ])
    const attestations = Map.groupBy(attested.results, ({ idx }) => idx)
    return rows.map((row) => ({
      ...factsOf(row, publications.get(row.anchor_id) ?? []),
      attestations: (attestations.get(row.idx) ?? []).map(attestationOf),
    }))
  }

  async #publications(rows: readonly Row[]): Promise<Map<string, PublicationRow[]>> {
    const { low, high } = boundsOf(rows)
    const statement = this.#db
      .prepare(
        `SELECT p.anchor_id, p.chain, p.tx, p.state FROM anchors n
         JOIN anchor_publications p ON p.anchor_id = n.anchor_id WHERE n.idx BETWEEN ? AND ?
         ORDER BY p.reported_at, p.chain, p.tx`,
      )
      .bind(low, high)
    const { results } = await reaching('anchors', () => statement.all<PublicationRow>())
    return Map.groupBy(results, (row) => row.anchor_id)
  }
}

/** Pages are contiguous in the log, in either order. */
function boundsOf(rows: readonly Row[]): { low: number; high: number } {
  const indexes = rows.map(({ idx }) => idx)
  return { low: Math.min(...indexes, Number.MAX_SAFE_INTEGER), high: Math.max(...indexes, -1) }
}

function leafOf(row: Row): AnchorLeaf {
  const { anchor_id: anchorId, root, epoch, created_at: createdAt } = row
  return { anchorId, root, epoch, hashAlg: 'sha3-384', createdAt }
}

function attestationOf(row: AttestationRow): GovernanceAttestation {
  const { public_key: publicKeyB64u, signature: signatureB64u, signed_at: signedAt } = row
  return { alg: 'ml-dsa-65', publicKeyB64u, signatureB64u, ...(signedAt === null ? {} : { signedAt }) }
}

/** Everything of a record but who has attested it. */
function factsOf(row: Row, publications: readonly PublicationRow[]): Omit<AnchorRecord, 'attestations'> {
  const isConfirmed = publications.some(({ state }) => state === 'confirmed')
  return {
    ...leafOf(row),
    ...(publications.length > 0 ? { chains: publications.map(({ chain, tx }) => ({ chain, tx })) } : {}),
    status: publications.length === 0 ? 'submitted' : isConfirmed ? 'confirmed' : 'published',
    owner: row.owner,
    index: row.idx,
  }
}
