import { bytesOf, encodeBase64url } from '@svc/protocol/base64url'
import type { Capability, DeviceStatus } from '@svc/protocol/device'
import {
  type Device,
  eventHash,
  type InceptionEvent,
  type InceptionHead,
  type InceptOrg,
  type RotateOfficers,
} from '@svc/protocol/inception'
import type { Roster } from '@svc/protocol/officers'
import type { CosignerStanding } from '../rotation/rotation.ts'

interface DeviceRow {
  [column: string]: SqlStorageValue
  device_id: string
  public_key: ArrayBuffer
  root_epoch: number
  origin: string
  capabilities: string
  expires_at: number | null
  status: DeviceStatus
}

export interface RosterReading {
  readonly roster: Roster
  readonly since: number
  readonly until: number | null
  readonly event: InceptOrg | RotateOfficers | null
}

const DEVICE = 'device_id, public_key, root_epoch, origin, capabilities, expires_at, status'

/** The inception log of one identity and what it folds into, in its object's SQLite. The log is the truth. */
export class InceptionStore {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  createTables(): void {
    this.#sql.exec(
      `CREATE TABLE IF NOT EXISTS inception_events (
         sequence INTEGER PRIMARY KEY, hash TEXT NOT NULL, event TEXT NOT NULL, accepted_at INTEGER NOT NULL
       ) STRICT`,
    )
    this.#sql.exec(
      `CREATE TABLE IF NOT EXISTS devices (
         device_id TEXT PRIMARY KEY, public_key BLOB NOT NULL, root_epoch INTEGER NOT NULL, origin TEXT NOT NULL,
         capabilities TEXT NOT NULL, expires_at INTEGER, status TEXT NOT NULL, attested_by INTEGER NOT NULL,
         added_at INTEGER NOT NULL
       ) STRICT`,
    )
    // Since when and until when devices could co-sign: what was so in the last window decides about a rotation.
    this.#sql.exec(
      `CREATE TABLE IF NOT EXISTS cosigner_spans (
         device_id TEXT NOT NULL, root_epoch INTEGER NOT NULL, since INTEGER NOT NULL, until INTEGER
       ) STRICT`,
    )
    this.#sql.exec('CREATE INDEX IF NOT EXISTS cosigner_spans_by_device ON cosigner_spans (device_id, until)')
    this.#sql.exec(
      'CREATE TABLE IF NOT EXISTS rosters (version INTEGER PRIMARY KEY, officers TEXT NOT NULL, quorum INTEGER NOT NULL) STRICT',
    )
    this.#createRosterEvents()
  }

  /** Which event brought a roster, and when. Rosters that are older than this table are found in the log, once. */
  #createRosterEvents(): void {
    this.#sql.exec(
      `CREATE TABLE IF NOT EXISTS roster_events (
         version INTEGER PRIMARY KEY, sequence INTEGER NOT NULL, accepted_at INTEGER NOT NULL
       ) STRICT`,
    )
    this.#sql.exec(
      `INSERT OR IGNORE INTO roster_events (version, sequence, accepted_at)
       SELECT coalesce(json_extract(event, '$.statement.rosterVersion'), 1), sequence, accepted_at FROM inception_events
       WHERE (SELECT count(*) FROM rosters) > (SELECT count(*) FROM roster_events)
         AND json_extract(event, '$.statement.type') IN ('svc/org-inception/v1', 'svc/org-officers/v1')`,
    )
  }

  head(): InceptionHead | null {
    const [row] = this.#sql
      .exec<{ sequence: number; hash: string }>(
        'SELECT sequence, hash FROM inception_events ORDER BY sequence DESC LIMIT 1',
      )
      .toArray()
    return row ?? null
  }

  /** That this very event was appended, and when. */
  receipt(event: InceptionEvent): { sequence: number; hash: string; acceptedAt: number } | null {
    const { sequence } = event.statement
    const hash = eventHash(event)
    const [row] = this.#sql
      .exec<{ accepted_at: number }>(
        'SELECT accepted_at FROM inception_events WHERE sequence = ? AND hash = ?',
        sequence,
        hash,
      )
      .toArray()
    return row ? { sequence, hash, acceptedAt: row.accepted_at } : null
  }

  /** Ascending. One row more than `limit` tells that there is a next page. */
  range(from: number, limit: number): InceptionEvent[] {
    return this.#sql
      .exec<{ event: string }>(
        'SELECT event FROM inception_events WHERE sequence >= ? ORDER BY sequence LIMIT ?',
        from,
        limit + 1,
      )
      .toArray()
      .map(({ event }) => JSON.parse(event) as InceptionEvent)
  }

  append(event: InceptionEvent, hash: string, now: number): void {
    this.#sql.exec(
      'INSERT INTO inception_events (sequence, hash, event, accepted_at) VALUES (?, ?, ?, ?)',
      event.statement.sequence,
      hash,
      JSON.stringify(event),
      now,
    )
  }

  device(deviceId: string): Device | null {
    const [row] = this.#sql.exec<DeviceRow>(`SELECT ${DEVICE} FROM devices WHERE device_id = ?`, deviceId).toArray()
    return row ? deviceOf(row) : null
  }

  /** Devices of one root epoch that were not revoked. */
  devices(epoch: number): Device[] {
    return this.#sql
      .exec<DeviceRow>(`SELECT ${DEVICE} FROM devices WHERE root_epoch = ? AND status <> 'revoked'`, epoch)
      .toArray()
      .map(deviceOf)
  }

  /** The event that attested a device last. */
  attestation(deviceId: string): InceptionEvent | null {
    const [row] = this.#sql
      .exec<{ event: string }>(
        'SELECT event FROM inception_events WHERE sequence = (SELECT attested_by FROM devices WHERE device_id = ?)',
        deviceId,
      )
      .toArray()
    return row ? (JSON.parse(row.event) as InceptionEvent) : null
  }

  /** Spans of one epoch that are open or ended after a time. */
  cosigners(epoch: number, after: number): CosignerStanding[] {
    return this.#sql
      .exec<{ device_id: string; since: number; until: number | null }>(
        'SELECT device_id, since, until FROM cosigner_spans WHERE root_epoch = ? AND (until IS NULL OR until > ?)',
        epoch,
        after,
      )
      .toArray()
      .map(({ device_id: deviceId, since, until }) => ({ deviceId, since, until }))
  }

  /** How many keys were attested for the first time since a time. */
  addedSince(time: number): number {
    return this.#sql.exec<{ n: number }>('SELECT count(*) AS n FROM devices WHERE added_at > ?', time).one().n
  }

  putDevice(device: Device, sequence: number, now: number): void {
    this.#keepSpan(device, now)
    const { deviceId, publicKeyB64u, rootEpoch, origin, capabilities, expiresAt, status } = device
    this.#sql.exec(
      `INSERT INTO devices (${DEVICE}, attested_by, added_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
       ON CONFLICT (device_id) DO UPDATE SET origin = ?4, capabilities = ?5, expires_at = ?6, status = ?7,
         root_epoch = ?3`,
      deviceId,
      bytesOf(publicKeyB64u),
      rootEpoch,
      origin,
      JSON.stringify(capabilities),
      expiresAt,
      status,
      sequence,
      now,
    )
  }

  /** Which event is the attestation that is in force: the newest, in this epoch or after an expiry. */
  noteAttestation(deviceId: string, sequence: number): void {
    this.#sql.exec('UPDATE devices SET attested_by = ? WHERE device_id = ?', sequence, deviceId)
  }

  /** Opens, keeps or ends the span in which a device can co-sign. */
  #keepSpan({ deviceId, rootEpoch, status, capabilities }: Device, now: number): void {
    const can = status === 'active' && capabilities.includes('rotation:cosign')
    const [open] = this.#sql
      .exec<{ root_epoch: number }>(
        'SELECT root_epoch FROM cosigner_spans WHERE device_id = ? AND until IS NULL',
        deviceId,
      )
      .toArray()
    if (open && can && open.root_epoch === rootEpoch) return
    if (open) this.#sql.exec('UPDATE cosigner_spans SET until = ? WHERE device_id = ? AND until IS NULL', now, deviceId)
    if (can) {
      this.#sql.exec(
        'INSERT INTO cosigner_spans (device_id, root_epoch, since) VALUES (?, ?, ?)',
        deviceId,
        rootEpoch,
        now,
      )
    }
  }

  roster(): Roster | null {
    const [row] = this.#sql
      .exec<{ version: number; officers: string; quorum: number }>(
        'SELECT version, officers, quorum FROM rosters ORDER BY version DESC LIMIT 1',
      )
      .toArray()
    return row ? { version: row.version, quorum: row.quorum, officers: JSON.parse(row.officers) as string[] } : null
  }

  /** The roster of a version, or the newest that was in force at a time, and when the next one followed. */
  rosterAt(
    { version, at }: { readonly version: number | null; readonly at: number | null },
    withEvent: boolean,
  ): RosterReading | null {
    const [row] = this.#sql
      .exec<{
        version: number
        officers: string
        quorum: number
        accepted_at: number
        until: number | null
        event: string | null
      }>(
        `SELECT r.version, r.officers, r.quorum, e.accepted_at,
           (SELECT n.accepted_at FROM roster_events n WHERE n.version = r.version + 1) AS until,
           CASE WHEN ?3 THEN (SELECT i.event FROM inception_events i WHERE i.sequence = e.sequence) END AS event
         FROM rosters r JOIN roster_events e ON e.version = r.version
         WHERE (?1 IS NULL OR r.version = ?1) AND (?2 IS NULL OR e.accepted_at <= ?2)
         ORDER BY r.version DESC LIMIT 1`,
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

  putRoster({ version, officers, quorum }: Roster, sequence: number, now: number): void {
    this.#sql.exec(
      'INSERT INTO roster_events (version, sequence, accepted_at) VALUES (?, ?, ?)',
      version,
      sequence,
      now,
    )
    this.#sql.exec(
      'INSERT INTO rosters (version, officers, quorum) VALUES (?, ?, ?)',
      version,
      JSON.stringify(officers),
      quorum,
    )
  }
}

function deviceOf(row: DeviceRow): Device {
  return {
    deviceId: row.device_id,
    publicKeyB64u: encodeBase64url(new Uint8Array(row.public_key)),
    rootEpoch: row.root_epoch,
    origin: row.origin,
    capabilities: JSON.parse(row.capabilities) as Capability[],
    expiresAt: row.expires_at,
    status: row.status,
  }
}
