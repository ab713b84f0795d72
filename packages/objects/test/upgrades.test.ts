import { evictDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { type Schema, SchemaMismatch, type SchemaStep } from '../src/index.ts'
import { readVersion } from '../src/schema.ts'
import { ObjectStorage } from '../src/storage.ts'
import { describeUpgrades, seeded } from '../src/testing/index.ts'
import * as worker from './main.ts'
import { CENTS, LEDGER, MARKER, TABLES, TOTALS } from './main.ts'
import { fresh, inStorage, type Ledger, OBJECTS, rowsOf, SHOPS, type Shop, tablesOf } from './objects.fixture.ts'

const TWO_ENTRIES = "INSERT INTO entries (amount) VALUES ('12 EUR'), ('30 EUR'); INSERT INTO wrong (n) VALUES (1);"
const read = async (ledger: Ledger) => ({ total: await ledger.total(), after: await ledger.add('1') })
const expected = { total: 4200, after: { ok: true, value: 4300 } }
const OPENED = `INSERT INTO goods (name) VALUES ('tea'); INSERT INTO facts (name, value) VALUES ('owner', '{"name":"o"}');`
const readShop = async (shop: Shop) => ({ owner: await shop.owner(), remarks: await shop.remarks() })

describeUpgrades(
  // The library is for the tests of records.
  { LedgerObject: worker.LedgerObject, ShopObject: worker.ShopObject },
  {
    LedgerObject: seeded(OBJECTS, [
      { schema: 'ledger', version: 1, rows: TWO_ENTRIES, read, expected },
      { schema: 'ledger', version: 2, rows: `${TWO_ENTRIES} UPDATE entries SET cents = 2100;`, read, expected },
      {
        schema: 'ledger',
        version: 3,
        rows: `${TWO_ENTRIES} UPDATE entries SET cents = 2100; UPDATE totals SET cents = 4200;`,
        read,
        expected,
      },
      {
        schema: 'marker',
        version: 1,
        rows: "INSERT INTO mark (text) VALUES ('m')",
        read: (ledger) => ledger.add('1'),
        expected: { ok: false, error: { reason: 'is_mark' } },
      },
    ]),
    ShopObject: seeded(SHOPS, [
      { schema: 'shop', version: 1, rows: OPENED, read: readShop, expected: { owner: 'o', remarks: [] } },
      {
        schema: 'shop',
        version: 1,
        groups: { remarks: 1 },
        rows: `${OPENED} INSERT INTO remarks (text) VALUES ('fine'); INSERT INTO authors (name) VALUES ('a');`,
        read: readShop,
        expected: { owner: 'o', remarks: [{ text: 'fine', stars: 1 }] },
      },
      {
        schema: 'shop',
        version: 1,
        groups: { remarks: 2 },
        rows: `${OPENED} INSERT INTO remarks (text, stars) VALUES ('fine', 5); INSERT INTO authors (name) VALUES ('a');`,
        read: readShop,
        expected: { owner: 'o', remarks: [{ text: 'fine', stars: 5 }] },
      },
    ]),
  },
  env,
)

const upTo = (...steps: [SchemaStep, ...SchemaStep[]]): Schema => ({ ...LEDGER, steps })
const open = (ledger: Ledger, ...schemas: Schema[]) =>
  inStorage(ledger, (storage) => new ObjectStorage(storage, schemas).exists)
const begin = (ledger: Ledger, schema: Schema, rows: string) =>
  inStorage(ledger, (storage) => {
    const stored = new ObjectStorage(storage, [schema])
    stored.transact(() => {
      stored.create(schema)
      stored.sql.exec(rows)
    })
  })
const versionOf = (ledger: Ledger) => inStorage(ledger, ({ sql }) => readVersion(sql))

describe('an object that was left between two steps', () => {
  it('goes on from the last one that was recorded', async () => {
    const ledger = fresh()
    await begin(ledger, upTo(TABLES), TWO_ENTRIES)
    expect(await versionOf(ledger)).toEqual({ schema: 'ledger', version: 1 })
    // The code of the day after crashed once it had run one step of its two.
    await open(ledger, upTo(TABLES, CENTS))
    expect(await versionOf(ledger)).toEqual({ schema: 'ledger', version: 2 })
    await evictDurableObject(ledger)
    expect(await ledger.total()).toBe(4200)
    expect(await versionOf(ledger)).toEqual({ schema: 'ledger', version: 3 })
  })

  it('runs a step once, however often it starts', async () => {
    const ledger = fresh()
    await begin(ledger, upTo(TABLES), TWO_ENTRIES)
    for (let start = 0; start < 3; start++) {
      await evictDurableObject(ledger)
      expect(await ledger.total()).toBe(4200)
    }
  })
})

describe('a step that fails', () => {
  const half: SchemaStep = {
    name: 'fails half-way',
    run: (sql) => {
      sql.exec('DELETE FROM entries')
      sql.exec('CREATE TABLE half (n INTEGER) STRICT')
      throw new Error('the disk is on fire')
    },
  }

  it('keeps the object from starting, at the version before it and with all of its data', async () => {
    const ledger = fresh()
    await begin(ledger, upTo(TABLES), TWO_ENTRIES)
    await expect(open(ledger, upTo(TABLES, CENTS, half))).rejects.toThrow('the disk is on fire')
    expect(await versionOf(ledger)).toEqual({ schema: 'ledger', version: 2 })
    expect(await rowsOf(ledger, 'SELECT amount, cents FROM entries ORDER BY seq')).toEqual([
      { amount: '12 EUR', cents: 1200 },
      { amount: '30 EUR', cents: 3000 },
    ])
    expect(await tablesOf(ledger)).toEqual(['entries', 'facts', 'wrong'])
    // Mended code takes it up from there.
    await evictDurableObject(ledger)
    expect(await ledger.total()).toBe(4200)
  })

  it('in a first write leaves no object', async () => {
    const ledger = fresh()
    await expect(begin(ledger, upTo(TABLES, half), TWO_ENTRIES)).rejects.toThrow('the disk is on fire')
    expect(await tablesOf(ledger)).toEqual([])
    expect(await open(ledger, LEDGER)).toBe(false)
  })
})

describe('data that the code does not know', () => {
  it('of a later version is refused, and stays', async () => {
    const ledger = fresh()
    await begin(ledger, LEDGER, "INSERT INTO entries (amount) VALUES ('1 EUR')")
    const refusal = open(ledger, upTo(TABLES, CENTS))
    await expect(refusal).rejects.toThrow(SchemaMismatch)
    await expect(refusal).rejects.toThrow(
      'The object is at version 3 of schema "ledger", and this code knows 2: deploy newer code',
    )
    expect(await rowsOf(ledger, 'SELECT amount FROM entries')).toEqual([{ amount: '1 EUR' }])
  })

  it('of another schema is refused', async () => {
    const ledger = fresh()
    await ledger.mark('m')
    await expect(open(ledger, LEDGER)).rejects.toThrow('The object has schema "marker", and this code knows "ledger"')
  })

  it('that no schema is recorded for and none is known to have left is refused', async () => {
    const ledger = fresh()
    await inStorage(ledger, ({ sql }) => sql.exec('CREATE TABLE strange (n INTEGER)'))
    await expect(open(ledger, LEDGER, MARKER)).rejects.toThrow(
      'The object has tables and no schema version: expected "ledger", "marker"',
    )
  })

  it('whose version is missing is refused', async () => {
    const ledger = fresh()
    await begin(ledger, LEDGER, TWO_ENTRIES)
    await inStorage(ledger, ({ sql }) => sql.exec('DELETE FROM facts'))
    await expect(open(ledger, LEDGER)).rejects.toThrow('The object has facts and no schema version')
  })

  it('is looked for among the steps alone, not made by looking', async () => {
    const ledger = fresh()
    expect(await open(ledger, upTo(TABLES, CENTS, TOTALS))).toBe(false)
    expect(await tablesOf(ledger)).toEqual([])
  })
})
