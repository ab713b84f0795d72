import { describe, expect, it } from 'vitest'
import { counted, down, failingAt, held, leaf, leaves, TestLog } from './logs.fixture.ts'

const count = async (log: TestLog, table: string) =>
  (await log.query<{ n: number }>(`SELECT count(*) AS n FROM ${table}`))[0]?.n

const namesOf = (lines: readonly string[]) =>
  lines.map((line) => (JSON.parse(line) as { leaf?: string }).leaf ?? 'open')

describe('a log', () => {
  it('begins with the leaf that opens it', async () => {
    const log = new TestLog()
    expect(await log.object.head()).toMatchObject({ size: 1 })
    expect(namesOf(await log.lines())).toEqual(['open'])
  })

  it('gives every leaf a place, once', async () => {
    const log = new TestLog()
    expect(await log.placed([leaf('a'), leaf('b')])).toEqual([1, 2])
    expect(await log.placed([leaf('b'), leaf('c'), leaf('a')])).toEqual([2, 3, 1])
    expect(namesOf(await log.lines())).toEqual(['open', 'a', 'b', 'c'])
  })

  it('takes one leaf of twenty callers who submit it at once', async () => {
    const log = new TestLog()
    const places = await Promise.all(Array.from({ length: 20 }, () => log.placed([leaf('same')])))
    expect(places.flat()).toEqual(Array.from({ length: 20 }, () => 1))
    expect((await log.object.head()).size).toBe(2)
  })

  it('has the same files over the ends of tiles as a tree computed from its entries', async () => {
    const log = new TestLog()
    let next = 0
    for (const batch of [1, 254, 1, 1, 300, 700]) {
      await log.placed(leaves(next, batch))
      next += batch
      expect(namesOf(await log.lines())).toEqual(['open', ...Array.from({ length: next }, (_, i) => String(i))])
    }
  })

  it('refuses a call that took longer than a minute', async () => {
    const log = new TestLog()
    const refused = { ok: false, error: { reason: 'stale_call' } }
    expect(await log.submit([leaf('late')], Date.now() - 61_000)).toEqual(refused)
    expect(await log.submit([leaf('early')], Date.now() + 61_000)).toEqual(refused)
    expect((await log.object.head()).size).toBe(1)
  })
})

describe('a crash', () => {
  // The head, four tiles and three bundles.
  const steps = Array.from({ length: 8 }, (_, nth) => nth).flatMap((nth) =>
    (['before', 'after'] as const).map((when) => [nth, when] as const),
  )

  it.each(steps)('at write %i to R2 (%s it) loses nothing and forks nothing', async (nth, when) => {
    const log = new TestLog()
    await log.placed(leaves(0, 250))
    const crashed = await log.restarted({ bucket: failingAt(nth, when) }, (object) =>
      object.submit(Date.now(), leaves(250, 300)).then(
        () => 'placed',
        () => 'failed',
      ),
    )
    expect(crashed).toBe('failed')
    const decided = await log.decided()
    await log.restarted({}, (object) => object.submit(Date.now(), [leaf('other'), ...leaves(250, 300)]))
    expect((await log.decided()).slice(0, decided.length)).toEqual(decided)
    const names = namesOf(await log.lines())
    expect(names).toHaveLength(552)
    expect(new Set(names).size).toBe(552)
  })

  it('between R2 and SQLite is caught up with at the next start', async () => {
    const log = new TestLog()
    await log.placed([leaf('a')])
    await log.query(`CREATE TRIGGER killed BEFORE INSERT ON head BEGIN SELECT RAISE(ABORT, 'canary'); END`)
    expect(
      await log.restarted({}, (object) =>
        object.submit(Date.now(), [leaf('b')]).catch((error: Error) => error.message),
      ),
    ).toContain('canary')
    await log.query('DROP TRIGGER killed')
    expect(await log.decided()).toHaveLength(3)
    expect(await log.placed([leaf('c'), leaf('b')])).toEqual([3, 2])
    expect(namesOf(await log.lines())).toEqual(['open', 'a', 'b', 'c'])
  })
})

describe('a failure of R2', () => {
  const outcome = (work: Promise<{ ok: boolean }>) =>
    work.then(({ ok }) => (ok ? 'placed' : 'refused')).catch(() => 'failed')

  it('keeps the leaves of an owner in their order', async () => {
    const log = new TestLog()
    await log.placed([leaf('before')])
    const { bucket, isReached, fail } = held()
    const outcomes = await log.restarted({ bucket }, async (object) => {
      const first = outcome(object.submit(Date.now(), [leaf('1')]))
      await isReached
      const both = outcome(object.submit(Date.now(), [leaf('1'), leaf('2')]))
      const other = outcome(object.submit(Date.now(), [leaf('3')]))
      fail()
      const told = await Promise.all([first, both, other])
      return [...told, await outcome(object.submit(Date.now(), [leaf('1'), leaf('2')]))]
    })
    expect(outcomes).toEqual(['failed', 'failed', 'failed', 'placed'])
    expect(namesOf(await log.lines())).toEqual(['open', 'before', '1', '2'])
  })

  it('leaves nobody waiting, and nothing undone once it is over', async () => {
    const log = new TestLog()
    await log.placed([leaf('before')])
    const outcomes = await log.restarted({ bucket: down() }, (object) =>
      Promise.all(['a', 'b', 'c'].map((name) => outcome(object.submit(Date.now(), [leaf(name)])))),
    )
    expect(outcomes).toEqual(['failed', 'failed', 'failed'])
    expect(await log.placed([leaf('c'), leaf('a')])).toEqual([2, 3])
  })
})

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

it('the object of a log does not go on with another log', async () => {
  const log = new TestLog()
  await log.placed([leaf('a')])
  const other = `${log.name}/next`
  const asked = await log.restarted({ log: other }, (object) => object.head().catch((error: Error) => error.message))
  expect(asked).toBe(`the object of the log ${log.name} cannot write ${other}`)
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
