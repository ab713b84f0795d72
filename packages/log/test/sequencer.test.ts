import { describe, expect, it } from 'vitest'
import { down, failingAt, held, leaf, leaves, TestLog } from './logs.fixture.ts'

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
  const steps = [0, 1, 2, 3].flatMap((nth) => (['before', 'after'] as const).map((when) => [nth, when] as const))

  it.each(steps)('at write %i to R2 (%s it) loses nothing and forks nothing', async (nth, when) => {
    const log = new TestLog()
    await log.placed(leaves(0, 250))
    const crashed = await log.restarted({ bucket: failingAt(nth, when) }, (object) =>
      object.submit(Date.now(), leaves(250, 300)).then(
        () => 'placed',
        () => 'failed',
      ),
    )
    // More than four writes may follow, or fewer.
    expect(['placed', 'failed']).toContain(crashed)
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
    const saved = await log.query<{ batch: number; size: number; root: string; tail: string }>(
      'SELECT batch, size, root, hex(edge) AS edge, tail FROM head',
    )
    await log.placed([leaf('b'), leaf('c')])
    await log.placed([leaf('d')])
    const decided = await log.decided()
    const [head] = saved as unknown as { batch: number; size: number; root: string; edge: string; tail: string }[]
    if (!head) throw new Error('no head')
    // What a restore brings back: the head, and the ids, of that time.
    const [{ period } = { period: 0 }] = await log.query<{ period: number }>('SELECT period FROM periods')
    await log.query(`DELETE FROM taken_${period} WHERE idx >= ${head.size}`)
    await log.query(`DELETE FROM retired WHERE size >= ${head.size}`)
    await log.query(
      `UPDATE head SET batch = ${head.batch}, size = ${head.size}, root = '${head.root}', edge = x'${head.edge}',
         tail = '${head.tail}'`,
    )
    const places = await log.restarted({}, (object) => object.submit(Date.now(), [leaf('c'), leaf('new'), leaf('d')]))
    expect(places).toMatchObject({ ok: true, value: [{ index: 3 }, { index: 5 }, { index: 4 }] })
    expect((await log.decided()).slice(0, decided.length)).toEqual(decided)
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

describe('files', () => {
  it('of the right edge go five minutes after they were replaced, and heads after 40 days', async () => {
    const log = new TestLog()
    for (let i = 0; i < 3; i++) await log.placed(leaves(300 * i, 300))
    const partial = async () => (await log.keys()).filter((key) => key.includes('.p/'))
    expect((await partial()).length).toBeGreaterThan(3)
    await log.restarted({ now: () => Date.now() + 301_000 }, (object) => object.alarm())
    expect(await partial()).toHaveLength(3)
    await log.lines()
    const days = (n: number) => () => Date.now() + n * 86_400_000
    await log.restarted({ now: days(39) }, (object) => object.submit(days(39)(), [leaf('later')]))
    await log.restarted({ now: days(40) }, (object) => object.alarm())
    expect((await log.keys()).filter((key) => key.includes('/heads/'))).toHaveLength(5)
    await log.restarted({ now: days(41) }, (object) => object.alarm())
    expect((await log.keys()).filter((key) => key.includes('/heads/'))).toHaveLength(1)
    expect(await log.restarted({}, (object) => object.head())).toMatchObject({ size: 902 })
  })
})
