import type { Facts, Sql } from '@svc/objects'
import type { AccountHead, LoggedAgreement } from '@svc/protocol/keys/account-updates'
import type { LogPosition } from '@svc/protocol/merkle/log-name'
import type { DeviceState } from '../rules.ts'
import { type PackageRow, type PackageSql, packageOf, type RevocationRow } from '../store.ts'

/** An update as its row says it. */
export interface StoredUpdate extends AccountHead {
  readonly statementHash: string
  readonly statement: { readonly type: string }
  /** Null until the log has answered. */
  readonly position: LogPosition | null
}

export interface StoredDevice extends DeviceState {
  readonly deviceId: string
  readonly revocation: RevocationRow | null
}

/** What an account is rebuilt to, without its prekeys and reservations. */
export interface RebuiltDirectory {
  readonly updates: readonly StoredUpdate[]
  readonly devices: readonly StoredDevice[]
  readonly packages: readonly PackageRow[]
  /** The head after which it went on when it had lost updates before. */
  readonly continuedAfter: AccountHead | null
  /** The newest key agreement that the directory knows. */
  readonly agreement: LoggedAgreement | null
}

interface UpdateSql extends Record<string, string | number | null> {
  readonly seq: number
  readonly statement_hash: string
  readonly head: string
  readonly statement: string
  readonly log: string | null
  readonly idx: number | null
}

interface DeviceSql extends Record<string, string | number | null> {
  readonly device_id: string
  readonly version: number
  readonly revoked_version: number
  readonly revoked_at: number
  readonly revocation: string | null
}

export function readRebuilt(sql: Sql, facts: Facts): RebuiltDirectory {
  return {
    updates: sql
      .exec<UpdateSql>('SELECT seq, statement_hash, head, statement, log, idx FROM updates ORDER BY seq')
      .toArray()
      .map(({ seq, statement_hash: statementHash, head, statement, log, idx }) => ({
        seq,
        head,
        statementHash,
        statement: JSON.parse(statement) as { type: string },
        position: log === null || idx === null ? null : { log, index: idx },
      })),
    devices: sql
      .exec<DeviceSql>('SELECT device_id, version, revoked_version, revoked_at, revocation FROM devices')
      .toArray()
      .map((row) => ({
        deviceId: row.device_id,
        version: row.version,
        revokedVersion: row.revoked_version,
        revokedAt: row.revoked_at,
        revocation: row.revocation === null ? null : (JSON.parse(row.revocation) as RevocationRow),
      })),
    packages: sql.exec<PackageSql>('SELECT * FROM packages').toArray().map(packageOf),
    continuedAfter: facts.get<AccountHead>('publishedHead') ?? null,
    agreement: facts.get<LoggedAgreement>('agreement') ?? null,
  }
}
