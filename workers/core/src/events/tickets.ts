import type { ObjectStorage, Sql, TableGroup } from '@svc/objects'
import { MAX_EVENT_TICKETS, MAX_KEY_TICKETS } from '@svc/protocol/events/socket'
import { equalSecrets } from '@svc/service'

export const TICKETS: TableGroup = {
  name: 'event_tickets',
  steps: [
    {
      name: 'tickets for sockets',
      sql: `CREATE TABLE event_tickets (
              position INTEGER PRIMARY KEY, hash TEXT NOT NULL, signer TEXT NOT NULL, user_id TEXT NOT NULL,
              device_id TEXT, expires_at INTEGER NOT NULL
            ) STRICT`,
    },
  ],
}

/** Names the hash of a ticket's secret to the object that opens its socket. */
export const TICKET_HASH_HEADER = 'x-ticket-hash'

/** Expired tickets are deleted with the next one, or a minute later. */
const SWEEP_DELAY_MS = 60_000

/** The key that a ticket was given to, and that its socket tells of events. */
export interface Listener {
  /** Tells keys apart, as in `VerifiedAssertion`. */
  readonly signer: string
  /** The root key that it acts under. */
  readonly userId: string
  readonly deviceId: string | null
}

interface Row {
  [column: string]: SqlStorageValue
  position: number
  hash: string
  signer: string
  user_id: string
  device_id: string | null
  expires_at: number
}

/** Tickets of one identity that are not used yet, by the hashes of their secrets. */
export class TicketStore {
  readonly #sql: Sql

  constructor(stored: ObjectStorage) {
    this.#sql = stored.tables(TICKETS)
  }

  /** False if others have too many. */
  add(hash: string, { signer, userId, deviceId }: Listener, expiresAt: number, now: number): boolean {
    this.prune(now)
    const rows = this.#all()
    const own = rows.filter((row) => row.signer === signer)
    const [oldest] = own
    if (oldest && own.length >= MAX_KEY_TICKETS) this.#delete(oldest)
    else if (rows.length >= MAX_EVENT_TICKETS) return false
    this.#sql.exec(
      'INSERT INTO event_tickets (hash, signer, user_id, device_id, expires_at) VALUES (?, ?, ?, ?, ?)',
      hash,
      signer,
      userId,
      deviceId,
      expiresAt,
    )
    return true
  }

  /** Deletes the ticket: it is used once. Null if there is none, or if it has expired. Call inside a transaction. */
  take(hash: string, now: number): Listener | null {
    const row = this.#all().find((one) => equalSecrets(hash, one.hash))
    if (!row) return null
    this.#delete(row)
    return row.expires_at > now ? { signer: row.signer, userId: row.user_id, deviceId: row.device_id } : null
  }

  prune(now: number): void {
    this.#sql.exec('DELETE FROM event_tickets WHERE expires_at <= ?', now)
  }

  /** When there is a ticket to delete; null if there is none. */
  nextDeletion(): number | null {
    const [row] = this.#sql.exec<{ at: number | null }>('SELECT min(expires_at) AS at FROM event_tickets').toArray()
    return row?.at == null ? null : row.at + SWEEP_DELAY_MS
  }

  /** The oldest first; at most `MAX_EVENT_TICKETS`. */
  #all(): Row[] {
    return this.#sql
      .exec<Row>('SELECT position, hash, signer, user_id, device_id, expires_at FROM event_tickets ORDER BY position')
      .toArray()
  }

  #delete({ position }: Row): void {
    this.#sql.exec('DELETE FROM event_tickets WHERE position = ?', position)
  }
}
