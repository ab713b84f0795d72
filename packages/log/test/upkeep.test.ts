import { describe, expect, it } from 'vitest'
import { leaf, leaves, TestLog } from './logs.fixture.ts'

const count = async (log: TestLog, table: string) =>
  (await log.query<{ n: number }>(`SELECT count(*) AS n FROM ${table}`))[0]?.n

describe('ids', () => {
  const hours = (n: number) => () => Date.now() + n * 3_600_000

  it('of acknowledged leaves go half an hour later, and the log still has each once', async () => {
    const log = new TestLog()
    const places = await log.placed(leaves(0, 300))
    await log.object.acknowledge(places)
    await log.restarted({ now: hours(1) }, (object) => object.alarm())
    expect(await count(log, 'unacknowledged')).toBe(0)
    expect(await log.query("SELECT name FROM sqlite_master WHERE name GLOB 'taken_*'")).toEqual([])
    expect(await log.restarted({}, (object) => object.submit(Date.now(), [leaf('x')]))).toMatchObject({ ok: true })
  })

  it('of a leaf whose owner does not know its place stay until it does', async () => {
    const log = new TestLog()
    const [first, second] = await log.placed(leaves(0, 2))
    await log.object.acknowledge([first!])
    await log.restarted({ now: hours(1) }, (object) => object.alarm())
    expect(await log.query('SELECT idx, leaf_id, known_at FROM unacknowledged')).toEqual([
      { idx: second, leaf_id: '1', known_at: null },
    ])
    expect(await log.restarted({}, (object) => object.submit(Date.now(), [leaf(1)]))).toMatchObject({
      value: [{ index: second }],
    })
    // A call that was on its way when the owner acknowledged still finds it.
    await log.restarted({ now: hours(1) }, (object) => object.acknowledge([second!]))
    await log.restarted({ now: hours(1) }, (object) => object.alarm())
    expect(await count(log, 'unacknowledged')).toBe(1)
    await log.restarted({ now: hours(2) }, (object) => object.alarm())
    expect(await count(log, 'unacknowledged')).toBe(0)
  })

  it('acknowledged just before their period goes are kept for the calls on their way', async () => {
    const log = new TestLog()
    const places = await log.placed(leaves(0, 2))
    await log.restarted({ now: hours(1) }, (object) => object.acknowledge(places))
    await log.restarted({ now: () => Date.now() + 3_601_000 }, (object) => object.alarm())
    expect(await count(log, 'unacknowledged')).toBe(2)
  })
})

describe('owners', () => {
  const days = (n: number) => () => Date.now() + n * 86_400_000

  it('whose acknowledgement was lost are asked once a day', async () => {
    const log = new TestLog()
    await log.placed(leaves(0, 250))
    const asked: string[] = []
    const isKnown = (leafId: string) => {
      asked.push(leafId)
      return leafId === '7' ? Promise.reject(new Error('canary: not reached')) : Promise.resolve(leafId !== '8')
    }
    const tidied = (now: () => number) => log.restarted({ now, isKnown }, (object) => object.alarm())
    await log.restarted({ now: () => Date.now() + 3_600_000, isKnown }, (object) => object.alarm())
    expect(asked).toEqual([])
    for (let i = 0; i < 4; i++) await tidied(days(2))
    expect(asked).toHaveLength(250)
    await tidied(days(3))
    expect(await log.query('SELECT leaf_id FROM unacknowledged ORDER BY idx')).toEqual([
      { leaf_id: '7' },
      { leaf_id: '8' },
    ])
    expect(asked.slice(250)).toEqual(['7', '8'])
  })
})

describe('files', () => {
  it('of the right edge go five minutes after they were replaced, and heads after 40 days', async () => {
    const log = new TestLog()
    for (let i = 0; i < 3; i++) await log.placed(leaves(300 * i, 300))
    const partial = async () => (await log.keys()).filter((key) => key.includes('.p/'))
    const all = await partial()
    expect(all.length).toBeGreaterThan(3)
    await log.restarted({ now: () => Date.now() + 240_000 }, (object) => object.alarm())
    expect(await partial()).toEqual(all)
    await log.restarted({ now: () => Date.now() + 301_000 }, (object) => object.alarm())
    expect(await partial()).toHaveLength(3)
    await log.lines()
    const days = (n: number) => () => Date.now() + n * 86_400_000
    await log.restarted({ now: days(39) }, (object) => object.submit(days(39)(), [leaf('later')]))
    await log.restarted({ now: days(40) }, (object) => object.alarm())
    expect((await log.keys()).filter((key) => key.startsWith('log-heads/'))).toHaveLength(5)
    await log.restarted({ now: days(41) }, (object) => object.alarm())
    expect((await log.keys()).filter((key) => key.startsWith('log-heads/'))).toHaveLength(1)
    expect(await log.restarted({}, (object) => object.head())).toMatchObject({ size: 902 })
  })
})

it('a clock that was a year ahead delays nothing once it is right again', async () => {
  const log = new TestLog()
  await log.placed([leaf('a')])
  const ahead = () => Date.now() + 365 * 86_400_000
  await log.restarted({ now: ahead }, (object) => object.submit(ahead(), [leaf('b')]))
  await log.restarted({}, (object) => object.submit(Date.now(), [leaf('c')]))
  expect(await count(log, 'periods')).toBe(3)
  await log.restarted({ now: () => Date.now() + 3_600_000 }, (object) => object.alarm())
  expect(await log.query("SELECT name FROM sqlite_master WHERE name GLOB 'taken_*'")).toEqual([])
})
