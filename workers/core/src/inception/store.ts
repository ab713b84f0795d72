import type { ObjectStorage, Sql, TableGroup } from '@svc/objects'
import { bytesOf, encodeBase64url } from '@svc/protocol/base/base64url'
import type { Capability, DeviceStatus } from '@svc/protocol/base/device'
import { STANDING_MS } from '@svc/protocol/chain/rotation'
import {
  type Device,
  eventHash,
  type InceptionEvent,
  type InceptionHead,
  type InceptOrg,
  type RotateOfficers,
} from '@svc/protocol/devices/inception'
import type { Roster } from '@svc/protocol/devices/officers'
import type { Span } from '../rotation/rules.ts'

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

/** Made after the log: a device is the effect of an event. */
export const DEVICES: TableGroup = {
  name: 'devices',
  steps: [
    {
      name: 'devices and when they were active',
      sql: `
        CREATE TABLE devices (
          device_id TEXT PRIMARY KEY, public_key BLOB NOT NULL, root_epoch INTEGER NOT NULL, origin TEXT NOT NULL,
          capabilities TEXT NOT NULL, expires_at INTEGER, status TEXT NOT NULL, attested_by INTEGER NOT NULL,
          added_at INTEGER NOT NULL
        ) STRICT;
        -- Since when and until when devices were active, with or without the right to co-sign: what gives them standing.
        -- A span that ended longer ago than standing lasts, or in an earlier epoch, is deleted with the next change.
        CREATE TABLE device_spans (
          device_id TEXT NOT NULL, root_epoch INTEGER NOT NULL, since INTEGER NOT NULL, until INTEGER,
          expires_at INTEGER, cosigns INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX device_spans_by_device ON device_spans (device_id, until);`,
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

/** The inception log of one identity and its derived state, in its object's SQLite. The log is authoritative. */
export class InceptionStore {
  readonly #log: Sql
  readonly #devices: Sql
  readonly #rosters: Sql

  constructor(stored: ObjectStorage) {
    this.#log = stored.tables(INCEPTION)
    this.#devices = stored.tables(DEVICES)
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

  append(event: InceptionEvent, hash: string, now: number): void {
    this.#log.exec(
      'INSERT INTO inception_events (sequence, hash, event, accepted_at) VALUES (?, ?, ?, ?)',
      event.statement.sequence,
      hash,
      JSON.stringify(event),
      now,
    )
  }

  device(deviceId: string): Device | null {
    const [row] = this.#devices.exec<DeviceRow>(`SELECT ${DEVICE} FROM devices WHERE device_id = ?`, deviceId).toArray()
    return row ? deviceOf(row) : null
  }

  /** Devices of one root epoch that are not revoked. */
  devices(epoch: number): Device[] {
    return this.#devices
      .exec<DeviceRow>(`SELECT ${DEVICE} FROM devices WHERE root_epoch = ? AND status <> 'revoked'`, epoch)
      .toArray()
      .map(deviceOf)
  }

  /** The newest attestation of a device. */
  attestation(deviceId: string): InceptionEvent | null {
    const [row] = this.#devices
      .exec<{ event: string }>(
        'SELECT event FROM inception_events WHERE sequence = (SELECT attested_by FROM devices WHERE device_id = ?)',
        deviceId,
      )
      .toArray()
    return row ? (JSON.parse(row.event) as InceptionEvent) : null
  }

  /** The spans of every device of an epoch, by device. A span that nobody ended ends when its attestation expires. */
  spans(epoch: number, now: number): Map<string, Span[]> {
    const rows = this.#devices
      .exec<{ device_id: string; since: number; until: number | null; expires_at: number | null; cosigns: number }>(
        `SELECT device_id, since, until, expires_at, cosigns FROM device_spans
         WHERE root_epoch = ? AND (until IS NULL OR until > ?)`,
        epoch,
        now - STANDING_MS,
      )
      .toArray()
    const spans = new Map<string, Span[]>()
    for (const { device_id: deviceId, since, until, expires_at: expiresAt, cosigns } of rows) {
      const hasExpired = expiresAt !== null && expiresAt <= now
      const span = { since, until: until ?? (hasExpired ? expiresAt : null), cosigns: cosigns === 1 }
      spans.set(deviceId, [...(spans.get(deviceId) ?? []), span])
    }
    return spans
  }

  /** How many keys were first attested since a given time. */
  addedSince(time: number): number {
    return this.#devices.exec('SELECT 1 FROM devices WHERE added_at > ?', time).toArray().length
  }

  /** `isAttestation`: by an event that attests the device, as opposed to one that changes it. */
  putDevice(device: Device, sequence: number, isAttestation: boolean, now: number): void {
    this.#keepSpan(device, isAttestation, now)
    const { deviceId, publicKeyB64u, rootEpoch, origin, capabilities, expiresAt, status } = device
    this.#devices.exec(
      `INSERT INTO devices (${DEVICE}, attested_by, added_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
       ON CONFLICT (device_id) DO UPDATE SET origin = ?4, capabilities = ?5, expires_at = ?6, status = ?7,
         root_epoch = ?3, attested_by = CASE WHEN ?10 THEN ?8 ELSE attested_by END`,
      deviceId,
      bytesOf(publicKeyB64u),
      rootEpoch,
      origin,
      JSON.stringify(capabilities),
      expiresAt,
      status,
      sequence,
      now,
      isAttestation ? 1 : 0,
    )
  }

  /** Opens, keeps or ends the span in which a device is active. An attestation always starts a new one. */
  #keepSpan(
    { deviceId, rootEpoch, status, capabilities, expiresAt }: Device,
    isAttestation: boolean,
    now: number,
  ): void {
    const cosigns = capabilities.includes('rotation:cosign') ? 1 : 0
    const [open] = this.#devices
      .exec<{ root_epoch: number; cosigns: number }>(
        'SELECT root_epoch, cosigns FROM device_spans WHERE device_id = ? AND until IS NULL',
        deviceId,
      )
      .toArray()
    const isActive = status === 'active'
    if (open && isActive && !isAttestation && open.root_epoch === rootEpoch && open.cosigns === cosigns) return
    this.#devices.exec(
      'UPDATE device_spans SET until = min(?1, coalesce(expires_at, ?1)) WHERE device_id = ?2 AND until IS NULL',
      now,
      deviceId,
    )
    this.#devices.exec('DELETE FROM device_spans WHERE root_epoch < ? OR until <= ?', rootEpoch, now - STANDING_MS)
    if (!isActive) return
    this.#devices.exec(
      'INSERT INTO device_spans (device_id, root_epoch, since, expires_at, cosigns) VALUES (?, ?, ?, ?, ?)',
      deviceId,
      rootEpoch,
      now,
      expiresAt,
      cosigns,
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
