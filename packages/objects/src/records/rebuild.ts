import type { Rehearse } from '../storage.ts'
import { RECORD_DELAY_MS } from './delay.ts'
import { isUnder, NOTHING, type Progress } from './progress.ts'
import type { ObjectRecord, RecordKeyIds } from './record.ts'
import { type ChainEnd, RecordChain } from './record-chain.ts'
import { missing, OwnerErased, RecordFault } from './record-fault.ts'
import type { RecordFiles } from './record-files.ts'
import type { WrittenObject } from './record-writer.ts'

/** How an object ended up after it was asked to rebuild itself. */
export type Rebuilt =
  /** It has what its records have. */
  | 'rebuilt'
  /** It had that already. */
  | 'unchanged'
  /** It has written something that its records do not have, after a state that they continue. */
  | 'newer'
  /** It exists, and its records are missing, damaged or under an older key: it writes them again. */
  | 'recorded'
  /** Rows of owners were left out whose erasure key is gone; or the object's own key is, and it is as it was. */
  | 'erased'
  | 'not_found'

export interface RebuildOptions {
  /** Discard what the object has. */
  readonly replaces: boolean
  /** Nothing was accepted after this time, in the state that was lost. */
  readonly lostAt: number
}

/** What a class says of its rebuilt objects. */
export interface RebuildRules {
  /** Before the object is replaced: rejects if the rows are not what was signed. Null if nothing in them is signed. */
  readonly prove: () => ((rehearse: Rehearse) => Promise<void>) | null
  /** What a rebuilt object does before it exists again, in the same transaction. */
  readonly onRebuilt: (lostAt: number) => void
}

/** Makes an object what its records say: all of them are read before anything of it is replaced. */
export class Rebuild {
  readonly #files: RecordFiles
  readonly #object: WrittenObject
  readonly #chain: RecordChain
  readonly #rules: RebuildRules

  constructor(files: RecordFiles, object: WrittenObject, rules: RebuildRules) {
    this.#files = files
    this.#object = object
    this.#chain = new RecordChain(files, object.name)
    this.#rules = rules
  }

  /**
   * Call while nothing is being recorded. Rejects if a record is missing, unreadable or out of place; the object and its
   * records are then as they were.
   */
  async run(options: RebuildOptions, now: number): Promise<Rebuilt> {
    // What is in memory may be gone from the bucket.
    this.#files.forgetKeys()
    try {
      return await this.#run(options, now)
    } catch (error) {
      if (error instanceof OwnerErased) return 'erased'
      throw error
    }
  }

  async #run({ replaces, lostAt }: RebuildOptions, now: number): Promise<Rebuilt> {
    const { name, stored, changes } = this.#object
    const sequences = await this.#files.sequences(name)
    const { sequence, pending } = changes.progress()
    if (stored.exists && !replaces && sequence > 0 && sequence >= (sequences.at(-1) ?? 0)) return this.#keep(sequences)
    const end = await this.#chain.end(sequences)
    if (!end || end.last.record.isGone) return stored.exists ? this.#recordAgain(NOTHING) : 'not_found'
    const last = end.last.record
    if (stored.exists) {
      await this.#expectOwn(end)
      if (!replaces && sequence >= last.sequence) return 'unchanged'
      if (!replaces && pending) return 'newer'
      // What the object has written to them is not there.
      if (sequence > last.sequence) throw missing(last.sequence + 1)
    }
    let hasLeftOut = false
    let keys: RecordKeyIds | null = null
    await stored.replace({
      collect: async (texts) => {
        for await (const { record, isThinned } of this.#chain.upTo(end.last)) {
          hasLeftOut ||= isThinned
          texts.add(JSON.stringify(record))
        }
        // Only after all records were opened: `keysOf` creates a missing erasure key.
        keys = { ...(await this.#files.keysOf(name)), keyId: end.newest.record.keyId }
      },
      build: (texts) => {
        changes.quietly(() => {
          for (const text of texts) this.#apply(JSON.parse(text) as ObjectRecord)
          stored.complete()
        })
      },
      prove: this.#rules.prove(),
      finish: () => changes.quietly(() => this.#finish(end, keys, lostAt, now)),
    })
    changes.taken(false)
    void stored.alarm.by(now)
    return hasLeftOut ? 'erased' : 'rebuilt'
  }

  /** The object is up to date and stays. If its records could not rebuild it, it is recorded again. */
  async #keep(sequences: readonly number[]): Promise<Rebuilt> {
    const progress = this.#object.changes.progress()
    if (sequences.length === 0) return this.#recordAgain(NOTHING)
    if (!isUnder(progress, await this.#files.keysOf(this.#object.name))) return this.#recordAgain(progress)
    try {
      const end = await this.#chain.end(sequences)
      if (!end || end.last.record.isGone) return this.#recordAgain(progress)
      if (end.newest.record.sequence < progress.sequence) throw missing(progress.sequence)
      await this.#expectOwn(end)
      // Only to verify them.
      for await (const _ of this.#chain.upTo(end.last));
      return 'unchanged'
    } catch (error) {
      if (!(error instanceof RecordFault)) throw error
      return this.#recordAgain(progress)
    }
  }

  /** Rejects if the newest record that the object knows is not the one that it wrote. */
  async #expectOwn({ last, newest }: ChainEnd): Promise<void> {
    const { sequence, hash } = this.#object.changes.progress()
    if (sequence < last.record.base || sequence > newest.record.sequence) return
    const read = [last, newest].find(({ record }) => record.sequence === sequence)
    const own = read ?? (await this.#files.required(this.#object.name, sequence))
    if (own.hash !== hash) throw new RecordFault(`Record ${sequence} is not the one that the object wrote`)
  }

  #apply({ schema, tables, facts }: ObjectRecord): void {
    this.#object.stored.reach(schema)
    this.#object.tables.apply(tables, facts)
  }

  #finish({ last, newest }: ChainEnd, keys: RecordKeyIds | null, lostAt: number, now: number): void {
    const { tables, changes } = this.#object
    tables.keys.watch()
    this.#rules.onRebuilt(lostAt)
    const { sequence } = newest.record
    const { base, marks } = last.record
    const progress = { ...NOTHING, sequence, hash: newest.hash, keys, base, cleared: base, isBaseWhole: true, marks }
    // The next record is a base: the steps of a newer schema may have changed any row.
    changes.put({ ...progress, eraseBy: now, pending: { attempt: null, since: now } })
  }

  /** A new base after the existing records. */
  #recordAgain(after: Progress): Rebuilt {
    const { stored, changes } = this.#object
    stored.transact(() => {
      changes.put(after)
      changes.noteAll()
      const { pending, ...progress } = changes.progress()
      changes.put({ ...progress, pending, eraseBy: (pending?.since ?? 0) + RECORD_DELAY_MS })
    })
    return 'recorded'
  }
}
