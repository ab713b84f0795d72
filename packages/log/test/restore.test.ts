import { describe, expect, it } from 'vitest'
import { counted, leaf, leaves, namesOf, TestLog } from './logs.fixture.ts'

describe('a restore', () => {
  it('to an earlier state takes the batches that were decided since, with their ids', async () => {
    const log = new TestLog()
    await log.placed([leaf('a')])
    const saved = await log.saved()
    await log.placed([leaf('b'), leaf('c')])
    await log.placed([leaf('d')])
    const decided = await log.decided()
    await log.restore(saved)
    const places = await log.restarted({}, (object) => object.submit(Date.now(), [leaf('c'), leaf('new'), leaf('d')]))
    expect(places).toMatchObject({ ok: true, value: [{ index: 3 }, { index: 5 }, { index: 4 }] })
    expect((await log.decided()).slice(0, decided.length)).toEqual(decided)
  })

  it('to a state many batches ago takes them in few steps', async () => {
    const log = new TestLog()
    await log.object.head()
    const saved = await log.saved()
    for (let i = 0; i < 20; i++) await log.restarted({}, (object) => object.submit(Date.now(), [leaf(i)]))
    await log.placed(leaves(20, 600))
    const decided = await log.decided()
    await log.restore(saved)
    const { bucket, written } = counted()
    const size = await log.restarted({ bucket }, async (object) => (await object.head()).size)
    expect(size).toBe(621)
    // 17 heads make one step, with one partial tile and bundle; four make another, with four tiles and three bundles.
    expect(written()).toBe(9)
    expect(await log.decided()).toEqual(decided)
    expect(await log.lines()).toHaveLength(621)
    expect((await log.placed(leaves(0, 20))).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 20 }, (_, i) => i + 1),
    )
    // The edges of every size in between go as well.
    await log.restarted({ now: () => Date.now() + 301_000 }, (object) => object.alarm())
    expect((await log.keys()).filter((key) => key.includes('.p/'))).toHaveLength(3)
  })

  it('that lost the object stops the log, unless every head is still there', async () => {
    const whole = new TestLog()
    await whole.placed([leaf('a')])
    const lose = (log: TestLog) => log.query("UPDATE head SET batch = 0, size = 0, edge = x'', tail = ''")
    const other = new TestLog()
    await other.placed([leaf('a')])
    await other.files.removeHeads(1, 2)
    await lose(other)
    expect(await other.restarted({}, (object) => object.head().catch((error: Error) => error.name))).toBe(
      'DependencyFault',
    )
    expect(await whole.restarted({}, (object) => object.head())).toMatchObject({ size: 2 })
  })

  it('to a state behind the oldest head stops the log', async () => {
    const log = new TestLog()
    await log.placed([leaf('a')])
    await log.placed([leaf('b')])
    await log.files.removeHeads(1, 4)
    const asked = await log.restarted({}, (object) => object.head().catch((error: Error) => error.name))
    expect(asked).toBe('DependencyFault')
  })

  it('takes a leaf that its owner submitted again after its id had gone, where it is first', async () => {
    const log = new TestLog()
    await log.object.head()
    const saved = await log.saved()
    await log.object.acknowledge(await log.placed([leaf('a'), leaf('b')]))
    const later = () => Date.now() + 3_600_000
    await log.restarted({ now: later }, (object) => object.alarm())
    expect(await log.restarted({ now: later }, (object) => object.submit(later(), [leaf('a')]))).toMatchObject({
      value: [{ index: 3 }],
    })
    const decided = await log.decided()
    await log.query('DELETE FROM periods')
    await log.restore(saved)
    const places = await log.restarted({}, (object) =>
      object.submit(Date.now(), [leaf('a'), leaf('b')]).catch((error: Error) => error.message),
    )
    expect(places).toMatchObject({ ok: true, value: [{ index: 1 }, { index: 2 }] })
    expect(await log.decided()).toEqual(decided)
  })

  it('that brings back an id beside a later place of its leaf stops no upkeep', async () => {
    const log = new TestLog()
    await log.placed([leaf('a')])
    await log.query("INSERT INTO unacknowledged (idx, leaf_id, asked_at) VALUES (0, 'a', 1)")
    await log.restarted({ now: () => Date.now() + 3_600_000 }, (object) => object.alarm())
    expect(await log.query("SELECT name FROM sqlite_master WHERE name GLOB 'taken_*'")).toEqual([])
    expect(await log.query('SELECT idx FROM unacknowledged')).toEqual([{ idx: 0 }])
  })

  it('that left two objects of one log makes one history of what both take', async () => {
    const log = new TestLog()
    await log.placed([leaf('a')])
    for (let round = 0; round < 10; round++) {
      const own = (name: string) => leaf(`${round}${name}`)
      await Promise.all([
        log.restarted({}, (object) => object.submit(Date.now(), [own('b'), own('c')])),
        log.twin((object) => object.submit(Date.now(), [own('c'), own('d')])),
      ])
    }
    const size = (await log.decided()).at(-1)?.size
    expect(size).toBe(32)
    const heads = [await log.restarted({}, (object) => object.head()), await log.twin((object) => object.head())]
    expect(heads[0]).toEqual(heads[1])
    const names = namesOf(await log.lines())
    expect(names).toHaveLength(32)
    expect(new Set(names).size).toBe(32)
  })
})
