import { FACTS_TABLE } from '../facts.ts'
import type { ObjectStorage } from '../storage.ts'
import { RECORD_DELAY_MS } from './delay.ts'
import { NOTHING, noted, type Progress } from './progress.ts'
import { type Changed, type RecordedTables, writtenBy } from './recorded-tables.ts'

/** How far the records of an object go, and which tables changed since. */
export class Changes {
  readonly #stored: ObjectStorage
  readonly #tables: RecordedTables
  /** A copy; read when it is null. */
  #progress: Progress | null = null
  /** Null until it is known whether there is a window that was opened before this start. */
  #changed: Set<string> | 'all' | null = null
  #isQuiet = false

  constructor(stored: ObjectStorage, tables: RecordedTables) {
    this.#stored = stored
    this.#tables = tables
  }

  /** Notes what is written from here on. */
  watch(): void {
    this.#stored.onUndone(() => {
      this.#progress = null
      this.#tables.keys.forget()
    })
    this.#stored.watch({
      wrote: (statement) => {
        if (this.#isQuiet) return
        const { table, deletes } = writtenBy(statement)
        if (table === null) this.noteAll()
        else if (this.#tables.isNoted(table, deletes)) this.#note(table, deletes && this.#tables.isErased(table))
        // Nothing to record, but to forget.
        else if (deletes && this.#tables.isErased(table)) this.#note(null, true)
      },
      fact: (name) => {
        if (!this.#isQuiet && this.#tables.isRecordedFact(name))
          this.#note(FACTS_TABLE, this.#tables.isErasedFact(name))
      },
      everything: () => {
        if (this.#isQuiet) return
        this.quietly(() => this.#tables.keys.watch())
        this.noteAll()
      },
    })
    if (this.#stored.exists) this.#watchKeys()
  }

  progress(): Progress {
    this.#progress ??= this.#stored.facts.get<Progress>('records') ?? NOTHING
    this.#changed ??= this.#progress.pending ? 'all' : new Set()
    return this.#progress
  }

  put(progress: Progress): void {
    this.#stored.facts.put('records', progress)
    this.#progress = progress
  }

  /** Whether something changed since `taken`. */
  get isMore(): boolean {
    return this.#changed === 'all' || (this.#changed?.size ?? 0) > 0
  }

  changed(): Changed {
    return this.#changed ?? 'all'
  }

  /** What changed until now is in a record. If that is not whole, everything is in the next. */
  taken(isWhole: boolean): void {
    this.#changed = isWhole ? new Set() : 'all'
  }

  noteAll(): void {
    this.#note('all', false)
  }

  /** Runs what changes nothing of the object. */
  quietly<T>(work: () => T): T {
    this.#isQuiet = true
    try {
      return work()
    } finally {
      this.#isQuiet = false
    }
  }

  /** In the transaction of the change. */
  #note(table: string | null, isErased: boolean): void {
    if (!this.#stored.version) return
    const progress = this.progress()
    if (table === 'all') this.#changed = 'all'
    else if (table !== null && this.#changed !== 'all') this.#changed?.add(table)
    const next = noted(progress, { isChanged: table !== null, isErased }, Date.now())
    if (next !== progress) this.put(next)
    const { pending, eraseBy } = next
    const due = pending ? pending.since + RECORD_DELAY_MS : (eraseBy ?? Date.now())
    // After the transaction: what is set in one that is undone would not be set. No write if it is set already.
    queueMicrotask(() => void this.#stored.alarm.by(due))
  }

  /** Rows from before a table was watched are in a base. */
  #watchKeys(): void {
    this.#stored.transact(() => {
      if (!this.quietly(() => this.#tables.keys.watch())) return
      this.noteAll()
      this.put({ ...this.progress(), eraseBy: 0 })
    })
  }
}
