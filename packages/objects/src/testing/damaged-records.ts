import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { expect, vi } from 'vitest'
import { FACTS_TABLE } from '../facts.ts'
import { RECORD_DELAY_MS } from '../records/index.ts'
import { tableNames } from '../sql.ts'
import { bytesAsNumbers, inObject, type Recorded, unproved } from './records.ts'

/** The records of one object, as files. */
interface DamagedRecords {
  readonly bucket: R2Bucket
  /** The folder of the class. */
  readonly objects: string
  readonly name: string
}

const IN_AN_HOUR_MS = 3_600_000

/** Each keeps one record from being read, until what it returns is called. */
const DAMAGES = {
  missing: (bucket: R2Bucket, key: string) => bucket.delete(key),
  unreadable: async (bucket: R2Bucket, key: string, bytes: Uint8Array) => {
    const flipped = bytes.slice()
    flipped[flipped.length - 1] = (flipped.at(-1) ?? 0) ^ 1
    await bucket.put(key, flipped)
  },
}

/**
 * Records an object in three parts and has it replaced by them, while each in turn is missing or cannot be read: it stays
 * as it is, its alarm included, and goes on. Once all can be read, it is replaced.
 */
export async function expectUntouched(stub: DurableObjectStub, records: DamagedRecords): Promise<void> {
  const object = stub as DurableObjectStub<Recorded>
  const replace = () =>
    inObject(object, (instance) => unproved(instance).rebuildFromRecords({ replaces: true, lostAt: Date.now() }))
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
  try {
    for (let part = 0; part < 3; part++) await recordSame(object)
    await inObject(object, ({ stored }) => stored.alarm.by(Date.now() + IN_AN_HOUR_MS))
    const keys = await keysOf(records)
    expect(keys.length).toBeGreaterThanOrEqual(3)
    const before = await stateOf(object)
    expect(before.alarm).not.toBeNull()
    for (const key of keys) {
      const bytes = await bytesOf(records.bucket, key)
      for (const [name, damage] of Object.entries(DAMAGES)) {
        await damage(records.bucket, key, bytes)
        expect(await replace(), `${key} ${name}`).toBe('failed')
        expect(await stateOf(object), `${key} ${name}`).toEqual(before)
        await evictDurableObject(object)
        expect(await stateOf(object), `${key} ${name}, after a restart`).toEqual(before)
        await records.bucket.put(key, bytes)
      }
    }
    await recordSame(object)
    expect((await keysOf(records)).length).toBeGreaterThan(keys.length)
  } finally {
    vi.useRealTimers()
  }
}

/** Writes each row of the object as it is, so that it is recorded once more. */
async function recordSame(object: DurableObjectStub<Recorded>): Promise<void> {
  await inObject(object, ({ stored }) => {
    const facts = stored.sql.exec<{ name: string }>(`SELECT name FROM ${FACTS_TABLE}`).toArray()
    for (const { name } of facts) if (name !== 'schema') stored.facts.put(name, stored.facts.get(name))
    for (const table of tableNames(stored.sql, '*')) {
      const [column] = stored.sql.exec(`SELECT * FROM "${table}" LIMIT 0`).columnNames
      if (table !== FACTS_TABLE) stored.sql.exec(`UPDATE "${table}" SET "${column}" = "${column}"`)
    }
  })
  vi.setSystemTime(Date.now() + RECORD_DELAY_MS)
  expect(await inObject(object, (instance) => instance.keepRecords())).toBe(true)
}

/** Every row of every table, and the alarm. */
function stateOf(object: DurableObjectStub<Recorded>) {
  return runInDurableObject(object, async ({ stored: { sql } }, { storage }) => ({
    alarm: await storage.getAlarm(),
    tables: tableNames(sql, '*').map((table) => [
      table,
      sql
        .exec(`SELECT * FROM "${table}"`)
        .toArray()
        .map((row) => JSON.stringify(row, bytesAsNumbers)),
    ]),
  }))
}

/** The files of an object are in a folder that is named by the hash of its name. */
async function keysOf({ bucket, objects, name }: DamagedRecords): Promise<string[]> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(name))
  const folder = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
  const { objects: files } = await bucket.list({ prefix: `${objects}/${folder}/` })
  return files.map(({ key }) => key)
}

async function bytesOf(bucket: R2Bucket, key: string): Promise<Uint8Array> {
  const file = await bucket.get(key)
  if (!file) throw new Error('a record that was listed is gone')
  return new Uint8Array(await file.arrayBuffer())
}
