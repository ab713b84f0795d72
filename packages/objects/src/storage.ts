import type { Result } from '@svc/protocol/base/result'
import { Alarm } from './alarm.ts'
import { isPersisted, isRefusal, type Persisted } from './outcome.ts'
import { knownSchema, readVersion, runStep, type Schema, unversionedSchema, writeVersion } from './schema.ts'

/** Thrown through `transactionSync` to undo a refused transaction; made once, since only its identity matters. */
const ROLL_BACK = new Error('refused')

/**
 * The SQLite storage of one object: whether it exists, its migrations, its transactions and its alarm.
 *
 * An object exists once `create` has run in a transaction that committed. Until then it has no table, and reading it
 * makes none.
 */
export class ObjectStorage {
  readonly sql: SqlStorage
  readonly alarm: Alarm
  readonly #storage: DurableObjectStorage
  readonly #schemas: readonly Schema[]
  /** Read from storage when undefined: after the start, a roll-back and a deletion. */
  #schema: Schema | null | undefined

  /** Brings an object that exists up to the newest version of its schema. */
  constructor(storage: DurableObjectStorage, schemas: readonly Schema[]) {
    this.sql = storage.sql
    this.alarm = new Alarm(storage)
    this.#storage = storage
    this.#schemas = schemas
    this.#migrate()
  }

  get exists(): boolean {
    return this.#current() !== null
  }

  /** Whether the object exists and has this schema; for a class whose objects are of several kinds. */
  is(schema: Schema): boolean {
    return this.#current() === schema
  }

  /** Makes the object exist, inside the transaction of its first accepted write. Does nothing if it does. */
  create(schema: Schema): void {
    const current = this.#current()
    if (current === schema) return
    if (current) throw new Error(`an object with schema "${current.name}" cannot become "${schema.name}"`)
    for (const step of schema.steps) runStep(this.sql, step)
    writeVersion(this.sql, { schema: schema.name, version: schema.steps.length })
    this.#schema = schema
  }

  /**
   * Runs the work as one transaction. A refusal rolls everything back, as a throw does; a refusal that is `Persisted`
   * commits. Nests: an inner transaction that is rolled back leaves the outer one as it was.
   */
  transact<R extends Result<unknown, unknown>>(work: () => R | Persisted<R>): R
  transact<T>(work: () => T): T
  transact(work: () => unknown): unknown {
    let refusal: { readonly result: unknown } | undefined
    try {
      return this.#storage.transactionSync(() => {
        const outcome = work()
        if (isPersisted(outcome)) return outcome.result
        if (!isRefusal(outcome)) return outcome
        refusal = { result: outcome }
        throw ROLL_BACK
      })
    } catch (error) {
      this.#schema = undefined
      if (error === ROLL_BACK && refusal) return refusal.result
      throw error
    }
  }

  /** Deletes rows, tables and alarm at once: a crash leaves all of it or nothing. The object then does not exist. */
  async deleteAll(): Promise<void> {
    const deleted = this.#storage.deleteAll()
    this.#schema = undefined
    this.alarm.deleted()
    await deleted
  }

  #current(): Schema | null {
    if (this.#schema !== undefined) return this.#schema
    const row = readVersion(this.sql)
    this.#schema = row && knownSchema(this.#schemas, row)
    return this.#schema
  }

  #migrate(): void {
    const row = readVersion(this.sql)
    const schema = row ? knownSchema(this.#schemas, row) : unversionedSchema(this.sql, this.#schemas)
    this.#schema = schema
    if (!schema) return
    for (const [index, step] of schema.steps.entries()) {
      const version = index + 1
      if (version <= (row?.version ?? 0)) continue
      // A crash or a failure in here leaves the version before, whole.
      this.#storage.transactionSync(() => {
        runStep(this.sql, step)
        writeVersion(this.sql, { schema: schema.name, version })
      })
    }
  }
}
