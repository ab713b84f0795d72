import { DependencyFault } from '@svc/protocol/base/dependency-fault'
import { FACTS_TABLE } from '../facts.ts'
import type { ObjectStorage } from '../storage.ts'
import type { ObjectRecord } from './record.ts'
import { RecordFiles, type RecordPlace } from './record-files.ts'
import { RecordedTables, type RecordPlan, writtenBy } from './recorded-tables.ts'

/** What changes within this time is in one record. With the time of writing it, a record is at most a minute late. */
export const RECORD_DELAY_MS = 30_000
const RETRY_MS = 30_000
/** Repeated so that it is logged until an operator has decided. */
const CONFLICT_RETRY_MS = 3_600_000
/** What was erased disappears from the records within a day: until then, older ones may have it. */
const ERASED_WITHIN_MS = 24 * 3_600_000
/** A new base replaces the records before it once they are this many, and twice as large as the base. */
const MIN_RECORDS = 16
const MIN_BYTES = 64 * 1024

/** For the `facts` of every schema that is recorded. */
export const RECORD_FACTS = ['records'] as const

/** Kept in the object: how far its records go. */
interface Progress {
  /** The newest record. */
  readonly sequence: number
  readonly base: number
  readonly basedAt: number
  /** Whether the records from the base on have all of a state. */
  readonly isBaseWhole: boolean
  readonly baseBytes: number
  /** Of the records after those. */
  readonly bytes: number
  /** Records before this one were deleted. */
  readonly cleared: number
  readonly marks: Readonly<Record<string, number>>
  /** Since when something changed. The attempt is drawn when its record is written, null before. */
  readonly pending: { readonly attempt: string | null; readonly since: number } | null
  /** The first record from this time on is a base; null if none has to be. */
  readonly eraseBy: number | null
}

const NOTHING: Progress = {
  sequence: 0,
  base: 0,
  basedAt: 0,
  isBaseWhole: false,
  baseBytes: 0,
  bytes: 0,
  cleared: 0,
  marks: {},
  pending: null,
  eraseBy: null,
}

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
  #isApplying = false
  #running: Promise<void> | null = null
  #rebuilding: Promise<Rebuilt> | null = null

  constructor(stored: ObjectStorage, recorded: Recorded) {
    this.#stored = stored
    this.#recorded = recorded
    this.#tables = new RecordedTables(stored.sql, recorded.plan)
    this.#files = recorded.place && new RecordFiles(recorded.place)
    if (!this.#files) return
    stored.onUndone(() => {
      this.#progress = null
    })
    stored.watch({
      wrote: (statement) => {
        if (this.#isApplying) return
        const { table, deletes } = writtenBy(statement)
        if (table === null) this.#note('all', false)
        else if (this.#tables.isNoted(table, deletes)) this.#note(table, deletes && this.#tables.isErased(table))
      },
      fact: (name) => {
        if (!this.#isApplying && this.#tables.isRecordedFact(name)) this.#note(FACTS_TABLE, false)
      },
      everything: () => {
        if (!this.#isApplying) this.#note('all', false)
      },
    })
  }

  /** When `run` has something to do; null if never. */
  dueAt(): number | null {
    if (!this.#files || !this.#stored.exists) return null
    const { pending, eraseBy } = this.#read()
    const times = [
      pending && pending.since + RECORD_DELAY_MS,
      eraseBy,
      // At once, and again if it failed.
      this.#hasOlder() ? 0 : null,
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

  /** Makes the object what its records say. One rebuild runs at a time. */
  async rebuild(options: RebuildOptions, now: number): Promise<Rebuilt> {
    this.#rebuilding ??= this.#rebuild(options, now).finally(() => {
      this.#rebuilding = null
    })
    return this.#rebuilding
  }

  /** Deletes all records, of an object that is deleted. */
  async forget(): Promise<void> {
    const { name } = this.#recorded
    if (this.#files) await this.#files.delete(name, await this.#files.sequences(name))
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
    const now = Date.now()
    const pending = progress.pending ?? { attempt: null, since: now }
    const eraseBy = isErased
      ? (progress.eraseBy ?? Math.max(now, progress.basedAt + ERASED_WITHIN_MS))
      : progress.eraseBy
    if (pending !== progress.pending || eraseBy !== progress.eraseBy) this.#put({ ...progress, pending, eraseBy })
    // After the transaction: what is set in one that is undone would not be set. No write if it is set already.
    queueMicrotask(() => void this.#stored.alarm.by(pending.since + RECORD_DELAY_MS))
  }

  #flush(now: number): Promise<void> {
    this.#running ??= this.#write(now).finally(() => {
      this.#running = null
    })
    return this.#running
  }

  async #write(now: number): Promise<void> {
    const files = this.#files
    if (!files) return
    if (!this.#read().pending && this.#isErasing(now)) this.#note('all', false)
    for (let isLast = this.#read().pending === null; !isLast; ) isLast = await this.#writeOne(files, now)
    if (!this.#hasOlder()) return
    const { name } = this.#recorded
    const { base } = this.#read()
    await files.delete(
      name,
      (await files.sequences(name)).filter((sequence) => sequence < base),
    )
    this.#stored.transact(() => this.#put({ ...this.#read(), cleared: base }))
  }

  /** Whether the record has all that there was when it was begun. */
  async #writeOne(files: RecordFiles, now: number): Promise<boolean> {
    const { name } = this.#recorded
    // The records of an object that was lost and created anew are not continued by those of the new one.
    const found = this.#read().sequence === 0 ? await files.sequences(name) : []
    if (found.some((sequence) => sequence !== 1)) throw new RecordConflict('The object has records of a life before')
    const record = this.#take(now)
    const { isCreated, bytes } = await files.create(record)
    if (isCreated) {
      this.#settle(record, bytes, false)
      return record.isWhole
    }
    const before = await files.read(name, record.sequence)
    if (before?.attempt !== record.attempt) throw new RecordConflict('The object has records of a later state')
    // Written before a crash. The object may have been restored to a time within that window, so a base follows.
    this.#changed = 'all'
    this.#settle(before, bytes, true)
    return false
  }

  #hasOlder(): boolean {
    const { cleared, base, isBaseWhole } = this.#read()
    return isBaseWhole && cleared < base
  }

  #isErasing(now: number): boolean {
    const { eraseBy } = this.#read()
    return eraseBy !== null && eraseBy <= now
  }

  #needsBase(now: number): boolean {
    const { sequence, base, bytes, baseBytes } = this.#read()
    const isLong = sequence - base >= MIN_RECORDS && bytes > Math.max(MIN_BYTES, 2 * baseBytes)
    return sequence === 0 || isLong || this.#isErasing(now)
  }

  /** The next record, of the state as it is now. */
  #take(now: number): ObjectRecord {
    const progress = this.#read()
    const { sequence, base, marks, pending } = progress
    const { version } = this.#stored
    if (!pending || !version) throw new Error('nothing to record')
    const attempt = pending.attempt ?? crypto.randomUUID()
    if (pending.attempt === null)
      this.#stored.transact(() => this.#put({ ...progress, pending: { ...pending, attempt } }))
    const isBase = this.#needsBase(now)
    const changed = isBase ? 'all' : (this.#changed ?? 'all')
    const read = this.#tables.read(changed, isBase ? {} : marks)
    // What changes from here on is in the record after this one; so is what did not fit.
    this.#changed = read.isWhole ? new Set() : 'all'
    return {
      name: this.#recorded.name,
      sequence: sequence + 1,
      attempt,
      base: isBase ? sequence + 1 : base,
      writtenAt: now,
      schema: version,
      ...read,
    }
  }

  #settle({ sequence, base, isWhole, marks, writtenAt }: ObjectRecord, bytes: number, needsBase: boolean): void {
    this.#stored.transact(() => {
      const progress = this.#read()
      const isBase = base === sequence
      const isOfBase = isBase || !progress.isBaseWhole
      const isMore = needsBase || !isWhole || this.#changed === 'all' || (this.#changed?.size ?? 0) > 0
      const { eraseBy, baseBytes } = progress
      const isErased = isBase && eraseBy !== null && eraseBy <= writtenAt
      this.#put({
        ...progress,
        sequence,
        base,
        marks,
        basedAt: isBase ? writtenAt : progress.basedAt,
        isBaseWhole: isOfBase ? isWhole : true,
        baseBytes: isBase ? bytes : baseBytes + (isOfBase ? bytes : 0),
        bytes: isOfBase ? 0 : progress.bytes + bytes,
        eraseBy: needsBase ? writtenAt : isErased ? null : eraseBy,
        pending: isMore ? { attempt: null, since: writtenAt } : null,
      })
    })
  }

  async #rebuild({ replaces, lostAt }: RebuildOptions, now: number): Promise<Rebuilt> {
    const files = this.#files
    if (!files) return 'not_found'
    const { name } = this.#recorded
    const sequences = await files.sequences(name)
    const last = await this.#lastWhole(files, sequences)
    if (!last) return this.#stored.exists ? this.#recordAgain() : 'not_found'
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
      this.#recorded.onRebuilt(lostAt)
      // The next record is a base: the steps of a newer schema may have changed any row.
      const pending = { attempt: null, since: now }
      this.#put({ ...NOTHING, sequence, base, cleared: base, isBaseWhole: true, marks, eraseBy: now, pending })
    })
    this.#changed = 'all'
    void this.#stored.alarm.by(now)
  }

  #applying(work: () => void): void {
    this.#isApplying = true
    try {
      this.#stored.transact(work)
    } finally {
      this.#isApplying = false
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
