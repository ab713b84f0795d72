import type { ObjectStorage, Sql, TableGroup } from '@svc/objects'
import { bytesOf, encodeBase64url } from '@svc/protocol/base/base64url'
import type { Capability, DeviceStatus } from '@svc/protocol/base/device'
import { STANDING_MS } from '@svc/protocol/chain/rotation'
import { type Device, endingUnconfirmed, type InceptionEvent } from '@svc/protocol/devices/inception'
import type { Span, Wait } from '../rotation/standing-rules.ts'

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
          -- The newest event about it.
          changed_by INTEGER NOT NULL, added_at INTEGER NOT NULL,
          -- Null once the device has confirmed. Until then expires_at is at most this, whatever its attestation says.
          confirm_by INTEGER
        ) STRICT;
        -- Spans in which devices were active, with or without the right to co-sign. A span gives its device standing after
        -- one window, or after as long as standing lasts (wait). A span of an earlier epoch, or one that ended longer ago
        -- than standing lasts, is deleted with the next change.
        CREATE TABLE device_spans (
          device_id TEXT NOT NULL, root_epoch INTEGER NOT NULL, since INTEGER NOT NULL, until INTEGER,
          expires_at INTEGER, cosigns INTEGER NOT NULL, wait TEXT NOT NULL
        ) STRICT;
        CREATE INDEX device_spans_by_device ON device_spans (device_id, until);`,
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
  confirm_by: number | null
}

interface SpanRow {
  [column: string]: SqlStorageValue
  device_id: string
  since: number
  until: number | null
  expires_at: number | null
  cosigns: number
  wait: Wait
}

/** The event that changes a device, and the wait for a span that it opens. */
export interface PutBy {
  readonly sequence: number
  /** False for a change of an attested device. */
  readonly isAttestation: boolean
  readonly wait: Wait
}

const DEVICE = 'device_id, public_key, root_epoch, origin, capabilities, expires_at, status, confirm_by'

/** The devices of one identity and when they were active, in its object's SQLite: what follows from its inception log. */
export class DeviceStore {
  readonly #sql: Sql

  constructor(stored: ObjectStorage) {
    this.#sql = stored.tables(DEVICES)
  }

  find(deviceId: string): Device | null {
    const [row] = this.#sql.exec<DeviceRow>(`SELECT ${DEVICE} FROM devices WHERE device_id = ?`, deviceId).toArray()
    return row ? deviceOf(row) : null
  }

  /** Returns the sequence number of the newest event about a device; null for a device that was never attested. */
  newestEventOf(deviceId: string): number | null {
    const [row] = this.#sql
      .exec<{ changed_by: number }>('SELECT changed_by FROM devices WHERE device_id = ?', deviceId)
      .toArray()
    return row?.changed_by ?? null
  }

  /** Every device, as its rows say it. */
  rows() {
    const spans = this.#sql
      .exec<{ device_id: string; since: number; until: number | null }>(
        'SELECT device_id, since, until FROM device_spans ORDER BY rowid',
      )
      .toArray()
    return this.#sql
      .exec<DeviceRow & { changed_by: number; attested_by: number }>(
        `SELECT ${DEVICE}, changed_by, attested_by FROM devices ORDER BY device_id`,
      )
      .toArray()
      .map((row) => ({
        device: deviceOf(row),
        changedBy: row.changed_by,
        attestedBy: row.attested_by,
        spans: spans
          .filter(({ device_id: deviceId }) => deviceId === row.device_id)
          .map(({ since, until }) => ({ since, isOpen: until === null })),
      }))
  }

  /** Devices of one root epoch that are not revoked. */
  ofEpoch(epoch: number): Device[] {
    return this.#sql
      .exec<DeviceRow>(`SELECT ${DEVICE} FROM devices WHERE root_epoch = ? AND status <> 'revoked'`, epoch)
      .toArray()
      .map(deviceOf)
  }

  /** Those whose attestation ends, or has ended, for want of their confirmation. */
  unconfirmed(): string[] {
    return this.#sql
      .exec<{ device_id: string }>('SELECT device_id FROM devices WHERE confirm_by IS NOT NULL ORDER BY device_id')
      .toArray()
      .map(({ device_id: deviceId }) => deviceId)
  }

  /** From now on the attestation counts until the expiry that it names. */
  confirm(deviceId: string, expiresAt: number | null): void {
    this.#sql.exec('UPDATE devices SET expires_at = ?, confirm_by = NULL WHERE device_id = ?', expiresAt, deviceId)
    this.#sql.exec('UPDATE device_spans SET expires_at = ? WHERE device_id = ? AND until IS NULL', expiresAt, deviceId)
  }

  /** The newest attestation of a device. */
  attestation(deviceId: string): InceptionEvent | null {
    const [row] = this.#sql
      .exec<{ event: string }>(
        'SELECT event FROM inception_events WHERE sequence = (SELECT attested_by FROM devices WHERE device_id = ?)',
        deviceId,
      )
      .toArray()
    return row ? (JSON.parse(row.event) as InceptionEvent) : null
  }

  /**
   * Returns the spans of every device of an epoch, by device, oldest first. A span without an end ends when the
   * attestation expires.
   */
  spans(epoch: number, now: number): Map<string, Span[]> {
    const rows = this.#sql
      .exec<SpanRow>(
        `SELECT device_id, since, until, expires_at, cosigns, wait FROM device_spans
         WHERE root_epoch = ? AND (until IS NULL OR until > ?) ORDER BY rowid`,
        epoch,
        now - STANDING_MS,
      )
      .toArray()
    const spans = new Map<string, Span[]>()
    for (const { device_id: deviceId, since, until, expires_at: expiresAt, cosigns, wait } of rows) {
      const hasExpired = expiresAt !== null && expiresAt <= now
      const span = { since, until: until ?? (hasExpired ? expiresAt : null), cosigns: cosigns === 1, wait }
      const own = spans.get(deviceId)
      if (own) own.push(span)
      else spans.set(deviceId, [span])
    }
    return spans
  }

  /** How many devices of a root epoch were first attested since a given time. What a thief has added does not count later. */
  addedSince(time: number, epoch: number): number {
    return this.#sql.exec('SELECT 1 FROM devices WHERE added_at > ? AND root_epoch = ?', time, epoch).toArray().length
  }

  put(folded: Device, by: PutBy, now: number): void {
    const device = endingUnconfirmed(folded)
    this.#keepSpan(device, by, now)
    const { deviceId, publicKeyB64u, rootEpoch, origin, capabilities, expiresAt, status, confirmBy = null } = device
    this.#sql.exec(
      `INSERT INTO devices (${DEVICE}, attested_by, changed_by, added_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?11, ?8, ?8, ?9)
       ON CONFLICT (device_id) DO UPDATE SET origin = ?4, capabilities = ?5, expires_at = ?6, status = ?7,
         root_epoch = ?3, confirm_by = ?11, changed_by = ?8, attested_by = CASE WHEN ?10 THEN ?8 ELSE attested_by END`,
      deviceId,
      bytesOf(publicKeyB64u),
      rootEpoch,
      origin,
      JSON.stringify(capabilities),
      expiresAt,
      status,
      by.sequence,
      now,
      by.isAttestation ? 1 : 0,
      confirmBy,
    )
  }

  /** Opens, keeps or ends the span in which a device is active. An attestation always starts a new one. */
  #keepSpan(
    { deviceId, rootEpoch, status, capabilities, expiresAt }: Device,
    { isAttestation, wait }: PutBy,
    now: number,
  ): void {
    const cosigns = capabilities.includes('rotation:cosign') ? 1 : 0
    const [open] = this.#sql
      .exec<{ root_epoch: number; cosigns: number }>(
        'SELECT root_epoch, cosigns FROM device_spans WHERE device_id = ? AND until IS NULL',
        deviceId,
      )
      .toArray()
    const isActive = status === 'active'
    if (open && isActive && !isAttestation && open.root_epoch === rootEpoch && open.cosigns === cosigns) return
    this.#sql.exec(
      'UPDATE device_spans SET until = min(?1, coalesce(expires_at, ?1)) WHERE device_id = ?2 AND until IS NULL',
      now,
      deviceId,
    )
    this.#sql.exec('DELETE FROM device_spans WHERE root_epoch < ? OR until <= ?', rootEpoch, now - STANDING_MS)
    if (!isActive) return
    this.#sql.exec(
      'INSERT INTO device_spans (device_id, root_epoch, since, expires_at, cosigns, wait) VALUES (?, ?, ?, ?, ?, ?)',
      deviceId,
      rootEpoch,
      now,
      expiresAt,
      cosigns,
      wait,
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
    ...(row.confirm_by === null ? {} : { confirmBy: row.confirm_by }),
    status: row.status,
  }
}
