import type { ObjectStorage } from '../storage.ts'
import type { Changes } from './changes.ts'
import { hasOlder, isErasing, needsBase, type Settled, settled } from './progress.ts'
import type { RecordKeyIds, UnsealedRecord } from './record.ts'
import type { RecordFiles } from './record-files.ts'
import type { RecordedTables } from './recorded-tables.ts'

/** Records of one run of the alarm: the rest of a large base is written by the next ones. */
const MAX_RECORDS_AT_ONCE = 32

/** A record that another state of the object has written: one of the two was restored to an earlier time. */
export class RecordConflict extends Error {
  override readonly name = 'RecordConflict'
}

/** The object whose records are written. */
export interface WrittenObject {
  readonly name: string
  readonly stored: ObjectStorage
  readonly tables: RecordedTables
  readonly changes: Changes
}

/** Writes the records of an object, one after the other. */
export class RecordWriter {
  readonly #files: RecordFiles
  readonly #name: string
  readonly #stored: ObjectStorage
  readonly #tables: RecordedTables
  readonly #changes: Changes

  constructor(files: RecordFiles, { name, stored, tables, changes }: WrittenObject) {
    this.#files = files
    this.#name = name
    this.#stored = stored
    this.#tables = tables
    this.#changes = changes
  }

  /** Whether everything is recorded that there was. */
  async write(now: number): Promise<boolean> {
    const changes = this.#changes
    if (!changes.progress().pending && isErasing(changes.progress(), now)) changes.noteAll()
    let isWhole = changes.progress().pending === null
    for (let count = 0; count < MAX_RECORDS_AT_ONCE && !isWhole; count++) isWhole = await this.#writeOne(now)
    if (hasOlder(changes.progress())) await this.#deleteOlder()
    return isWhole
  }

  /** The record that nothing follows, once those before it are deleted. Null if there are no records. */
  async writeGone(now: number): Promise<number | null> {
    const found = await this.#files.sequences(this.#name)
    if (this.#changes.progress().sequence === 0 && found.length === 0) return null
    this.#stored.transact(() => {
      this.#changes.noteAll()
    })
    await this.#writeOne(now, true)
    const { sequence } = this.#changes.progress()
    await this.#files.delete(
      this.#name,
      found.filter((before) => before < sequence),
    )
    return sequence
  }

  async #deleteOlder(): Promise<void> {
    const { base } = this.#changes.progress()
    const older = (await this.#files.sequences(this.#name)).filter((sequence) => sequence < base)
    await this.#files.delete(this.#name, older)
    this.#stored.transact(() => {
      this.#changes.put({ ...this.#changes.progress(), cleared: base })
    })
  }

  /** Whether the record has all that there was when it was begun. */
  async #writeOne(now: number, isGone = false): Promise<boolean> {
    if (this.#changes.progress().sequence === 0) await this.#continueAfter()
    // The record of a deleted object has no data, so it needs no erasure key.
    const keys = isGone ? null : await this.#files.keysOf(this.#name)
    const { keysTo, ...record } = keys ? this.#take(keys, now) : this.#takeGone(now)
    const created = await this.#files.create(record)
    if (created) {
      this.#settle({ ...created, keys, record, keysTo, isBaseNext: isGone })
      return record.isWhole
    }
    const { record: before, ...file } = await this.#files.required(this.#name, record.sequence)
    const isOwn = before.attempt === record.attempt && before.previous === record.previous
    if (!isOwn) throw new RecordConflict('The object has records of a later state')
    // Written before a crash. The object may have been restored to a time within that window, so a base follows.
    this.#changes.taken(false)
    this.#settle({ ...file, keys: null, record: before, keysTo, isBaseNext: true })
    return false
  }

  /** The records of an object that was lost and created anew are not continued, those of one that was deleted are. */
  async #continueAfter(): Promise<void> {
    const found = await this.#files.sequences(this.#name)
    const last = found.at(-1)
    if (last === undefined) return
    const { record, hash } = await this.#files.required(this.#name, last)
    if (record.isGone) {
      this.#stored.transact(() => {
        this.#changes.put({ ...this.#changes.progress(), sequence: last, hash, eraseBy: 0 })
      })
    } else if (last !== 1) throw new RecordConflict('The object has records of a life before')
  }

  /** The next record, of the state as it is now, and the last change by key that it has. */
  #take(keys: RecordKeyIds, now: number): UnsealedRecord & { readonly keysTo: number } {
    const header = this.#header(now)
    const { marks, keysTo } = this.#changes.progress()
    const isBase = needsBase(this.#changes.progress(), keys, now)
    const changed = isBase ? 'all' : this.#changes.changed()
    const read = this.#tables.read(changed, isBase ? {} : marks, isBase ? this.#tables.keys.newest() : keysTo)
    // What changes from here on is in the record after this one; so is what did not fit.
    this.#changes.taken(read.isWhole)
    return { ...header, ...(isBase ? { base: header.sequence } : {}), ...read }
  }

  /** The record that nothing follows. It is a base, so that those before it can be deleted. */
  #takeGone(now: number): UnsealedRecord & { readonly keysTo: number } {
    const header = this.#header(now)
    const nothing = { tables: [], facts: null, marks: {}, keysTo: 0 }
    return { ...header, ...nothing, base: header.sequence, isWhole: true, isGone: true }
  }

  /** Draws the attempt of the next record. */
  #header(now: number): Omit<UnsealedRecord, 'facts' | 'tables' | 'marks' | 'isWhole' | 'isGone'> {
    const progress = this.#changes.progress()
    const { sequence, hash: previous, base, pending } = progress
    const { version } = this.#stored
    if (!pending || !version) throw new Error('nothing to record')
    const attempt = pending.attempt ?? crypto.randomUUID()
    if (pending.attempt === null) {
      this.#stored.transact(() => {
        this.#changes.put({ ...progress, pending: { ...pending, attempt } })
      })
    }
    return { name: this.#name, sequence: sequence + 1, previous, attempt, base, writtenAt: now, schema: version }
  }

  #settle(written: Omit<Settled, 'isMore'>): void {
    const { record, keysTo: done } = written
    this.#stored.transact(() => {
      const isMore = !record.isWhole || this.#changes.isMore
      const keysTo = this.#tables.keys.isLong(done) && this.#hasDropped(done) ? 0 : done
      this.#changes.put(settled(this.#changes.progress(), { ...written, keysTo, isMore }))
    })
  }

  /** False while something reads the object's tables: the next record drops them. */
  #hasDropped(keysDone: number): boolean {
    try {
      this.#changes.quietly(() => {
        this.#stored.transact(() => {
          this.#tables.keys.drop(keysDone)
        })
      })
      return true
    } catch {
      return false
    }
  }
}
