import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { ROOT } from '@svc/platform/workspace'
import { committedConfigs } from '../account.ts'
import { LocalAccount } from '../local-account/local-account.fixture.ts'
import { provision } from '../provision.ts'
import { AccountDatabases, databaseNames } from './account-databases.ts'
import { exportDatabases } from './export-databases.ts'
import { bucketPlace } from './export-place.ts'
import { type DatabaseImport, importDatabases } from './import-databases.ts'
import type { newKey } from './sealed-export.ts'

export const NAMES = databaseNames(committedConfigs())
export const NOW = Date.UTC(2027, 2, 1, 10)
export const MINUTE = 60_000

type Key = Awaited<ReturnType<typeof newKey>>

/** The databases of an account on this machine, as their migrations leave them, and the key of their exports. */
export class StagingDatabases {
  readonly account: LocalAccount
  readonly key: Key

  private constructor(account: LocalAccount, key: Key) {
    this.account = account
    this.key = key
  }

  static async open(key: Key): Promise<StagingDatabases> {
    const account = await LocalAccount.open()
    await provision(account.provisioning, account.api)
    account.printed.length = 0
    const opened = new StagingDatabases(account, key)
    for (const name of NAMES) migrate(opened.sqliteOf(name), name)
    return opened
  }

  close(): Promise<void> {
    return this.account.close()
  }

  databases(): AccountDatabases {
    return new AccountDatabases(this.account.api, this.account.deployment, this.account.configs)
  }

  sqliteOf(name: string): DatabaseSync {
    const found = this.account.fake.databases.get(`${name}-staging`)
    if (!found) throw new Error(`there is no ${name}`)
    return found.sqlite
  }

  /** The account loses a database, and the operator makes an empty one of the same name. */
  lose(name: string): void {
    const found = this.account.fake.databases.get(`${name}-staging`)
    if (found) found.sqlite = new DatabaseSync(':memory:')
  }

  exports(now = NOW) {
    return exportDatabases({
      deployment: 'staging',
      databases: this.databases(),
      recipients: [this.key.recipient],
      place: bucketPlace(this.account.api, '-staging'),
      now,
      print: this.account.print,
    })
  }

  imports(changes: Partial<DatabaseImport> = {}) {
    return importDatabases({
      deployment: 'staging',
      databases: this.databases(),
      place: bucketPlace(this.account.api, '-staging'),
      keyFile: this.key.file,
      lostAt: NOW + MINUTE,
      replaces: false,
      now: NOW + 10 * MINUTE,
      print: this.account.print,
      ...changes,
    })
  }

  one(name: string, sql: string) {
    return this.sqliteOf(name).prepare(sql).get() as Record<string, unknown> | undefined
  }

  all(name: string, sql: string) {
    return this.sqliteOf(name).prepare(sql).all() as Record<string, unknown>[]
  }

  takedown(subject: string): void {
    this.sqliteOf('svc-core')
      .prepare(
        `INSERT INTO takedowns (kind, subject_id, reason, operator, nonce, taken_down_at) VALUES ('pin', ?, 'law', 'o', ?, 1)`,
      )
      .run(subject, subject)
  }
}

/** Makes the tables of a database. */
export function migrate(sqlite: DatabaseSync, name: string): void {
  sqlite.exec('CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TEXT)')
  const files = globSync(`migrations/${name.replace('svc-', '')}/*.sql`, { cwd: ROOT }).toSorted()
  for (const file of files) {
    sqlite.exec(readFileSync(join(ROOT, file), 'utf8'))
    sqlite.prepare('INSERT INTO d1_migrations (name, applied_at) VALUES (?, ?)').run(file, 'then')
  }
}
