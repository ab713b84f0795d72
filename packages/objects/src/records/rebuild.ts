import { DependencyFault } from '@svc/protocol/base/dependency-fault'
import { NOTHING } from './progress.ts'
import type { ObjectRecord } from './record.ts'
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
  /** It exists and had no records: it writes them again. */
  | 'recorded'
  | 'not_found'

export interface RebuildOptions {
  /** Discard what the object has. */
  readonly replaces: boolean
  /** Nothing was accepted after this time, in the state that was lost. */
  readonly lostAt: number
}

/** Makes an object what its records say: all of them are read before anything of it is replaced. */
export class Rebuild {
  readonly #files: RecordFiles
  readonly #object: WrittenObject
  readonly #onRebuilt: (lostAt: number) => void

  /** `onRebuilt` is what a rebuilt object does in the transaction that replaces it. */
  constructor(files: RecordFiles, object: WrittenObject, onRebuilt: (lostAt: number) => void) {
    this.#files = files
    this.#object = object
    this.#onRebuilt = onRebuilt
  }

  /** Call while nothing is being recorded. Rejects if a record is missing or unreadable; the object is then as it was. */
  async run({ replaces, lostAt }: RebuildOptions, now: number): Promise<Rebuilt> {
    const { name, stored, changes } = this.#object
    const sequences = await this.#files.sequences(name)
    const last = await this.#lastWhole(sequences)
    if (!last || last.isGone) return stored.exists ? this.#recordAgain() : 'not_found'
    if (stored.exists) {
      const { sequence, pending } = changes.progress()
      if (!replaces && sequence >= last.sequence) return 'unchanged'
      if (!replaces && pending) return 'newer'
      // What the object has written to them is not there.
      if (sequence > last.sequence) throw missing(last.sequence + 1)
    }
    await stored.replace(
      async (texts) => {
        for (let sequence = last.base; sequence <= last.sequence; sequence++) {
          const record = sequence === last.sequence ? last : await this.#files.read(name, sequence)
          if (!record) throw missing(sequence)
          texts.add(JSON.stringify(record))
        }
        // Parts of a state whose rest was never written.
        await this.#files.delete(
          name,
          sequences.filter((sequence) => sequence > last.sequence),
        )
      },
      (texts) => {
        changes.quietly(() => {
          for (const text of texts) this.#apply(JSON.parse(text) as ObjectRecord)
          this.#complete(last, lostAt, now)
        })
      },
    )
    changes.taken(false)
    void stored.alarm.by(now)
    return 'rebuilt'
  }

  /** A record that is not whole, at the end, was never followed by the rest. */
  async #lastWhole(sequences: readonly number[]): Promise<ObjectRecord | null> {
    for (const sequence of sequences.toReversed()) {
      const record = await this.#files.read(this.#object.name, sequence)
      if (record?.isWhole) return record
    }
    return null
  }

  #apply({ schema, tables, facts }: ObjectRecord): void {
    this.#object.stored.reach(schema)
    this.#object.tables.apply(tables, facts)
  }

  #complete({ sequence, base, marks }: ObjectRecord, lostAt: number, now: number): void {
    const { stored, tables, changes } = this.#object
    stored.complete()
    tables.keys.watch()
    this.#onRebuilt(lostAt)
    // The next record is a base: the steps of a newer schema may have changed any row.
    const pending = { attempt: null, since: now }
    changes.put({ ...NOTHING, sequence, base, cleared: base, isBaseWhole: true, marks, eraseBy: now, pending })
  }

  #recordAgain(): Rebuilt {
    const { stored, changes } = this.#object
    stored.transact(() => {
      changes.put(NOTHING)
      changes.noteAll()
    })
    return 'recorded'
  }
}

function missing(sequence: number): DependencyFault {
  return new DependencyFault('records', { cause: new Error(`record ${sequence} is missing`) })
}
