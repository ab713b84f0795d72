import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { DurableObject } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { createFacts, FACTS_TABLE } from '../facts.ts'
import type { RecordPlan } from '../records/index.ts'
import { readVersion, runStep, type Schema, SchemaMismatch, type SchemaVersion, writeVersion } from '../schema.ts'
import { tableNames } from '../sql.ts'
import { ObjectStorage } from '../storage.ts'
import { VersionedObject } from '../versioned-object.ts'
import { expectUntouched } from './damaged-records.ts'
import { expectErased, expectForgotten } from './erased-records.ts'
import { expectRebuilt, judgedTables, tablesOfPlan } from './records.ts'

/** An object as code with fewer steps left it. */
export interface SeededObject<T extends Rpc.DurableObjectBranded | undefined> {
  /** The name of its schema, and the versions that its rows are of. */
  readonly schema: string
  readonly version: number
  /** The groups of tables that it has made. */
  readonly groups?: Readonly<Record<string, number>>
  /** `INSERT` statements that put a row into every table of those versions. */
  readonly rows: string
  /** What a caller reads once the object has been upgraded. */
  readonly read: (object: DurableObjectStub<T>) => Promise<unknown>
  readonly expected: unknown
  /** Tables whose rows a rebuild from records changes on purpose. */
  readonly rebuilt?: readonly string[]
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

type ObjectClass = {
  readonly name: string
  readonly schemas: readonly Schema[]
  /** Of a class that is recorded. */
  readonly records?: { readonly objects: string; readonly plan: RecordPlan }
} & (new (
  ctx: DurableObjectState,
  env: unknown,
) => VersionedObject)

/**
 * For every Durable Object class that a Worker exports and every step of its schemas: an object that stopped at this
 * step, with data in it, is brought up to the newest version when it starts, and serves its data. A step without a seed
 * fails, so the step that follows it cannot be added untested. An object of a recorded class is rebuilt from its records.
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
    it.runIf(objectClass.records !== undefined)('names tables that it has in the plan of its records', async () => {
      const found = await Promise.all(objectClass.schemas.map((schema) => allTables(seedsOf[name], schema)))
      const { plan } = objectClass.records ?? {}
      if (!plan) throw new Error('a recorded class has a plan')
      expect(found.flat()).toEqual(expect.arrayContaining(tablesOfPlan(plan)))
      // Each is erased, lasting or left out, and once: a new table has to say what becomes of what is deleted from it.
      expect(judgedTables(plan)).toEqual([...new Set(found.flat())].toSorted())
    })
    it('says its commit, and does not exist by that', async () => {
      const known = seedsOf[name]
      if (!known) throw new Error('no namespace to make objects in')
      const object = known.namespace.getByName(crypto.randomUUID())
      const asked = object as unknown as DurableObjectStub<VersionedObject>
      expect(await asked.commit()).toBe((env as { readonly COMMIT?: string }).COMMIT ?? 'unknown')
      expect(await inStorage(object, tablesOf)).toEqual([])
      expect(await inStorage(object, (storage) => storage.getAlarm())).toBeNull()
    })
    for (const schema of objectClass.schemas) describeSchema(objectClass, schema, seedsOf[name], env)
  })
}

function describeSchema(objectClass: ObjectClass, schema: Schema, known: Seeds | undefined, env: unknown): void {
  const fresh = (name: string = crypto.randomUUID()) => {
    if (!known) throw new Error('no namespace to make objects in')
    return known.namespace.getByName(name)
  }
  const seeds = (known?.seeds ?? []).filter((seed) => seed.schema === schema.name)
  const newest = (seed: Seed): SchemaVersion => ({
    schema: schema.name,
    version: schema.steps.length,
    ...(seed.groups && {
      groups: Object.fromEntries(groupsOf(schema, seed).map(({ name, steps }) => [name, steps.length])),
    }),
  })

  it.each(stepsOf(schema))(`with schema ${schema.name} has a seed of $of at version $version`, ({ group, version }) => {
    const versionOf = (seed: Seed) => (group === null ? seed.version : seed.groups?.[group])
    expect(seeds.map(versionOf)).toContain(version)
  })

  it.each(seeds.map((seed) => ({ seed, at: JSON.stringify(seed.groups ?? {}), ...seed })))(
    `with schema ${schema.name} is upgraded from version $version $at`,
    async ({ seed }) => {
      const object = fresh()
      await inStorage(object, (storage) => seedStorage(storage, schema, seed))
      await evictDurableObject(object)
      // It is brought up before its first call.
      expect(await inStorage(object, ({ sql }) => readVersion(sql))).toEqual(newest(seed))
      const made = await inStorage(fresh(), (storage) => newTables(storage, schema, seed))
      expect(await inStorage(object, tablesOf)).toEqual(expect.arrayContaining(made))
      expect(await seed.read(object)).toEqual(seed.expected)
    },
  )

  // A deployment without the seed keeps no records.
  const plan = isRecording(env) ? objectClass.records?.plan : undefined
  const whole = seeds.filter(({ version }) => version === schema.steps.length)
  it.runIf(plan !== undefined).each(whole.map((seed) => ({ seed, at: JSON.stringify(seed.groups ?? {}) })))(
    `with schema ${schema.name} $at is rebuilt from its records`,
    async ({ seed }) => {
      const object = fresh()
      await inStorage(object, (storage) => seedStorage(storage, schema, seed))
      await evictDurableObject(object)
      if (plan) await expectRebuilt(object, plan, seed.rebuilt ?? [])
    },
  )

  const { records } = objectClass
  it.runIf(records !== undefined).each(whole.map((seed) => ({ seed, at: JSON.stringify(seed.groups ?? {}) })))(
    `with schema ${schema.name} $at is as it was if one of its records cannot be read`,
    async ({ seed }) => {
      if (!isRecording(env)) throw new Error('tests of a recorded class keep records')
      const name = crypto.randomUUID()
      const object = fresh(name)
      await inStorage(object, (storage) => seedStorage(storage, schema, seed))
      await evictDurableObject(object)
      await expectUntouched(object, { bucket: env.RECORDS, objects: records?.objects ?? '', name })
      expect(await seed.read(object)).toEqual(seed.expected)
    },
  )

  it.runIf(records !== undefined).each(
    whole.flatMap((seed) => [
      { seed, drill: expectErased, what: 'is erased with its keys, and whole with them' },
      { seed, drill: expectForgotten, what: 'is a day later in no record with what it deleted' },
    ]),
  )(`with schema ${schema.name} $seed.groups $what`, async ({ seed, drill }) => {
    if (!isRecording(env) || !records) throw new Error('tests of a recorded class keep records')
    const name = crypto.randomUUID()
    const object = fresh(name)
    await inStorage(object, (storage) => seedStorage(storage, schema, seed))
    await evictDurableObject(object)
    const versions = new Map([[1, env.RECORDS_SEED]])
    const place = { bucket: env.RECORDS, erasureKeys: env.ERASURE_KEYS, seeds: versions, prefix: `${records.objects}/` }
    await drill(object, { place, name, plan: records.plan })
  })

  it.runIf(schema.unversionedTable !== undefined)(
    `with schema ${schema.name} is adopted without a version`,
    async () => {
      const seed = seedAt(seeds, 1)
      const object = fresh()
      await inStorage(object, (storage) => {
        seedStorage(storage, schema, seed)
        storage.sql.exec(`DROP TABLE ${FACTS_TABLE}`)
      })
      await evictDurableObject(object)
      expect(await inStorage(object, ({ sql }) => readVersion(sql))).toEqual(newest(seed))
      expect(await seed.read(object)).toEqual(seed.expected)
    },
  )

  it(`with schema ${schema.name} does not start on a version that the code does not know`, async () => {
    const seed = seedAt(seeds, schema.steps.length)
    await runInDurableObject(fresh(), (_, state) => {
      seedStorage(state.storage, schema, seed)
      writeVersion(state.storage.sql, { ...newest(seed), version: schema.steps.length + 1 })
      expect(() => new objectClass(state, env)).toThrow(SchemaMismatch)
    })
  })
}

/** Every version that an object may be left at, of its schema and of each group. */
function stepsOf(schema: Schema) {
  return [
    { ...schema, group: null },
    ...(schema.groups ?? []).map((group) => ({ ...group, group: group.name })),
  ].flatMap(({ steps, group }) =>
    steps.map(({ name }, index) => ({
      group,
      version: index + 1,
      of: group === null ? name : `tables ${group} (${name})`,
    })),
  )
}

function groupsOf(schema: Schema, seed: Seed) {
  return Object.keys(seed.groups ?? {}).map((name) => {
    const group = schema.groups?.find((one) => one.name === name)
    if (!group) throw new Error(`schema "${schema.name}" has no tables "${name}"`)
    return group
  })
}

function seedAt(seeds: readonly Seed[], version: number): Seed {
  const seed = seeds.find((one) => one.version === version)
  if (!seed) throw new Error(`seed an object at version ${version}`)
  return seed
}

/** The steps up to the versions of the seed, as the code of that time ran them, and then the rows. */
function seedStorage(storage: DurableObjectStorage, schema: Schema, seed: Seed): void {
  const { sql } = storage
  createFacts(sql)
  for (const step of schema.steps.slice(0, seed.version)) runStep(sql, step)
  for (const { name, steps } of groupsOf(schema, seed)) {
    for (const step of steps.slice(0, seed.groups?.[name])) runStep(sql, step)
  }
  sql.exec(seed.rows)
  writeVersion(sql, { schema: seed.schema, version: seed.version, ...(seed.groups && { groups: seed.groups }) })
  const isEmpty = (table: string) => sql.exec(`SELECT 1 FROM "${table}" LIMIT 1`).toArray().length === 0
  expect(tableNames(sql, '*').filter(isEmpty), 'tables without a row').toEqual([])
}

/** Those of every step and group. */
async function allTables(known: Seeds | undefined, schema: Schema): Promise<string[]> {
  const object = known?.namespace.getByName(crypto.randomUUID())
  if (!object) return []
  return inStorage(object, ({ sql }) => {
    for (const { steps } of [schema, ...(schema.groups ?? [])]) for (const step of steps) runStep(sql, step)
    return tableNames(sql, '*')
  })
}

function newTables(storage: DurableObjectStorage, schema: Schema, seed: Seed): string[] {
  const newest = new ObjectStorage(storage, [schema])
  newest.transact(() => newest.create(schema))
  for (const step of groupsOf(schema, seed).flatMap(({ steps }) => steps)) runStep(storage.sql, step)
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

function inStorage<R>(object: DurableObjectStub, work: (storage: DurableObjectStorage) => R): Promise<R> {
  return runInDurableObject(object, (_, { storage }) => work(storage))
}

interface Recording {
  readonly RECORDS: R2Bucket
  readonly ERASURE_KEYS: R2Bucket
  readonly RECORDS_SEED: string
}

function isRecording(env: unknown): env is Recording {
  return typeof env === 'object' && env !== null && 'RECORDS_SEED' in env && env.RECORDS_SEED !== ''
}

function isObjectClass(value: unknown): boolean {
  return typeof value === 'function' && value.prototype instanceof DurableObject
}
