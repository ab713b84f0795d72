import { runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { LEDGER, LedgerObject } from './main.ts'
import { fresh, inStorage, tablesOf } from './objects.fixture.ts'

const TABLES = ['entries', 'facts', 'totals', 'wrong']

describe('an object', () => {
  it('exists from its first accepted write on', async () => {
    const ledger = fresh()
    expect(await ledger.total()).toBe(0)
    expect(await tablesOf(ledger)).toEqual([])
    expect(await ledger.add('2')).toEqual({ ok: true, value: 200 })
    expect(await tablesOf(ledger)).toEqual(TABLES)
  })

  it('does not exist once everything is deleted, and may exist again', async () => {
    const ledger = fresh()
    await ledger.add('2')
    await ledger.forget()
    expect(await tablesOf(ledger)).toEqual([])
    expect(await ledger.total()).toBe(0)
    expect(await ledger.add('3')).toEqual({ ok: true, value: 300 })
  })

  it('says the commit of its code, and does not exist by that', async () => {
    const ledger = fresh()
    expect(await ledger.commit()).toBe('c0ffee')
    expect(await tablesOf(ledger)).toEqual([])
    expect(await inStorage(ledger, (storage) => storage.getAlarm())).toBeNull()
  })

  it('is of one schema for good', async () => {
    const ledger = fresh()
    await ledger.mark('m')
    expect(await ledger.add('1')).toEqual({ ok: false, error: { reason: 'is_mark' } })
    expect(await tablesOf(ledger)).toEqual(['facts', 'mark'])
    await runInDurableObject(ledger, ({ stored }) => {
      expect(() => stored.transact(() => stored.create(LEDGER))).toThrow('cannot become "ledger"')
    })
  })

  it('has its storage as a property of the instance, which RPC does not reach', async () => {
    await runInDurableObject(fresh(), (ledger) => {
      expect(Object.hasOwn(ledger, 'stored')).toBe(true)
      expect('stored' in LedgerObject.prototype).toBe(false)
    })
  })
})

describe('a refusal', () => {
  it('leaves nothing behind', async () => {
    const ledger = fresh()
    await ledger.add('2')
    expect(await ledger.add('200')).toEqual({ ok: false, error: { reason: 'too_much' } })
    expect(await ledger.count()).toEqual({ entries: 1, wrong: 0 })
    expect(await ledger.total()).toBe(200)
  })

  it('of the first write leaves no object', async () => {
    const ledger = fresh()
    expect(await ledger.add('200')).toEqual({ ok: false, error: { reason: 'too_much' } })
    expect(await tablesOf(ledger)).toEqual([])
    expect(await ledger.total()).toBe(0)
    expect(await ledger.add('1')).toEqual({ ok: true, value: 100 })
  })

  it('that persists keeps what was written around it, and not what the refused work wrote', async () => {
    const ledger = fresh()
    await ledger.add('2')
    expect(await ledger.guess('no')).toEqual({ ok: false, error: { reason: 'wrong' } })
    expect(await ledger.count()).toEqual({ entries: 1, wrong: 1 })
    expect(await ledger.guess('right')).toEqual({ ok: true, value: undefined })
    expect(await ledger.count()).toEqual({ entries: 0, wrong: 2 })
  })

  it('by a throw leaves nothing behind either', async () => {
    const ledger = fresh()
    await runInDurableObject(ledger, ({ stored }) => {
      expect(() =>
        stored.transact(() => {
          stored.create(LEDGER)
          throw new Error('lost')
        }),
      ).toThrow('lost')
      expect(stored.exists).toBe(false)
    })
    expect(await tablesOf(ledger)).toEqual([])
  })
})
