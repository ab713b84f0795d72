import type { ObjectStorage } from '../storage.ts'
import { Changes } from './changes.ts'
import { RECORD_DELAY_MS } from './delay.ts'
import { hasOlder } from './progress.ts'
import { Rebuild, type RebuildOptions, type RebuildRules, type Rebuilt } from './rebuild.ts'
import { RecordFiles, type RecordPlace } from './record-files.ts'
import { RecordConflict, RecordWriter } from './record-writer.ts'
import { RecordedTables, type RecordPlan } from './recorded-tables.ts'

const RETRY_MS = 30_000
/** Repeated so that it is logged until an operator has decided. */
const CONFLICT_RETRY_MS = 3_600_000

/** For the `facts` of every schema that is recorded. */
export const RECORD_FACTS = ['records'] as const

export interface Recorded {
  readonly name: string
  readonly plan: RecordPlan
  /** Null in a deployment that keeps no records. */
  readonly place: RecordPlace | null
  readonly rules: RebuildRules
}

/** What reaches the records of an object, in a deployment that keeps them. */
interface Keeping {
  readonly files: RecordFiles
  readonly writer: RecordWriter
  readonly rebuild: Rebuild
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
  readonly #name: string
  readonly #changes: Changes
  readonly #keeping: Keeping | null
  #retryAt = 0
  #running: Promise<boolean> | null = null
  #rebuilding: Promise<Rebuilt> | null = null

  constructor(stored: ObjectStorage, { name, plan, place, rules }: Recorded) {
    const tables = new RecordedTables(stored.sql, plan)
    this.#stored = stored
    this.#name = name
    this.#changes = new Changes(stored, tables)
    this.#keeping = null
    if (!place) return
    const files = new RecordFiles(place)
    const object = { name, stored, tables, changes: this.#changes }
    this.#keeping = { files, writer: new RecordWriter(files, object), rebuild: new Rebuild(files, object, rules) }
    this.#changes.watch()
  }

  /** When `run` has something to do; null if never. */
  dueAt(): number | null {
    if (!this.#keeping || !this.#stored.exists) return null
    const progress = this.#changes.progress()
    const times = [
      progress.pending && progress.pending.since + RECORD_DELAY_MS,
      progress.eraseBy,
      // At once, and again if it failed.
      hasOlder(progress) ? 0 : null,
    ].filter((time) => time !== null)
    return times.length === 0 ? null : Math.max(this.#retryAt, Math.min(...times))
  }

  /** Writes what is due, and sets the alarm for the rest. Rejects if that failed; the alarm is then set as well. */
  async run(now: number): Promise<void> {
    // A rebuild sets the alarm when it is over.
    if (this.#rebuilding) return
    const due = this.dueAt()
    if (due === null) return
    try {
      if (due <= now) await this.#flush(now)
    } catch (error) {
      this.#changes.taken(false)
      this.#retryAt = now + (error instanceof RecordConflict ? CONFLICT_RETRY_MS : RETRY_MS)
      throw error
    } finally {
      this.#keepAlarm()
    }
  }

  /** Makes the object what its records say. One rebuild runs at a time, and nothing is recorded meanwhile. */
  async rebuild(options: RebuildOptions, now: number): Promise<Rebuilt> {
    this.#rebuilding ??= this.#rebuild(options, now).finally(() => {
      this.#rebuilding = null
      this.#keepAlarm()
    })
    return this.#rebuilding
  }

  /**
   * Deletes an object that has nothing more to keep, and its records. Before its last act it asks whether that is still so:
   * false if the object lives on. Rejects if a store failed; the object is then as it was.
   */
  async end(isOver: () => boolean, now: number): Promise<boolean> {
    await this.#rebuilt()
    await this.#running
    const keeping = this.#keeping
    const gone = keeping && this.#stored.version ? await keeping.writer.writeGone(now) : null
    // No record needs it any more: one that follows is a base, under another.
    await keeping?.files.erase(this.#name)
    if (!isOver()) return false
    await this.#stored.deleteAll()
    // What is left after a crash is followed by the records of the next life.
    if (gone !== null) await keeping?.files.delete(this.#name, [gone])
    return true
  }

  async #rebuild(options: RebuildOptions, now: number): Promise<Rebuilt> {
    if (!this.#keeping) return 'not_found'
    // It may fail because of what the rebuild mends.
    await this.#running?.catch(() => {})
    return this.#keeping.rebuild.run(options, now)
  }

  /** The one that runs is over, however it ended. */
  async #rebuilt(): Promise<void> {
    await this.#rebuilding?.catch(() => {})
  }

  /** Whether everything is recorded that there was. */
  #flush(now: number): Promise<boolean> {
    this.#running ??= (this.#keeping?.writer.write(now) ?? Promise.resolve(true)).finally(() => {
      this.#running = null
    })
    return this.#running
  }

  #keepAlarm(): void {
    const next = this.dueAt()
    if (next !== null) void this.#stored.alarm.by(next)
  }
}
