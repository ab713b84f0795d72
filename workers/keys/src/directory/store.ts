import type { Sql } from '@svc/objects'
import { type KnownInception, newerHead } from '@svc/protocol/base/inception-head'
import type { KeyPackagePair, Profile, SignedPackageRevocation, SuiteId } from '@svc/protocol/keys/packages'
import { type DeviceState, UNKNOWN_DEVICE } from './rules.ts'

/** One package of a device, by profile and suite. */
export interface PackageRow {
  readonly deviceId: string
  readonly profile: Profile
  readonly suiteId: SuiteId
  readonly version: number
  readonly seq: number
  readonly leafId: string
  readonly pair: KeyPackagePair
  readonly publishedAt: number
}

export interface RevocationRow {
  readonly revocation: SignedPackageRevocation
  readonly seq: number
  readonly leafId: string
  readonly revokedAt: number
}

export type PackageSql = {
  device_id: string
  profile: Profile
  suite_id: SuiteId
  version: number
  seq: number
  leaf_id: string
  pair: string
  published_at: number
}
type DeviceSql = { version: number; revoked_version: number; revoked_at: number }

const PACKAGE_COLUMNS = 'device_id, profile, suite_id, version, seq, leaf_id, pair, published_at'

/** An account's packages and revocations in its object's SQLite. */
export class DirectoryStore {
  readonly #sql: Sql

  constructor(sql: Sql) {
    this.#sql = sql
  }

  device(deviceId: string): DeviceState {
    const [row] = this.#sql
      .exec<DeviceSql>('SELECT version, revoked_version, revoked_at FROM devices WHERE device_id = ?', deviceId)
      .toArray()
    if (!row) return UNKNOWN_DEVICE
    return { version: row.version, revokedVersion: row.revoked_version, revokedAt: row.revoked_at }
  }

  countDevices(): number {
    return this.#sql.exec<{ n: number }>('SELECT count(*) AS n FROM devices').one().n
  }

  find(deviceId: string, profile: Profile, suiteId: SuiteId): PackageRow | null {
    const [row] = this.#sql
      .exec<PackageSql>(
        `SELECT ${PACKAGE_COLUMNS} FROM packages WHERE device_id = ? AND profile = ? AND suite_id = ?`,
        deviceId,
        profile,
        suiteId,
      )
      .toArray()
    return row ? packageOf(row) : null
  }

  /** The packages among these updates that no later package of the same profile and suite has replaced. */
  packagesIn(first: number, last: number): PackageRow[] {
    return this.#sql
      .exec<PackageSql>(`SELECT ${PACKAGE_COLUMNS} FROM packages WHERE seq BETWEEN ? AND ?`, first, last)
      .toArray()
      .map(packageOf)
  }

  /** The newest revocation of each device. */
  revocations(): RevocationRow[] {
    return this.#sql
      .exec<{ revocation: string }>('SELECT revocation FROM devices WHERE revocation IS NOT NULL')
      .toArray()
      .map(({ revocation }) => JSON.parse(revocation) as RevocationRow)
  }

  /** The profiles, suites and versions of a device's packages, without the packages. */
  suites(deviceId: string): Pick<PackageRow, 'profile' | 'suiteId' | 'version'>[] {
    return this.#sql
      .exec<Pick<PackageSql, 'profile' | 'suite_id' | 'version'>>(
        'SELECT profile, suite_id, version FROM packages WHERE device_id = ?',
        deviceId,
      )
      .toArray()
      .map(({ profile, suite_id, version }) => ({ profile, suiteId: suite_id, version }))
  }

  put({ deviceId, profile, suiteId, version, seq, leafId, pair, publishedAt }: PackageRow): void {
    this.#sql.exec(
      `INSERT INTO packages (${PACKAGE_COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
       ON CONFLICT (device_id, profile, suite_id)
       DO UPDATE SET version = ?4, seq = ?5, leaf_id = ?6, pair = ?7, published_at = ?8`,
      deviceId,
      profile,
      suiteId,
      version,
      seq,
      leafId,
      JSON.stringify(pair),
      publishedAt,
    )
    this.#sql.exec(
      `INSERT INTO devices (device_id, version, revoked_version, revoked_at) VALUES (?1, ?2, 0, 0)
       ON CONFLICT (device_id) DO UPDATE SET version = ?2`,
      deviceId,
      version,
    )
  }

  revoke(deviceId: string, row: RevocationRow): void {
    const { version, issuedAt } = row.revocation.statement
    this.#sql.exec(
      'UPDATE devices SET revoked_version = ?, revoked_at = ?, revocation = ? WHERE device_id = ?',
      version,
      issuedAt,
      JSON.stringify(row),
      deviceId,
    )
  }

  /** The newest event that a package or revocation of the device names; null if none names one. */
  newestHead(deviceId: string): KnownInception {
    return this.#sql
      .exec<{ head: string | null }>(
        `SELECT json_extract(pair, '$.credential.statement.inception') AS head FROM packages WHERE device_id = ?1
         UNION ALL
         SELECT json_extract(revocation, '$.revocation.statement.inception') FROM devices WHERE device_id = ?1`,
        deviceId,
      )
      .toArray()
      .map(({ head }) => (head === null ? null : (JSON.parse(head) as KnownInception)))
      .reduce(newerHead, null)
  }

  revocation(deviceId: string): RevocationRow | null {
    const [row] = this.#sql
      .exec<{ revocation: string | null }>('SELECT revocation FROM devices WHERE device_id = ?', deviceId)
      .toArray()
    return row?.revocation == null ? null : (JSON.parse(row.revocation) as RevocationRow)
  }
}

export function packageOf(row: PackageSql): PackageRow {
  return {
    deviceId: row.device_id,
    profile: row.profile,
    suiteId: row.suite_id,
    version: row.version,
    seq: row.seq,
    leafId: row.leaf_id,
    pair: JSON.parse(row.pair) as KeyPackagePair,
    publishedAt: row.published_at,
  }
}
