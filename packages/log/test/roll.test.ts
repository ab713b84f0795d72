import { closeEntry, openEntry } from '@svc/protocol/merkle/entries'
import { describe, expect, it } from 'vitest'
import { failingAt, leaf, leaves, TestLog } from './logs.fixture.ts'

const closed = { ok: true, value: expect.anything() as unknown }
const nextOf = (log: TestLog, keyVersion = 1) => ({ log: log.next().name, keyVersion })
const close = (log: TestLog) => log.object.close(nextOf(log))
const endOf = async (log: TestLog) => {
  const { size, root } = await log.object.head()
  return { log: log.name, size, root }
}
/** The last line closes the first log, and the next one begins with what the first one came to. */
async function expectRoll(log: TestLog): Promise<void> {
  const lines = await log.lines()
  expect(lines.at(-1)).toBe(closeEntry(log.next().name))
  expect(lines.filter((line) => line === lines.at(-1))).toHaveLength(1)
  expect((await log.next().lines())[0]).toBe(openEntry(log.next().name, await endOf(log)))
}

describe('a roll', () => {
  it('closes a log with a leaf, and opens the next one on it', async () => {
    const log = new TestLog()
    await log.placed(leaves(0, 300))
    expect(await close(log)).toMatchObject({
      ok: true,
      value: { next: log.next().name, final: { statement: await endOf(log) } },
    })
    expect((await log.object.head()).ending?.next).toBe(log.next().name)
    expect((await log.next().object.head()).ending).toBeNull()
    await expectRoll(log)
  })

  it('is idempotent, and never goes to two logs', async () => {
    const log = new TestLog()
    const first = await close(log)
    expect(await close(log)).toEqual(first)
    const other = { log: `${log.name}/other/next`, keyVersion: 1 }
    expect(await log.object.close(other)).toEqual({ ok: false, error: { reason: 'log_closed' } })
    expect(await new TestLog(other.log).files.opening()).toBeNull()
  })

  it('changes the key', async () => {
    const log = new TestLog()
    await log.object.close(nextOf(log, 2))
    const [of, ofNext] = [await log.files.head(2), await log.next().object.head()]
    expect(ofNext.keyVersion).toBe(2)
    const after = await log.next().files.head(1)
    expect(after?.checkpoint.publicKeyB64u).not.toBe(of?.checkpoint.publicKeyB64u)
  })

  it('does not open a log without the key of its version', async () => {
    const log = new TestLog()
    await log.object.close(nextOf(log, 3))
    await expect(log.next().restarted({}, (object) => object.head())).rejects.toThrow('log key')
  })

  it('leaves a closed log its places, and sends what it lacks to the next one', async () => {
    const log = new TestLog()
    await log.placed([leaf('a')])
    await close(log)
    expect(await log.submit([leaf('a'), leaf('b')])).toEqual({
      ok: false,
      error: { reason: 'log_closed', next: log.next().name, placed: [{ leafId: 'a', index: 1 }] },
    })
    expect(await log.submit([leaf('a')])).toEqual({ ok: true, value: [{ leafId: 'a', index: 1 }] })
    await log.object.acknowledge([1])
    expect(await log.next().placed([leaf('b')])).toEqual([1])
    await expectRoll(log)
  })

  it('with twenty closers and twenty callers has one end, and every leaf is in one log once', async () => {
    const log = new TestLog()
    await log.placed([leaf('first')])
    const racing = Array.from({ length: 20 }, (_, i) => [close(log), log.submit([leaf(i)])] as const)
    const ends = await Promise.all(racing.map(([end]) => end))
    expect(ends).toEqual(Array.from({ length: 20 }, () => ends[0]))
    const answers = await Promise.all(racing.map(([, answer]) => answer))
    const late = answers.flatMap((answer, i) => (answer.ok ? [] : [leaf(i)]))
    if (late.length > 0) await log.next().placed(late)
    const lines = [...(await log.lines()), ...(await log.next().lines())]
    expect(lines.filter((line) => line.includes('"leaf"')).toSorted()).toEqual(
      [leaf('first'), ...leaves(0, 20)].map(({ entry }) => entry).toSorted(),
    )
    await expectRoll(log)
  })
})

describe('a crash of a roll', () => {
  // The head of the closing batch, its tile and its bundle, and the opening of the next log.
  const steps = Array.from({ length: 4 }, (_, nth) => nth).flatMap((nth) =>
    (['before', 'after'] as const).map((when) => [nth, when] as const),
  )

  it.each(steps)('at write %i to R2 (%s it) ends the log once', async (nth, when) => {
    const log = new TestLog()
    await log.placed(leaves(0, 10))
    const crashed = log.restarted({ bucket: failingAt(nth, when) }, (object) => object.close(nextOf(log)))
    await expect(crashed).rejects.toThrow()
    const decided = await log.decided()
    expect(await log.restarted({}, (object) => object.close(nextOf(log)))).toMatchObject(closed)
    expect((await log.decided()).slice(0, decided.length)).toEqual(decided)
    await log.restarted({}, (object) => object.head())
    await expectRoll(log)
  })

  it('between R2 and SQLite is caught up with before anything is taken', async () => {
    const log = new TestLog()
    await log.placed([leaf('a')])
    await log.query(`CREATE TRIGGER killed BEFORE UPDATE ON log BEGIN SELECT RAISE(ABORT, 'canary'); END`)
    await expect(log.restarted({}, (object) => object.close(nextOf(log)))).rejects.toThrow('canary')
    await log.query('DROP TRIGGER killed')
    expect(await log.restarted({}, (object) => object.submit(Date.now(), [leaf('b')]))).toMatchObject({
      error: { reason: 'log_closed', placed: [] },
    })
    await expectRoll(log)
  })

  it('that a restore has undone is taken again', async () => {
    const log = new TestLog()
    await log.placed([leaf('a')])
    const saved = await log.saved()
    await close(log)
    await log.restore(saved)
    await log.query('UPDATE log SET next = NULL, final = NULL')
    expect(await log.restarted({}, (object) => object.submit(Date.now(), [leaf('b')]))).toMatchObject({
      error: { reason: 'log_closed', placed: [] },
    })
    await expectRoll(log)
  })

  it('that left two objects of one log ends it once', async () => {
    const log = new TestLog()
    await log.placed([leaf('a')])
    const other = { log: log.name.replace('/first', '/other/next'), keyVersion: 1 }
    const [one, two] = await Promise.all([
      log.twin((object) => object.close(other)),
      log.restarted({}, (object) => object.close(nextOf(log))),
    ])
    expect([one, two].filter(({ ok }) => ok)).toHaveLength(1)
    expect((await log.lines()).filter((line) => line.includes('"close"'))).toHaveLength(1)
    const opened = await Promise.all([log.next(), new TestLog(other.log)].map(({ files }) => files.opening()))
    expect(opened.filter((opening) => opening !== null)).toHaveLength(1)
  })
})

describe('a log that is not the first of its series', () => {
  it('is not opened by asking for it, and nothing is left of that', async () => {
    const log = new TestLog()
    await log.object.head()
    await expect(log.next().restarted({}, (object) => object.head())).rejects.toThrow('log is unavailable')
    expect(await log.next().query("SELECT name FROM sqlite_master WHERE name = 'head'")).toEqual([])
    expect(await log.next().keys()).toEqual([])
  })

  it('is not founded beside another one by the configuration', async () => {
    const log = new TestLog()
    await log.object.head()
    const beside = new TestLog(log.name.replace('/first', '/second'))
    await expect(beside.restarted({}, (object) => object.head())).rejects.toThrow('log is unavailable')
  })
})
