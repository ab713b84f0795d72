import type { ConsentRecord } from '@svc/protocol/consent/consent'
import { isOfEntry, recordFault } from '@svc/protocol/consent/record-act'
import type { SnapshotEntry, SnapshotPage } from '@svc/protocol/consent/snapshot'
import { Contradiction } from './contradiction.ts'
import type { MirrorStore } from './mirror-store.ts'

/** Of a visit. Consent answers 5,000 reads in a minute, and other sources wait for this one. */
const MOST_RECORDS = 2_000

/** Asks for the record of an identifier; null if there is none now. */
export type ReadRecord = (hash: string) => Promise<ConsentRecord | null>

/**
 * Keeps the records of the snapshot that is served: what a snapshot has for an identifier, with the signature of its
 * creator. A record that was changed since the snapshot is read again with the next one.
 */
export class RecordFollower {
  readonly #store: MirrorStore
  readonly #read: ReadRecord

  constructor(store: MirrorStore, read: ReadRecord) {
    this.#store = store
    this.#read = read
  }

  /** Up to a number of records of the snapshot of a full hour, epoch ms. */
  async follow(at: number, isStopping: () => boolean): Promise<void> {
    if (this.#store.fact('records') !== at) this.#index(at)
    for (const { hash, entry } of this.#missing()) {
      if (isStopping()) return
      const record = await this.#read(hash)
      if (record && isOfEntry(record, entry)) {
        const fault = await recordFault(record)
        if (fault) throw new Contradiction(fault, { known: entry, shown: record })
        this.#store.run('UPDATE records SET record = ? WHERE hash = ?', JSON.stringify(record), hash)
      }
      this.#store.setFact('records asked', hash)
    }
  }

  /** Which identifiers the snapshot has. Records of entries that are the same stay. */
  #index(at: number): void {
    const pages = this.#store.all('SELECT bucket, number FROM pages WHERE at = ? ORDER BY bucket, number', at)
    for (const { bucket, number } of pages)
      this.#store.transact(() => {
        const row = this.#store.get(
          'SELECT page FROM pages WHERE at = ? AND bucket = ? AND number = ?',
          at,
          Number(bucket),
          Number(number),
        )
        const { entries } = JSON.parse(String(row?.['page'])) as SnapshotPage
        for (const entry of entries)
          this.#store.run(
            `INSERT INTO records (hash, at, entry) VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET
             record = CASE entry WHEN ?3 THEN record END, at = ?2, entry = ?3`,
            entry.hash,
            at,
            JSON.stringify(entry),
          )
      })
    this.#store.transact(() => {
      this.#store.run('DELETE FROM records WHERE at <> ?', at)
      this.#store.setFact('records asked', '')
      this.#store.setFact('records', at)
    })
  }

  #missing(): { readonly hash: string; readonly entry: SnapshotEntry }[] {
    return this.#store
      .all(
        'SELECT hash, entry FROM records WHERE record IS NULL AND hash > ? ORDER BY hash LIMIT ?',
        String(this.#store.fact('records asked')),
        MOST_RECORDS,
      )
      .map(({ hash, entry }) => ({ hash: String(hash), entry: JSON.parse(String(entry)) as SnapshotEntry }))
  }
}
