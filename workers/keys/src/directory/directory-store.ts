import type { KeyPackagePair, Profile, SignedPackageRevocation, SuiteId } from '@svc/protocol/key-packages'
import { type DeviceState, UNKNOWN_DEVICE } from './directory.ts'

/** One package of a device, by profile and suite. */
export interface PackageRow {
  readonly deviceId: string
  readonly profile: Profile
  readonly suiteId: SuiteId
  readonly version: number
  readonly leafId: string
  readonly pair: KeyPackagePair
  readonly publishedAt: number
}

export interface RevocationRow {
  readonly revocation: SignedPackageRevocation
  readonly leafId: string
  readonly revokedAt: number
}

type PackageSql = {
  device_id: string
  profile: Profile
  suite_id: SuiteId
  version: number
  leaf_id: string
  pair: string
  published_at: number
}
type DeviceSql = { version: number; revoked_version: number; revoked_at: number }

const PACKAGE_COLUMNS = 'device_id, profile, suite_id, version, leaf_id, pair, published_at'

/** Packages and revocations of one account in its object's SQLite, and the leaves that the log has not taken yet. */
export class DirectoryStore {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  createTables(): void {
    this.#sql.exec(
      `CREATE TABLE IF NOT EXISTS devices (
         device_id TEXT PRIMARY KEY, version INTEGER NOT NULL, revoked_version INTEGER NOT NULL,
         revoked_at INTEGER NOT NULL, revocation TEXT
       ) STRICT, WITHOUT ROWID`,
    )
    this.#sql.exec(
      `CREATE TABLE IF NOT EXISTS packages (
         device_id TEXT NOT NULL, profile TEXT NOT NULL, suite_id TEXT NOT NULL, version INTEGER NOT NULL,
         leaf_id TEXT NOT NULL, pair TEXT NOT NULL, published_at INTEGER NOT NULL,
         PRIMARY KEY (device_id, profile, suite_id)
       ) STRICT`,
    )
    this.#sql.exec('CREATE TABLE IF NOT EXISTS outbox (leaf_id TEXT PRIMARY KEY, entry TEXT NOT NULL) STRICT')
  }

  exists(): boolean {
    return this.#sql.exec(`SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'devices'`).toArray().length > 0
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

  /** Device ids after one, ascending. */
  deviceIds(after: string, limit: number): string[] {
    return this.#sql
      .exec<{ device_id: string }>(
        'SELECT device_id FROM devices WHERE device_id > ? ORDER BY device_id LIMIT ?',
        after,
        limit,
      )
      .toArray()
      .map(({ device_id }) => device_id)
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

  packages(deviceId: string): PackageRow[] {
    return this.#sql
      .exec<PackageSql>(
        `SELECT ${PACKAGE_COLUMNS} FROM packages WHERE device_id = ? ORDER BY profile, suite_id`,
        deviceId,
      )
      .toArray()
      .map(packageOf)
  }

  /** What a device has packages of, without them. */
  suites(deviceId: string): Pick<PackageRow, 'profile' | 'suiteId' | 'version'>[] {
    return this.#sql
      .exec<Pick<PackageSql, 'profile' | 'suite_id' | 'version'>>(
        'SELECT profile, suite_id, version FROM packages WHERE device_id = ?',
        deviceId,
      )
      .toArray()
      .map(({ profile, suite_id, version }) => ({ profile, suiteId: suite_id, version }))
  }

  put({ deviceId, profile, suiteId, version, leafId, pair, publishedAt }: PackageRow): void {
    this.#sql.exec(
      `INSERT INTO packages (${PACKAGE_COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
       ON CONFLICT (device_id, profile, suite_id) DO UPDATE SET version = ?4, leaf_id = ?5, pair = ?6, published_at = ?7`,
      deviceId,
      profile,
      suiteId,
      version,
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

  revocation(deviceId: string): RevocationRow | null {
    const [row] = this.#sql
      .exec<{ revocation: string | null }>('SELECT revocation FROM devices WHERE device_id = ?', deviceId)
      .toArray()
    return row?.revocation == null ? null : (JSON.parse(row.revocation) as RevocationRow)
  }

  /** In the transaction that stores what the leaf is about. */
  enqueue(leafId: string, entry: string): void {
    this.#sql.exec('INSERT INTO outbox (leaf_id, entry) VALUES (?, ?) ON CONFLICT DO NOTHING', leafId, entry)
  }

  waiting(limit: number): { leafId: string; entry: string }[] {
    return this.#sql
      .exec<{ leaf_id: string; entry: string }>('SELECT leaf_id, entry FROM outbox ORDER BY rowid LIMIT ?', limit)
      .toArray()
      .map(({ leaf_id, entry }) => ({ leafId: leaf_id, entry }))
  }

  delivered(leafIds: readonly string[]): void {
    for (const leafId of leafIds) this.#sql.exec('DELETE FROM outbox WHERE leaf_id = ?', leafId)
  }
}

function packageOf(row: PackageSql): PackageRow {
  return {
    deviceId: row.device_id,
    profile: row.profile,
    suiteId: row.suite_id,
    version: row.version,
    leafId: row.leaf_id,
    pair: JSON.parse(row.pair) as KeyPackagePair,
    publishedAt: row.published_at,
  }
}
