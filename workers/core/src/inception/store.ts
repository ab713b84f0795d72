import type { ObjectStorage, Sql, TableGroup } from '@svc/objects'
import type { InceptionHead, KnownInception } from '@svc/protocol/base/inception-head'
import {
  type AttestDevice,
  type ChangeDevice,
  eventHash,
  type InceptionEvent,
  type InceptOrg,
  type RotateOfficers,
} from '@svc/protocol/devices/inception'
import type { Roster } from '@svc/protocol/devices/officers'

export const INCEPTION: TableGroup = {
  name: 'inception',
  steps: [
    {
      name: 'the log of devices and officers',
      sql: `CREATE TABLE inception_events (
              sequence INTEGER PRIMARY KEY, hash TEXT NOT NULL, event TEXT NOT NULL, accepted_at INTEGER NOT NULL
            ) STRICT`,
    },
  ],
}

/** Of organizations. Made after the log, too. */
export const ROSTERS: TableGroup = {
  name: 'rosters',
  steps: [
    {
      // Which event set a roster, and when. The events of older rosters are looked up in the log.
      name: 'officers by version',
      sql: `
        CREATE TABLE rosters (
          version INTEGER PRIMARY KEY, officers TEXT NOT NULL, quorum INTEGER NOT NULL, sequence INTEGER NOT NULL,
          accepted_at INTEGER NOT NULL
        ) STRICT;`,
    },
  ],
}

export interface RosterReading {
  readonly roster: Roster
  readonly since: number
  readonly until: number | null
  readonly event: InceptOrg | RotateOfficers | null
}

/** The inception log of one identity and the rosters that follow from it, in its object's SQLite. The log is authoritative. */
export class InceptionStore {
  readonly #log: Sql
  readonly #rosters: Sql

  constructor(stored: ObjectStorage) {
    this.#log = stored.tables(INCEPTION)
    this.#rosters = stored.tables(ROSTERS)
  }

  head(): InceptionHead | null {
    const [row] = this.#log
      .exec<{ sequence: number; hash: string }>(
        'SELECT sequence, hash FROM inception_events ORDER BY sequence DESC LIMIT 1',
      )
      .toArray()
    return row ?? null
  }

  /** Returns the hash of the newest event and when core accepted it; null if the log is empty. */
  newest(): { hash: string; time: number } | null {
    const [row] = this.#log
      .exec<{ hash: string; time: number }>(
        'SELECT hash, accepted_at AS time FROM inception_events ORDER BY sequence DESC LIMIT 1',
      )
      .toArray()
    return row ?? null
  }

  /** Returns the hash of an event; null if no event has this number. */
  hashAt(sequence: number): string | null {
    const [row] = this.#log
      .exec<{ hash: string }>('SELECT hash FROM inception_events WHERE sequence = ?', sequence)
      .toArray()
    return row?.hash ?? null
  }

  /** The receipt of this very event; null if it was never appended. */
  receipt(event: InceptionEvent): { sequence: number; hash: string; acceptedAt: number } | null {
    const { sequence } = event.statement
    const hash = eventHash(event)
    const [row] = this.#log
      .exec<{ accepted_at: number }>(
        'SELECT accepted_at FROM inception_events WHERE sequence = ? AND hash = ?',
        sequence,
        hash,
      )
      .toArray()
    return row ? { sequence, hash, acceptedAt: row.accepted_at } : null
  }

  /** Ascending. One row more than `limit` means there is a next page. */
  range(from: number, limit: number): InceptionEvent[] {
    return this.#log
      .exec<{ event: string }>(
        'SELECT event FROM inception_events WHERE sequence >= ? ORDER BY sequence LIMIT ?',
        from,
        limit + 1,
      )
      .toArray()
      .map(({ event }) => JSON.parse(event) as InceptionEvent)
  }

  /** Returns the events about a device that the root key of an epoch had signed by a time, in order. */
  ofDevice(deviceId: string, rootEpoch: number, by: number): (AttestDevice | ChangeDevice)[] {
    return this.#log
      .exec<{ event: string }>(
        `SELECT event FROM inception_events
         WHERE accepted_at <= ? AND event ->> '$.statement.deviceId' = ? AND event ->> '$.statement.rootEpoch' = ?
         ORDER BY sequence`,
        by,
        deviceId,
        rootEpoch,
      )
      .toArray()
      .map(({ event }) => JSON.parse(event) as AttestDevice | ChangeDevice)
  }

  /** Every event, as its row says it. */
  rows(): { readonly event: InceptionEvent; readonly hash: string; readonly acceptedAt: number }[] {
    return this.#log
      .exec<{ event: string; hash: string; accepted_at: number }>(
        'SELECT event, hash, accepted_at FROM inception_events ORDER BY sequence',
      )
      .toArray()
      .map(({ event, hash, accepted_at: acceptedAt }) => ({
        event: JSON.parse(event) as InceptionEvent,
        hash,
        acceptedAt,
      }))
  }

  /** Every roster, with the event that set it. */
  rosters(): (Roster & { readonly sequence: number })[] {
    return this.#rosters
      .exec<{ version: number; officers: string; quorum: number; sequence: number }>(
        'SELECT version, officers, quorum, sequence FROM rosters ORDER BY version',
      )
      .toArray()
      .map((row) => ({ ...row, officers: JSON.parse(row.officers) as string[] }))
  }

  append(event: InceptionEvent, hash: string, now: number): void {
    this.#log.exec(
      'INSERT INTO inception_events (sequence, hash, event, accepted_at) VALUES (?, ?, ?, ?)',
      event.statement.sequence,
      hash,
      JSON.stringify(event),
      now,
    )
  }

  roster(): Roster | null {
    const [row] = this.#rosters
      .exec<{ version: number; officers: string; quorum: number }>(
        'SELECT version, officers, quorum FROM rosters ORDER BY version DESC LIMIT 1',
      )
      .toArray()
    return row ? { version: row.version, quorum: row.quorum, officers: JSON.parse(row.officers) as string[] } : null
  }

  /** The roster of a version, or the one in force at a given time, and when its successor took effect. */
  rosterAt(
    { version, at }: { readonly version: number | null; readonly at: number | null },
    withEvent: boolean,
  ): RosterReading | null {
    const [row] = this.#rosters
      .exec<{
        version: number
        officers: string
        quorum: number
        accepted_at: number
        until: number | null
        event: string | null
      }>(
        `SELECT version, officers, quorum, accepted_at,
           (SELECT n.accepted_at FROM rosters n WHERE n.version = r.version + 1) AS until,
           CASE WHEN ?3 THEN (SELECT i.event FROM inception_events i WHERE i.sequence = r.sequence) END AS event
         FROM rosters r
         WHERE (?1 IS NULL OR version = ?1) AND (?2 IS NULL OR accepted_at <= ?2)
         ORDER BY version DESC LIMIT 1`,
        version,
        at,
        withEvent ? 1 : 0,
      )
      .toArray()
    if (!row) return null
    const roster = { version: row.version, quorum: row.quorum, officers: JSON.parse(row.officers) as string[] }
    const event = row.event === null ? null : (JSON.parse(row.event) as InceptOrg | RotateOfficers)
    return { roster, since: row.accepted_at, until: row.until, event }
  }

  /** Returns the event of its own log that the newest acceptance of an officer names; null for no acceptance. */
  acceptedBefore(officerDid: string): KnownInception {
    const [row] = this.#rosters
      .exec<{ named: string }>(
        `SELECT a.value -> '$.statement.inception' AS named
         FROM rosters r JOIN inception_events i ON i.sequence = r.sequence, json_each(i.event, '$.acceptances') a
         WHERE instr(i.event, ?1) > 0 AND a.value ->> '$.statement.officerDid' = ?1
         ORDER BY r.version DESC, a.value ->> '$.statement.inception.sequence' DESC LIMIT 1`,
        officerDid,
      )
      .toArray()
    return row ? (JSON.parse(row.named) as KnownInception) : null
  }

  putRoster({ version, officers, quorum }: Roster, sequence: number, now: number): void {
    this.#rosters.exec(
      'INSERT INTO rosters (version, officers, quorum, sequence, accepted_at) VALUES (?, ?, ?, ?, ?)',
      version,
      JSON.stringify(officers),
      quorum,
      sequence,
      now,
    )
  }
}
