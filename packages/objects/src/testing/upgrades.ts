import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { DurableObject } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { readVersion, runStep, type Schema, SchemaMismatch, VERSION_TABLE, writeVersion } from '../schema.ts'
import { ObjectStorage } from '../storage.ts'
import { VersionedObject } from '../versioned-object.ts'

/** An object as code with fewer steps left it. */
export interface SeededObject<T extends Rpc.DurableObjectBranded | undefined> {
  /** The name of its schema, and the version that its rows are of. */
  readonly schema: string
  readonly version: number
  /** `INSERT` statements that put a row into every table of that version. */
  readonly rows: string
  /** What a caller reads once the object has been upgraded. */
  readonly read: (object: DurableObjectStub<T>) => Promise<unknown>
  readonly expected: unknown
}

/** The seeds of one class, and where its objects are made. */
interface Seeds {
  readonly namespace: DurableObjectNamespace
  readonly seeds: readonly Seed[]
}
type Seed = Omit<SeededObject<undefined>, 'read'> & { readonly read: (object: DurableObjectStub) => Promise<unknown> }

export function seeded<T extends Rpc.DurableObjectBranded | undefined>(
  namespace: DurableObjectNamespace<T>,
  seeds: readonly SeededObject<T>[],
): Seeds {
  return { namespace, seeds } as unknown as Seeds
}

type ObjectClass = { readonly name: string; readonly schemas: readonly Schema[] } & (new (
  ctx: DurableObjectState,
  env: unknown,
) => VersionedObject)

/**
 * For every Durable Object class that a Worker exports and every step of its schemas: an object that stopped at this
 * step, with data in it, is brought up to the newest version when it starts, and serves its data. A step without a seed
 * fails, so the step that follows it cannot be added untested.
 */
export function describeUpgrades(worker: object, seedsOf: Readonly<Record<string, Seeds>>, env: unknown): void {
  const classes = Object.entries(worker).filter(([, value]) => isObjectClass(value)) as [string, ObjectClass][]
  it('seeds every class, and no other', () => {
    expect(Object.keys(seedsOf).toSorted()).toEqual(classes.map(([name]) => name).toSorted())
  })
  describe.each(classes)('%s', (name, objectClass) => {
    it('records the version of its schema', () => {
      expect(objectClass.prototype).toBeInstanceOf(VersionedObject)
      expect(new Set(objectClass.schemas.map((schema) => schema.name)).size).toBe(objectClass.schemas.length)
    })
    for (const schema of objectClass.schemas) describeSchema(objectClass, schema, seedsOf[name], env)
  })
}

function describeSchema(objectClass: ObjectClass, schema: Schema, known: Seeds | undefined, env: unknown): void {
  const fresh = () => {
    if (!known) throw new Error('no namespace to make objects in')
    return known.namespace.getByName(crypto.randomUUID())
  }
  const newest = { schema: schema.name, version: schema.steps.length }

  it.each(schema.steps.map(({ name }, index) => ({ name, version: index + 1 })))(
    `with schema ${schema.name} is upgraded from version $version ($name)`,
    async ({ version }) => {
      const seed = seedOf(known, schema, version)
      const object = fresh()
      await inStorage(object, (storage) => seedStorage(storage, schema, version, seed.rows))
      await evictDurableObject(object)
      // It is brought up before its first call.
      expect(await inStorage(object, ({ sql }) => readVersion(sql))).toEqual(newest)
      const made = await inStorage(fresh(), (storage) => newTables(storage, schema))
      expect(await inStorage(object, tablesOf)).toEqual(expect.arrayContaining(made))
      expect(await seed.read(object)).toEqual(seed.expected)
    },
  )

  it.runIf(schema.unversionedTable !== undefined)(
    `with schema ${schema.name} is adopted without a version`,
    async () => {
      const seed = seedOf(known, schema, 1)
      const object = fresh()
      await inStorage(object, (storage) => {
        seedStorage(storage, schema, 1, seed.rows)
        storage.sql.exec(`DROP TABLE ${VERSION_TABLE}`)
      })
      await evictDurableObject(object)
      expect(await inStorage(object, ({ sql }) => readVersion(sql))).toEqual(newest)
      expect(await seed.read(object)).toEqual(seed.expected)
    },
  )

  it(`with schema ${schema.name} does not start on a version that the code does not know`, async () => {
    const seed = seedOf(known, schema, newest.version)
    await runInDurableObject(fresh(), (_, state) => {
      seedStorage(state.storage, schema, newest.version, seed.rows)
      writeVersion(state.storage.sql, { ...newest, version: newest.version + 1 })
      expect(() => new objectClass(state, env)).toThrow(SchemaMismatch)
    })
  })
}

function seedOf(known: Seeds | undefined, schema: Schema, version: number): Seed {
  const seed = known?.seeds.find((one) => one.schema === schema.name && one.version === version)
  if (!seed) throw new Error(`seed an object at version ${version} of schema "${schema.name}"`)
  return seed
}

/** The steps up to a version, as the code of that time ran them, and then the rows. */
function seedStorage(storage: DurableObjectStorage, schema: Schema, version: number, rows: string): void {
  for (const step of schema.steps.slice(0, version)) runStep(storage.sql, step)
  storage.sql.exec(rows)
  const tables = tableNames(storage)
  const empty = tables.filter((table) => storage.sql.exec(`SELECT 1 FROM "${table}" LIMIT 1`).toArray().length === 0)
  expect(empty, 'tables without a row').toEqual([])
  writeVersion(storage.sql, { schema: schema.name, version })
}

function newTables(storage: DurableObjectStorage, schema: Schema): string[] {
  const stored = new ObjectStorage(storage, [schema])
  stored.transact(() => stored.create(schema))
  return tablesOf(storage)
}

/**
 * The statements that made them: an upgraded object has the tables of one that began with the newest version. It may have
 * others, where a class makes tables as it goes.
 */
function tablesOf({ sql }: DurableObjectStorage): string[] {
  return sql
    .exec<{ sql: string }>(
      "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT GLOB '_cf_*' ORDER BY name",
    )
    .toArray()
    .map((row) => row.sql)
}

function tableNames({ sql }: DurableObjectStorage): string[] {
  return sql
    .exec<{ name: string }>(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf_*' AND name NOT GLOB 'sqlite_*'",
    )
    .toArray()
    .map(({ name }) => name)
}

function inStorage<R>(object: DurableObjectStub, work: (storage: DurableObjectStorage) => R): Promise<R> {
  return runInDurableObject(object, (_, { storage }) => work(storage))
}

function isObjectClass(value: unknown): boolean {
  return typeof value === 'function' && value.prototype instanceof DurableObject
}
