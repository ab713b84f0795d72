import type { Sql } from '@svc/objects'
import { contactTag, DEFAULT_SETTINGS, type DirectorySettings } from '@svc/protocol/keys/reserving'

export function isDefault({ reserve, contacts }: DirectorySettings): boolean {
  return reserve === DEFAULT_SETTINGS.reserve && contacts.length === 0
}

/** What an account says about who may reserve its prekeys, in its object's SQLite. */
export class RequesterStore {
  readonly #sql: Sql

  constructor(sql: Sql) {
    this.#sql = sql
  }

  settings(): DirectorySettings {
    const rows = this.#sql.exec<{ tag: string }>('SELECT tag FROM contacts ORDER BY tag').toArray()
    return { reserve: this.policy(), contacts: rows.map(({ tag }) => tag) }
  }

  put({ reserve, contacts }: DirectorySettings): void {
    this.#sql.exec('DELETE FROM contacts')
    this.#sql.exec('INSERT OR IGNORE INTO contacts SELECT value FROM json_each(?)', JSON.stringify(contacts))
    if (reserve === DEFAULT_SETTINGS.reserve) this.#sql.exec('DELETE FROM settings')
    else this.#sql.exec('INSERT OR REPLACE INTO settings (id, reserve) VALUES (0, ?)', reserve)
  }

  policy(): DirectorySettings['reserve'] {
    const [row] = this.#sql.exec<{ reserve: DirectorySettings['reserve'] }>('SELECT reserve FROM settings').toArray()
    return row?.reserve ?? DEFAULT_SETTINGS.reserve
  }

  hasContacts(): boolean {
    return this.#sql.exec('SELECT 1 FROM contacts LIMIT 1').toArray().length > 0
  }

  /**
   * The account itself counts as its own contact: its devices write to each other. The pass of anybody else is compared
   * through its hash, so that how long this takes tells nothing of it.
   */
  isContact(accountDid: string, requesterDid: string, passB64u: string | null): boolean {
    if (requesterDid === accountDid) return true
    if (passB64u === null) return false
    const tag = contactTag(accountDid, requesterDid, passB64u)
    return this.#sql.exec('SELECT 1 FROM contacts WHERE tag = ?', tag).toArray().length > 0
  }
}
