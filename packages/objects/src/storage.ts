import { DependencyFault } from '@svc/protocol/base/dependency-fault'
import type { Result } from '@svc/protocol/base/result'
import { Alarm } from './alarm.ts'
import { FACTS_TABLE, Facts } from './facts.ts'
import { isPersisted, isRefusal, type Persisted } from './outcome.ts'
import { REPLACEMENT_TABLE, ReplacementTexts } from './replacement.ts'
import {
  knownSchema,
  readVersion,
  runStep,
  type Schema,
  type SchemaVersion,
  type TableGroup,
  unversionedSchema,
  versionInFacts,
  writeVersion,
} from './schema.ts'
import { dropTables, isReading, type Sql, tableNames } from './sql.ts'

/**
 * Thrown through `transactionSync` to undo a refused transaction. Without a stack: to know its line, the runtime would
 * parse all of the Worker's code again while it starts.
 */
const ROLL_BACK = Object.create(Error.prototype) as Error

/** Told what was written, in its transaction. */
export interface Watcher {
  wrote(statement: string): void
  fact(name: string): void
  /** Tables were made, which may have rows from the start. */
  everything(): void
}

/** Reads something of the state that an object is about to be replaced by. */
export type Rehearse = <T>(read: () => T) => T

/** How an object is replaced. */
export interface Replacement {
  /** Gathers what `build` needs, beside the object's tables. */
  readonly collect: (texts: ReplacementTexts) => Promise<void>
  /** Runs on an empty object: once for each rehearsal, which is rolled back, and once to keep. */
  readonly build: (texts: Iterable<string>) => void
  /** Rejects if the rebuilt state cannot be trusted. */
  readonly prove?: ((rehearse: Rehearse) => Promise<void>) | null
  /** In the transaction of the last `build`, after it. */
  readonly finish: () => void
}

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
  readonly sql: Sql
  readonly alarm: Alarm
  readonly facts: Facts
  readonly #storage: DurableObjectStorage
  readonly #schemas: readonly Schema[]
  readonly #forgetters: (() => void)[] = []
  #watcher: Watcher | null = null
  /** While what replaces the object is being collected: what is written now would be discarded. */
  #isHeld = false
  /** Read from storage when undefined: after the start, a roll-back and a deletion. */
  #standing: Standing | null | undefined

  /** Brings an object that exists up to the newest version of its schema. */
  constructor(storage: DurableObjectStorage, schemas: readonly Schema[]) {
    this.#storage = storage
    this.sql = {
      exec: <T extends Record<string, SqlStorageValue>>(query: string, ...bindings: unknown[]) => {
        if (!isReading(query)) this.#mayWrite()
        const cursor = storage.sql.exec<T>(query, ...bindings)
        if (this.#watcher && cursor.rowsWritten > 0) this.#watcher.wrote(query)
        return cursor
      },
    }
    this.alarm = new Alarm(storage)
    this.facts = new Facts(
      this.sql,
      () => {
        const standing = this.#current()
        return standing && (standing.schema.facts ?? [])
      },
      (name) => this.#watcher?.fact(name),
    )
    this.#schemas = schemas
    const tables = this.tableNames('*')
    // A crash while they were gathered left the object as it was, and them beside it.
    if (tables.includes(REPLACEMENT_TABLE)) new ReplacementTexts(storage.sql).end()
    this.#migrate(tables.includes(FACTS_TABLE) ? versionInFacts(storage.sql) : null)
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
    this.#mayWrite()
    const current = this.#current()?.schema
    if (current === schema) return
    if (current) throw new Error(`an object with schema "${current.name}" cannot become "${schema.name}"`)
    for (const step of schema.steps) runStep(this.#storage.sql, step)
    this.#record({ schema, recorded: { schema: schema.name, version: schema.steps.length } })
    this.#watcher?.everything()
  }

  /** What the object records of itself; null if it does not exist. */
  get version(): SchemaVersion | null {
    return this.#current()?.recorded ?? null
  }

  /**
   * Replaces all that the object has, or makes it exist, in one transaction. The object answers as before until then, and
   * writes nothing. If anything fails, and after a crash, the object is as it was.
   */
  async replace({ collect, build, prove, finish }: Replacement): Promise<void> {
    this.#mayWrite()
    this.#isHeld = true
    const texts = new ReplacementTexts(this.#storage.sql)
    const alarmAt = this.alarm.at
    try {
      texts.begin()
      await collect(texts)
      await prove?.((read) => this.#rehearse(() => build(texts.all()), read))
      this.#isHeld = false
      this.transact(() => {
        this.#empty()
        build(texts.all())
        finish()
        texts.end()
      })
      this.#forget()
    } catch (error) {
      texts.end()
      throw error
    } finally {
      this.#isHeld = false
      // One that went off meanwhile could do nothing.
      if (alarmAt !== null && this.alarm.at === null) void this.alarm.by(alarmAt)
    }
  }

  /** Builds on an empty object, reads the result and rolls it back, all synchronously: nobody else sees it. */
  #rehearse<T>(build: () => void, read: () => T): T {
    let found: { readonly value: T } | undefined
    this.#isHeld = false
    try {
      this.#storage.transactionSync(() => {
        this.#empty()
        build()
        found = { value: read() }
        throw ROLL_BACK
      })
    } catch (error) {
      if (error !== ROLL_BACK) throw error
    } finally {
      this.#isHeld = true
      this.#forget()
    }
    if (!found) throw new Error('a rehearsal without an end')
    return found.value
  }

  #empty(): void {
    dropTables(this.#storage.sql, REPLACEMENT_TABLE)
    this.#forget()
  }

  /** Runs the steps up to a version that a record names, and not those after it. Call inside `build` of `replace`. */
  reach(recorded: SchemaVersion): void {
    const schema = knownSchema(this.#schemas, recorded)
    const now = this.#current()?.recorded ?? { schema: recorded.schema, version: 0, groups: {} }
    for (const step of schema.steps.slice(now.version, recorded.version)) runStep(this.#storage.sql, step)
    for (const group of schema.groups ?? []) {
      const steps = group.steps.slice(now.groups?.[group.name] ?? 0, recorded.groups?.[group.name] ?? 0)
      for (const step of steps) runStep(this.#storage.sql, step)
    }
    this.#record({ schema, recorded })
  }

  /** The object has all that its records have: the steps that are left run. Call inside `build` of `replace`. */
  complete(): void {
    this.#migrate(this.version)
    this.#forget()
  }

  /** Who is told of each statement that wrote something. */
  watch(watcher: Watcher): void {
    this.#watcher = watcher
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
    return tableNames(this.#storage.sql, pattern)
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
    this.#mayWrite()
    const deleted = this.#storage.deleteAll()
    this.#forget()
    this.alarm.deleted()
    await deleted
  }

  #forget(): void {
    this.#standing = undefined
    for (const forget of this.#forgetters) forget()
  }

  #mayWrite(): void {
    if (this.#isHeld) throw new DependencyFault('an object that is being rebuilt')
  }

  #current(): Standing | null {
    if (this.#standing !== undefined) return this.#standing
    const recorded = readVersion(this.#storage.sql)
    this.#standing = recorded && { schema: knownSchema(this.#schemas, recorded), recorded }
    return this.#standing
  }

  #record(standing: Standing): void {
    writeVersion(this.#storage.sql, standing.recorded)
    this.#standing = standing
  }

  /** All of a group or nothing, in the transaction of the row that needs it. */
  #make(group: TableGroup): void {
    const standing = this.#current()
    this.#mayWrite()
    if (!standing?.schema.groups?.includes(group)) throw new Error(`the schema of the object lists no "${group.name}"`)
    this.transact(() => {
      for (const step of group.steps) runStep(this.#storage.sql, step)
      this.#record(withGroup(standing, group, group.steps.length))
      this.#watcher?.everything()
    })
  }

  #migrate(found: SchemaVersion | null): void {
    const schema = found ? knownSchema(this.#schemas, found) : unversionedSchema(this.#storage.sql, this.#schemas)
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
        runStep(this.#storage.sql, step)
        this.#record(standingAt(standing, index + 1))
      })
    }
  }
}

function withGroup({ schema, recorded }: Standing, { name }: TableGroup, version: number): Standing {
  return { schema, recorded: { ...recorded, groups: { ...recorded.groups, [name]: version } } }
}
