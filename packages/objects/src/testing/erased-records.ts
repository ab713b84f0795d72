import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { expect, vi } from 'vitest'
import { FACTS_TABLE } from '../facts.ts'
import { RECORD_DELAY_MS, RecordFiles, type RecordPlace, type RecordPlan } from '../records/index.ts'
import { tableNames } from '../sql.ts'
import { inObject, type Recorded, unproved } from './records.ts'

const DAY_MS = 24 * 3_600_000

interface ErasedObject {
  readonly place: RecordPlace
  readonly name: string
  readonly plan: RecordPlan
}

/**
 * Records an object and loses it: without its erasure key nothing opens and it does not come back; without those of other
 * owners it comes back without what they had; with all of them, whole.
 */
export async function expectErased(stub: DurableObjectStub, { place, name, plan }: ErasedObject): Promise<void> {
  const object = stub as DurableObjectStub<Recorded>
  const filesNow = () => new RecordFiles(place)
  const owned = Object.keys(plan.owners ?? {})
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
  try {
    await record(object, 0)
    const before = await rowsOf(object, plan)
    for (const table of owned) expect(before.owned[table], `rows of owners in ${table}`).toBeGreaterThan(0)
    const own = place.prefix + (await hashOf(name))
    const keys = await taken(place.erasureKeys, place.prefix)
    expect([...keys.keys()]).toContain(own)
    await lose(object)
    for (const sequence of await filesNow().sequences(name)) {
      await expect(filesNow().read(name, sequence)).rejects.toThrow('The erasure key of an object is gone')
    }
    expect(await rebuild(object)).toBe('erased')
    expect(await runInDurableObject(object, ({ stored }) => stored.exists)).toBe(false)
    await place.erasureKeys.put(own, keys.get(own) ?? '')
    expect(await rebuild(object)).toBe(owned.length > 0 ? 'erased' : 'rebuilt')
    const after = await rowsOf(object, plan)
    for (const table of owned) {
      expect(after.all[table], `rows of nobody who was erased in ${table}`).toBe(
        (before.all[table] ?? 0) - (before.owned[table] ?? 0),
      )
    }
    for (const [key, bytes] of keys) await place.erasureKeys.put(key, bytes)
    await lose(object)
    expect(await rebuild(object)).toBe('rebuilt')
    expect((await rowsOf(object, plan)).all).toEqual(before.all)
  } finally {
    vi.useRealTimers()
  }
}

/** What a living object deletes is in none of its records a day later, though nothing else changes. */
export async function expectForgotten(stub: DurableObjectStub, { place, name, plan }: ErasedObject): Promise<void> {
  const object = stub as DurableObjectStub<Recorded>
  const rowsIn = async (tables: readonly string[]) => {
    const sequences = await new RecordFiles(place).sequences(name)
    const files = await Promise.all(sequences.map((sequence) => new RecordFiles(place).read(name, sequence)))
    const read = files.flatMap((file) => file?.record.tables ?? []).filter(({ table }) => tables.includes(table))
    return read.reduce((sum, { rows }) => sum + rows.length, 0)
  }
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
  try {
    await record(object, 0)
    const erased = await inObject(object, ({ stored }) => {
      const tables = tableNames(stored.sql, '*').filter((table) => plan.erased.includes(table))
      stored.transact(() => {
        for (const table of tables) stored.sql.exec(`DELETE FROM ${table}`)
      })
      return tables
    })
    if (erased.length === 0) return
    expect(await rowsIn(erased)).toBeGreaterThan(0)
    await record(object, DAY_MS)
    expect(await rowsIn(erased)).toBe(0)
  } finally {
    vi.useRealTimers()
  }
}

async function record(object: DurableObjectStub<Recorded>, afterMs: number): Promise<void> {
  if (afterMs === 0) {
    // Its rows were not written by the object, which has not noticed them.
    await inObject(object, ({ stored }) => {
      const facts = stored.sql.exec<{ name: string }>(`SELECT name FROM ${FACTS_TABLE}`).toArray()
      for (const { name } of facts) if (name !== 'schema') stored.facts.put(name, stored.facts.get(name))
    })
  }
  vi.setSystemTime(Date.now() + Math.max(RECORD_DELAY_MS, afterMs))
  expect(await inObject(object, (instance) => instance.keepRecords())).toBe(true)
}

async function lose(object: DurableObjectStub<Recorded>): Promise<void> {
  await inObject(object, ({ stored }) => stored.deleteAll())
  await evictDurableObject(object)
}

function rebuild(object: DurableObjectStub<Recorded>) {
  const options = { replaces: false, lostAt: Date.now() }
  return inObject(object, (instance) => unproved(instance).rebuildFromRecords(options))
}

/** How many rows each table has that names owners, and how many of these are of one. */
function rowsOf(object: DurableObjectStub<Recorded>, { owners = {} }: RecordPlan) {
  return inObject(object, ({ stored: { sql } }) => {
    const count = (table: string, where: string) =>
      sql.exec<{ rows: number }>(`SELECT count(*) AS rows FROM "${table}" WHERE ${where}`).one().rows
    const counts = (where: (owner: string) => string) =>
      Object.fromEntries(Object.entries(owners).map(([table, owner]) => [table, count(table, where(owner))]))
    return { all: counts(() => '1'), owned: counts((owner) => `(${owner}) IS NOT NULL`) }
  })
}

/** Deletes what is in a bucket below a prefix, and returns it. */
async function taken(bucket: R2Bucket, prefix: string): Promise<Map<string, ArrayBuffer>> {
  const { objects } = await bucket.list({ prefix })
  const files = await Promise.all(
    objects.map(async ({ key }) => [key, await (await bucket.get(key))?.arrayBuffer()] as const),
  )
  await bucket.delete(objects.map(({ key }) => key))
  return new Map(files.flatMap(([key, bytes]) => (bytes ? [[key, bytes] as const] : [])))
}

async function hashOf(name: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(name))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
