import { describe, expect, it } from 'vitest'
import { down, failingAt, held, leaf, leaves, namesOf, TestLog } from './logs.fixture.ts'

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

it('the object of a log does not go on with another log', async () => {
  const log = new TestLog()
  await log.placed([leaf('a')])
  const other = `${log.name}/next`
  const asked = await log.restarted({ log: other }, (object) => object.head().catch((error: Error) => error.message))
  expect(asked).toBe(`the object of the log ${log.name} cannot write ${other}`)
})
