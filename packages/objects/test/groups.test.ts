import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { readVersion, type Schema, SchemaMismatch } from '../src/schema.ts'
import { ObjectStorage } from '../src/storage.ts'
import { LEDGER, REMARKS, SHOP } from './main.ts'
import { freshShop, inStorage, rowsOf, type Shop, tablesOf } from './objects.fixture.ts'

const BEFORE = ['facts', 'goods']
const AFTER = ['authors', 'facts', 'goods', 'remarks']
const groupsOf = async (shop: Shop) => (await inStorage(shop, ({ sql }) => readVersion(sql)))?.groups

async function opened() {
  const shop = freshShop()
  await shop.open('o')
  return shop
}

describe('tables of a group', () => {
  it('are made by the first INSERT, and recorded with it', async () => {
    const shop = await opened()
    expect(await tablesOf(shop)).toEqual(BEFORE)
    expect(await shop.remark('fine')).toEqual({ ok: true, value: 1 })
    expect(await tablesOf(shop)).toEqual(AFTER)
    expect(await groupsOf(shop)).toEqual({ remarks: 2 })
    expect(await shop.remark('very fine')).toEqual({ ok: true, value: 2 })
  })

  it('have no rows before, and are made by no other statement', async () => {
    const shop = await opened()
    expect(await shop.remarks()).toEqual([])
    await shop.clear()
    expect(await tablesOf(shop)).toEqual(BEFORE)
    await evictDurableObject(shop)
    expect(await shop.remarks()).toEqual([])
  })

  it('have no rows in an object that does not exist', async () => {
    const shop = freshShop()
    expect(await shop.remarks()).toEqual([])
    expect(await tablesOf(shop)).toEqual([])
  })

  it('are undone with a refused first write, and made by the next', async () => {
    const shop = await opened()
    expect(await shop.remark('rude')).toEqual({ ok: false, error: { reason: 'rude' } })
    expect(await tablesOf(shop)).toEqual(BEFORE)
    expect(await groupsOf(shop)).toBeUndefined()
    expect(await shop.remark('fine')).toEqual({ ok: true, value: 1 })
  })

  it('are undone with the inner transaction alone', async () => {
    const shop = await opened()
    await runInDurableObject(shop, ({ stored }) => {
      stored.transact(() => {
        stored.facts.put('owner', { name: 'another' })
        expect(() =>
          stored.transact(() => {
            stored.tables(REMARKS).exec("INSERT INTO remarks (text) VALUES ('lost')")
            throw new Error('lost')
          }),
        ).toThrow('lost')
        stored.tables(REMARKS).exec("INSERT INTO remarks (text) VALUES ('kept')")
      })
    })
    expect([await shop.owner(), await shop.remarks()]).toEqual(['another', [{ text: 'kept', stars: 1 }]])
  })

  it('are all made or none, if a step fails', async () => {
    const shop = await opened()
    const steps = [REMARKS.steps[0], { name: 'fails', sql: 'CREATE TABLE goods (n INTEGER)' }] as const
    const broken: Schema = { ...SHOP, groups: [{ ...REMARKS, steps }] }
    await inStorage(shop, (storage) => {
      const tables = new ObjectStorage(storage, [broken]).tables(broken.groups?.[0] ?? REMARKS)
      expect(() => tables.exec("INSERT INTO remarks (text) VALUES ('x')")).toThrow('already exists')
    })
    expect(await tablesOf(shop)).toEqual(BEFORE)
    expect(await groupsOf(shop)).toBeUndefined()
  })

  it('are survived by an eviction, and upgraded in an object that has them', async () => {
    const [without, withRemarks] = [await opened(), await opened()]
    const old: Schema = { ...SHOP, groups: [{ ...REMARKS, steps: [REMARKS.steps[0]] }] }
    await inStorage(withRemarks, (storage) => {
      new ObjectStorage(storage, [old])
        .tables(old.groups?.[0] ?? REMARKS)
        .exec("INSERT INTO remarks (text) VALUES ('x')")
    })
    expect(await groupsOf(withRemarks)).toEqual({ remarks: 1 })
    for (const shop of [without, withRemarks]) await evictDurableObject(shop)
    expect([await without.remarks(), await withRemarks.remarks()]).toEqual([[], [{ text: 'x', stars: 1 }]])
    expect([await groupsOf(without), await groupsOf(withRemarks)]).toEqual([undefined, { remarks: 2 }])
  })

  it('of a later version, and ones that the code does not know, keep the object from starting', async () => {
    const shop = await opened()
    await shop.remark('fine')
    for (const groups of [[{ ...REMARKS, steps: [REMARKS.steps[0]] }], []] as const) {
      const open = inStorage(shop, (storage) => new ObjectStorage(storage, [{ ...SHOP, groups }]))
      await expect(open).rejects.toThrow(SchemaMismatch)
      await expect(open).rejects.toThrow(`at version 2 of tables "remarks", and this code knows ${groups.length}`)
    }
  })

  it('that the schema does not list are not made', async () => {
    const shop = await opened()
    await runInDurableObject(shop, ({ stored }) => {
      const other = stored.tables({ name: 'other', steps: LEDGER.steps })
      expect(() => other.exec("INSERT INTO entries (amount) VALUES ('1 EUR')")).toThrow('lists no "other"')
    })
  })
})

describe('facts', () => {
  it('are null until they are put, and once they are deleted', async () => {
    await runInDurableObject(freshShop(), ({ stored }) => {
      expect(stored.facts.get('owner')).toBeNull()
      stored.facts.delete('owner')
      stored.transact(() => stored.create(SHOP))
      expect(stored.facts.get('owner')).toBeNull()
      stored.facts.put('owner', 'a')
      stored.facts.put('owner', { name: 'b' })
      expect(stored.facts.get('owner')).toEqual({ name: 'b' })
      stored.facts.delete('owner')
      expect(stored.facts.get('owner')).toBeNull()
    })
  })

  it('are undone with the transaction', async () => {
    const shop = await opened()
    await runInDurableObject(shop, ({ stored }) => {
      expect(() =>
        stored.transact(() => {
          stored.facts.put('owner', { name: 'x' })
          throw new Error('lost')
        }),
      ).toThrow('lost')
    })
    expect(await shop.owner()).toBe('o')
  })

  it('that the schema does not declare are refused, and so is its own', async () => {
    const shop = await opened()
    await runInDurableObject(shop, ({ stored }) => {
      for (const name of ['lock', 'schema'])
        expect(() => stored.facts.put(name, 1)).toThrow(`declares no fact "${name}"`)
    })
    expect(await rowsOf(shop, 'SELECT name FROM facts ORDER BY name')).toEqual([{ name: 'owner' }, { name: 'schema' }])
  })
})

it('memory that storage does not back any more is forgotten after a roll-back and a deletion', async () => {
  await runInDurableObject(await opened(), async ({ stored }) => {
    let forgotten = 0
    stored.onUndone(() => {
      forgotten += 1
    })
    stored.transact(() => 1)
    expect(forgotten).toBe(0)
    expect(() =>
      stored.transact(() => {
        throw new Error('lost')
      }),
    ).toThrow('lost')
    expect(forgotten).toBe(1)
    await stored.deleteAll()
    expect(forgotten).toBe(2)
  })
})
