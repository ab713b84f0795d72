import { DependencyFault } from '@svc/protocol/base/dependency-fault'
import { FACTS_TABLE } from '../facts.ts'
import type { ObjectStorage } from '../storage.ts'
import { RECORD_DELAY_MS } from './delay.ts'
import { hasOlder, isErasing, NOTHING, needsBase, noted, type Progress, settled } from './progress.ts'
import type { ObjectRecord } from './record.ts'
import { RecordFiles, type RecordPlace } from './record-files.ts'
import { RecordedTables, type RecordPlan, writtenBy } from './recorded-tables.ts'

const RETRY_MS = 30_000
/** Repeated so that it is logged until an operator has decided. */
const CONFLICT_RETRY_MS = 3_600_000
/** Records of one run of the alarm: the rest of a large base is written by the next ones. */
const MAX_RECORDS_AT_ONCE = 32

/** For the `facts` of every schema that is recorded. */
export const RECORD_FACTS = ['records'] as const

/** A record that another state of the object has written: one of the two was restored to an earlier time. */
export class RecordConflict extends Error {
  override readonly name = 'RecordConflict'
}

/** How an object ended up after it was asked to rebuild itself. */
export type Rebuilt =
  /** It has what its records have. */
  | 'rebuilt'
  /** It had that already. */
  | 'unchanged'
  /** It has written something that its records do not have, after a state that they continue. */
  | 'newer'
  /** It exists and had no records: it writes them again. */
  | 'recorded'
  | 'not_found'

export interface RebuildOptions {
  /** Discard what the object has. */
  readonly replaces: boolean
  /** Nothing was accepted after this time, in the state that was lost. */
  readonly lostAt: number
}

export interface Recorded {
  readonly name: string
  readonly plan: RecordPlan
  /** Null in a deployment that keeps no records. */
  readonly place: RecordPlace | null
  /** What a rebuilt object does before it exists again, in the same transaction. */
  readonly onRebuilt: (lostAt: number) => void
}

/**
 * Writes what changes in an object to records outside of it, and rebuilds the object from them.
 *
 * The first change opens a window in the transaction that makes it. When it is over, the object's alarm writes one record
 * with the rows that changed, create-only under the next number, and then closes the window in a transaction. The record
 * carries an attempt that the object has stored just before. A crash between the two leaves a record whose attempt the
 * object knows; it goes on after it. A record with another attempt was written by a later state of the object, which was
 * then restored: nothing is recorded until an operator decides.
 */
export class Recorder {
  readonly #stored: ObjectStorage
  readonly #recorded: Recorded
  readonly #tables: RecordedTables
  readonly #files: RecordFiles | null
  /** A copy; read when it is null. */
  #progress: Progress | null = null
  /** Null until it is known whether there is a window that was opened before this start. */
  #changed: Set<string> | 'all' | null = null
  #retryAt = 0
  #isQuiet = false
  #running: Promise<boolean> | null = null
  #rebuilding: Promise<Rebuilt> | null = null

  constructor(stored: ObjectStorage, recorded: Recorded) {
    this.#stored = stored
    this.#recorded = recorded
    this.#tables = new RecordedTables(stored.sql, recorded.plan)
    this.#files = recorded.place && new RecordFiles(recorded.place)
    if (!this.#files) return
    stored.onUndone(() => {
      this.#progress = null
      this.#tables.keys.forget()
    })
    stored.watch({
      wrote: (statement) => {
        if (this.#isQuiet) return
        const { table, deletes } = writtenBy(statement)
        if (table === null) this.#note('all', false)
        else if (this.#tables.isNoted(table, deletes)) this.#note(table, deletes && this.#tables.isErased(table))
      },
      fact: (name) => {
        if (!this.#isQuiet && this.#tables.isRecordedFact(name)) this.#note(FACTS_TABLE, false)
      },
      everything: () => {
        if (this.#isQuiet) return
        this.#quietly(() => this.#tables.keys.watch())
        this.#note('all', false)
      },
    })
    if (stored.exists) this.#watchKeys()
  }

  /** When `run` has something to do; null if never. */
  dueAt(): number | null {
    if (!this.#files || !this.#stored.exists) return null
    const { pending, eraseBy } = this.#read()
    const times = [
      pending && pending.since + RECORD_DELAY_MS,
      eraseBy,
      // At once, and again if it failed.
      hasOlder(this.#read()) ? 0 : null,
    ].filter((time) => time !== null)
    return times.length === 0 ? null : Math.max(this.#retryAt, Math.min(...times))
  }

  /** Writes what is due, and sets the alarm for the rest. Rejects if that failed; the alarm is then set as well. */
  async run(now: number): Promise<void> {
    const due = this.dueAt()
    if (due === null) return
    try {
      if (due <= now) await this.#flush(now)
    } catch (error) {
      this.#changed = 'all'
      this.#retryAt = now + (error instanceof RecordConflict ? CONFLICT_RETRY_MS : RETRY_MS)
      throw error
    } finally {
      const next = this.dueAt()
      if (next !== null) void this.#stored.alarm.by(next)
    }
  }

  /** Records what there is now, whenever it is due. */
  async runNow(now: number): Promise<void> {
    if (!this.#files) return
    await this.#running
    for (let isWhole = false; !isWhole; ) isWhole = await this.#flush(now)
  }

  /** Makes the object what its records say. One rebuild runs at a time. */
  async rebuild(options: RebuildOptions, now: number): Promise<Rebuilt> {
    this.#rebuilding ??= this.#rebuild(options, now).finally(() => {
      this.#rebuilding = null
    })
    return this.#rebuilding
  }

  /**
   * Deletes an object that has nothing more to keep, and its records. Before its last act it asks whether that is still so:
   * false if the object lives on. Rejects if a store failed; the object is then as it was.
   */
  async end(isOver: () => boolean, now: number): Promise<boolean> {
    await this.#running
    const gone = this.#files && this.#stored.version ? await this.#writeGone(this.#files, now) : null
    if (!isOver()) return false
    await this.#stored.deleteAll()
    // What is left after a crash is followed by the records of the next life.
    if (gone !== null) await this.#files?.delete(this.#recorded.name, [gone])
    return true
  }

  /** Null if there are no records. */
  async #writeGone(files: RecordFiles, now: number): Promise<number | null> {
    const { name } = this.#recorded
    const found = await files.sequences(name)
    if (this.#read().sequence === 0 && found.length === 0) return null
    this.#stored.transact(() => this.#note('all', false))
    await this.#writeOne(files, now, true)
    const { sequence } = this.#read()
    await files.delete(
      name,
      found.filter((before) => before < sequence),
    )
    return sequence
  }

  #read(): Progress {
    this.#progress ??= this.#stored.facts.get<Progress>('records') ?? NOTHING
    this.#changed ??= this.#progress.pending ? 'all' : new Set()
    return this.#progress
  }

  #put(progress: Progress): void {
    this.#stored.facts.put('records', progress)
    this.#progress = progress
  }

  /** In the transaction of the change. */
  #note(table: string, isErased: boolean): void {
    if (!this.#stored.version) return
    const progress = this.#read()
    if (table === 'all') this.#changed = 'all'
    else if (this.#changed !== 'all') this.#changed?.add(table)
    const next = noted(progress, isErased, Date.now())
    if (next !== progress) this.#put(next)
    const since = next.pending?.since ?? 0
    // After the transaction: what is set in one that is undone would not be set. No write if it is set already.
    queueMicrotask(() => void this.#stored.alarm.by(since + RECORD_DELAY_MS))
  }

  /** Rows from before a table was watched are in a base. */
  #watchKeys(): void {
    this.#stored.transact(() => {
      if (!this.#quietly(() => this.#tables.keys.watch())) return
      this.#note('all', false)
      this.#put({ ...this.#read(), eraseBy: 0 })
    })
  }

  /** Whether everything is recorded that there was. */
  #flush(now: number): Promise<boolean> {
    this.#running ??= this.#write(now).finally(() => {
      this.#running = null
    })
    return this.#running
  }

  async #write(now: number): Promise<boolean> {
    const files = this.#files
    if (!files) return true
    if (!this.#read().pending && isErasing(this.#read(), now)) this.#note('all', false)
    let isWhole = this.#read().pending === null
    for (let count = 0; count < MAX_RECORDS_AT_ONCE && !isWhole; count++) isWhole = await this.#writeOne(files, now)
    if (hasOlder(this.#read())) await this.#deleteOlder(files)
    return isWhole
  }

  async #deleteOlder(files: RecordFiles): Promise<void> {
    const { name } = this.#recorded
    const { base } = this.#read()
    const older = (await files.sequences(name)).filter((sequence) => sequence < base)
    await files.delete(name, older)
    this.#stored.transact(() => this.#put({ ...this.#read(), cleared: base }))
  }

  /** Whether the record has all that there was when it was begun. */
  async #writeOne(files: RecordFiles, now: number, isGone = false): Promise<boolean> {
    const { name } = this.#recorded
    if (this.#read().sequence === 0) await this.#continueAfter(files)
    const { keysTo, ...record } = isGone ? this.#takeGone(now) : this.#take(now)
    const { isCreated, bytes } = await files.create(record)
    if (isCreated) {
      this.#settle(record, bytes, keysTo, isGone)
      return record.isWhole
    }
    const before = await files.read(name, record.sequence)
    if (before?.attempt !== record.attempt) throw new RecordConflict('The object has records of a later state')
    // Written before a crash. The object may have been restored to a time within that window, so a base follows.
    this.#changed = 'all'
    this.#settle(before, bytes, keysTo, true)
    return false
  }

  /** The records of an object that was lost and created anew are not continued, those of one that was deleted are. */
  async #continueAfter(files: RecordFiles): Promise<void> {
    const { name } = this.#recorded
    const found = await files.sequences(name)
    const last = found.at(-1)
    if (last === undefined) return
    const record = await files.read(name, last)
    if (record?.isGone) this.#stored.transact(() => this.#put({ ...this.#read(), sequence: last, eraseBy: 0 }))
    else if (last !== 1) throw new RecordConflict('The object has records of a life before')
  }

  /** The next record, of the state as it is now, and the last change by key that it has. */
  #take(now: number): ObjectRecord & { readonly keysTo: number } {
    const header = this.#header(now)
    const { marks, keysTo } = this.#read()
    const isBase = needsBase(this.#read(), now)
    const changed = isBase ? 'all' : (this.#changed ?? 'all')
    const read = this.#tables.read(changed, isBase ? {} : marks, isBase ? this.#tables.keys.newest() : keysTo)
    // What changes from here on is in the record after this one; so is what did not fit.
    this.#changed = read.isWhole ? new Set() : 'all'
    return { ...header, ...(isBase ? { base: header.sequence } : {}), ...read }
  }

  /** The record that nothing follows. It is a base, so that those before it can be deleted. */
  #takeGone(now: number): ObjectRecord & { readonly keysTo: number } {
    const header = this.#header(now)
    const nothing = { tables: [], facts: null, marks: {}, keysTo: 0 }
    return { ...header, ...nothing, base: header.sequence, isWhole: true, isGone: true }
  }

  /** Draws the attempt of the next record. */
  #header(now: number): Pick<ObjectRecord, 'name' | 'sequence' | 'attempt' | 'base' | 'writtenAt' | 'schema'> {
    const progress = this.#read()
    const { sequence, base, pending } = progress
    const { version } = this.#stored
    if (!pending || !version) throw new Error('nothing to record')
    const attempt = pending.attempt ?? crypto.randomUUID()
    if (pending.attempt === null)
      this.#stored.transact(() => this.#put({ ...progress, pending: { ...pending, attempt } }))
    return { name: this.#recorded.name, sequence: sequence + 1, attempt, base, writtenAt: now, schema: version }
  }

  #settle(record: ObjectRecord, bytes: number, keysDone: number, isBaseNext: boolean): void {
    this.#stored.transact(() => {
      const isMore = !record.isWhole || this.#changed === 'all' || (this.#changed?.size ?? 0) > 0
      const keysTo = this.#tables.keys.isLong(keysDone) && this.#hasDropped(keysDone) ? 0 : keysDone
      this.#put(settled(this.#read(), { record, bytes, keysTo, isMore, isBaseNext }))
    })
  }

  /** False while something reads the object's tables: the next record drops them. */
  #hasDropped(keysDone: number): boolean {
    try {
      this.#quietly(() => this.#stored.transact(() => this.#tables.keys.drop(keysDone)))
      return true
    } catch {
      return false
    }
  }

  async #rebuild({ replaces, lostAt }: RebuildOptions, now: number): Promise<Rebuilt> {
    const files = this.#files
    if (!files) return 'not_found'
    const { name } = this.#recorded
    const sequences = await files.sequences(name)
    const last = await this.#lastWhole(files, sequences)
    if (!last || last.isGone) return this.#stored.exists ? this.#recordAgain() : 'not_found'
    if (this.#stored.exists && !replaces) {
      const { sequence, pending } = this.#read()
      if (sequence >= last.sequence) return 'unchanged'
      if (pending) return 'newer'
    }
    // An object that was restored to an earlier time has only what its records have, and nonces, which the floor covers.
    if (this.#stored.version) await this.#stored.deleteAll()
    for (let sequence = last.base; sequence <= last.sequence; sequence++) {
      const record = sequence === last.sequence ? last : await files.read(name, sequence)
      if (!record) throw new DependencyFault('records', { cause: new Error(`record ${sequence} is missing`) })
      this.#apply(record)
    }
    this.#complete(last, lostAt, now)
    await files.delete(
      name,
      sequences.filter((sequence) => sequence > last.sequence),
    )
    return 'rebuilt'
  }

  /** A record that is not whole, at the end, was never followed by the rest. */
  async #lastWhole(files: RecordFiles, sequences: readonly number[]): Promise<ObjectRecord | null> {
    for (const sequence of sequences.toReversed()) {
      const record = await files.read(this.#recorded.name, sequence)
      if (record?.isWhole) return record
    }
    return null
  }

  /** All or nothing of one record. Between two of them the object does not exist. */
  #apply({ schema, tables, facts }: ObjectRecord): void {
    this.#applying(() => {
      this.#stored.reach(schema)
      this.#tables.apply(tables, facts)
    })
  }

  #complete({ sequence, base, marks }: ObjectRecord, lostAt: number, now: number): void {
    this.#applying(() => {
      this.#stored.complete()
      this.#tables.keys.watch()
      this.#recorded.onRebuilt(lostAt)
      // The next record is a base: the steps of a newer schema may have changed any row.
      const pending = { attempt: null, since: now }
      this.#put({ ...NOTHING, sequence, base, cleared: base, isBaseWhole: true, marks, eraseBy: now, pending })
    })
    this.#changed = 'all'
    void this.#stored.alarm.by(now)
  }

  #applying(work: () => void): void {
    this.#quietly(() => this.#stored.transact(work))
  }

  /** What is written by this changes nothing of the object. */
  #quietly<T>(work: () => T): T {
    this.#isQuiet = true
    try {
      return work()
    } finally {
      this.#isQuiet = false
    }
  }

  #recordAgain(): Rebuilt {
    this.#stored.transact(() => {
      this.#put(NOTHING)
      this.#note('all', false)
    })
    return 'recorded'
  }
}
