import type { Result } from '@svc/protocol/base/result'
import { Alarm } from './alarm.ts'
import { Facts } from './facts.ts'
import { isPersisted, isRefusal, type Persisted } from './outcome.ts'
import {
  knownSchema,
  readVersion,
  runStep,
  type Schema,
  type SchemaVersion,
  type TableGroup,
  unversionedSchema,
  writeVersion,
} from './schema.ts'
import { type Sql, tableNames } from './sql.ts'

/** Thrown through `transactionSync` to undo a refused transaction; made once, since only its identity matters. */
const ROLL_BACK = new Error('refused')

/** What an object is: its schema, and what it records of it. */
interface Standing {
  readonly schema: Schema
  readonly recorded: SchemaVersion
}

/**
 * The SQLite storage of one object: whether it exists, its migrations, its transactions and its alarm.
 *
 * An object exists once `create` has run in a transaction that committed. Until then it has no table, and reading it
 * makes none.
 */
export class ObjectStorage {
  readonly sql: SqlStorage
  readonly alarm: Alarm
  readonly facts: Facts
  readonly #storage: DurableObjectStorage
  readonly #schemas: readonly Schema[]
  readonly #forgetters: (() => void)[] = []
  /** Read from storage when undefined: after the start, a roll-back and a deletion. */
  #standing: Standing | null | undefined

  /** Brings an object that exists up to the newest version of its schema. */
  constructor(storage: DurableObjectStorage, schemas: readonly Schema[]) {
    this.sql = storage.sql
    this.alarm = new Alarm(storage)
    this.facts = new Facts(storage.sql, () => {
      const standing = this.#current()
      return standing && (standing.schema.facts ?? [])
    })
    this.#storage = storage
    this.#schemas = schemas
    this.#migrate()
  }

  get exists(): boolean {
    return this.#current() !== null
  }

  /** Whether the object exists and has this schema; for a class whose objects are of several kinds. */
  is(schema: Schema): boolean {
    return this.#current()?.schema === schema
  }

  /** Makes the object exist, inside the transaction of its first accepted write. Does nothing if it does. */
  create(schema: Schema): void {
    const current = this.#current()?.schema
    if (current === schema) return
    if (current) throw new Error(`an object with schema "${current.name}" cannot become "${schema.name}"`)
    for (const step of schema.steps) runStep(this.sql, step)
    this.#record({ schema, recorded: { schema: schema.name, version: schema.steps.length } })
  }

  /**
   * SQL over the tables of a group: an INSERT makes them first, and any other statement finds no rows while they do not
   * exist. An aggregate finds no row then either.
   */
  tables(group: TableGroup): Sql {
    return {
      exec: <T extends Record<string, SqlStorageValue>>(query: string, ...bindings: unknown[]): SqlStorageCursor<T> => {
        if (!this.hasMade(group)) {
          if (!/^\s*INSERT\b/.test(query)) return this.sql.exec<T>('SELECT NULL LIMIT 0')
          this.#make(group)
        }
        return this.sql.exec<T>(query, ...bindings)
      },
    }
  }

  hasMade({ name }: TableGroup): boolean {
    return this.#current()?.recorded.groups?.[name] !== undefined
  }

  /** Names of tables that are made as the object goes, as a GLOB pattern. */
  tableNames(pattern: string): string[] {
    return tableNames(this.sql, pattern)
  }

  /** Calls back when what was read into memory may no longer be what is stored: after a roll-back and a deletion. */
  onUndone(forget: () => void): void {
    this.#forgetters.push(forget)
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
      this.#forget()
      if (error === ROLL_BACK && refusal) return refusal.result
      throw error
    }
  }

  /** Deletes rows, tables and alarm at once: a crash leaves all of it or nothing. The object then does not exist. */
  async deleteAll(): Promise<void> {
    const deleted = this.#storage.deleteAll()
    this.#forget()
    this.alarm.deleted()
    await deleted
  }

  #forget(): void {
    this.#standing = undefined
    for (const forget of this.#forgetters) forget()
  }

  #current(): Standing | null {
    if (this.#standing !== undefined) return this.#standing
    const recorded = readVersion(this.sql)
    this.#standing = recorded && { schema: knownSchema(this.#schemas, recorded), recorded }
    return this.#standing
  }

  #record(standing: Standing): void {
    writeVersion(this.sql, standing.recorded)
    this.#standing = standing
  }

  /** All of a group or nothing, in the transaction of the row that needs it. */
  #make(group: TableGroup): void {
    const standing = this.#current()
    if (!standing?.schema.groups?.includes(group)) throw new Error(`the schema of the object lists no "${group.name}"`)
    this.transact(() => {
      for (const step of group.steps) runStep(this.sql, step)
      this.#record(withGroup(standing, group, group.steps.length))
    })
  }

  #migrate(): void {
    const found = readVersion(this.sql)
    const schema = found ? knownSchema(this.#schemas, found) : unversionedSchema(this.sql, this.#schemas)
    if (!schema) return
    const recorded = found ?? { schema: schema.name, version: 0 }
    this.#standing = { schema, recorded }
    this.#runFrom(recorded.version, schema, (now, version) => ({ schema, recorded: { ...now.recorded, version } }))
    for (const group of schema.groups ?? []) {
      const made = recorded.groups?.[group.name]
      if (made !== undefined) this.#runFrom(made, group, (now, version) => withGroup(now, group, version))
    }
  }

  /** Each step in one transaction with its new version: a crash or a failure leaves the version before, whole. */
  #runFrom(
    version: number,
    { steps }: Pick<TableGroup, 'steps'>,
    standingAt: (now: Standing, version: number) => Standing,
  ): void {
    for (const [index, step] of steps.entries()) {
      const standing = this.#standing
      if (index < version || !standing) continue
      this.#storage.transactionSync(() => {
        runStep(this.sql, step)
        this.#record(standingAt(standing, index + 1))
      })
    }
  }
}

function withGroup({ schema, recorded }: Standing, { name }: TableGroup, version: number): Standing {
  return { schema, recorded: { ...recorded, groups: { ...recorded.groups, [name]: version } } }
}
