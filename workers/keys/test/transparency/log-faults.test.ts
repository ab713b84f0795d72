import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import type { AuditAnswer, CheckpointAnswer } from '@svc/protocol/keys/transparency'
import { expectRefusal } from '@svc/service/testing'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { edgeKeys } from '../../src/transparency/rules.ts'
import { call, dataOf } from '../harness.ts'
import { LOG, leavesOf, log, opened, restarted, sequence } from './log.fixture.ts'

beforeAll(opened)
afterEach(() => {
  vi.useRealTimers()
})

/** The bucket, in which some writes fail: before they are done, or after. */
function failing(fails: (key: string, nth: number) => boolean, when: 'before' | 'after'): Pick<Env, 'TILES'> {
  let writes = 0
  const put = async (key: string, value: ArrayBuffer | string) => {
    const isFailing = fails(key, writes++)
    if (isFailing && when === 'before') throw new Error('canary: R2 is down')
    const written = await env.TILES.put(key, value)
    if (isFailing) throw new Error('canary: R2 is down')
    return written
  }
  const TILES = new Proxy(env.TILES, {
    get: (bucket, name) => {
      const member: unknown = name === 'put' ? put : Reflect.get(bucket, name)
      return typeof member === 'function' && name !== 'put' ? member.bind(bucket) : member
    },
  })
  return { TILES }
}

const checkpoint = async () =>
  dataOf<CheckpointAnswer>(await call(null, 'GET', '/api/transparency/checkpoint')).checkpoint.statement

/** That what the log shows is there: every leaf proves, and the log extends what it was. */
async function expectWhole(size: number, earlier: number): Promise<void> {
  expect((await checkpoint()).size).toBe(size)
  // What the object remembers of the log’s edge is what one that starts anew reads from storage.
  expect(await restarted({}, async (object) => object.head())).toEqual(await log().head())
  if (earlier > 0) dataOf<AuditAnswer>(await call(null, 'GET', `/api/transparency/audit/${earlier}-${size}`))
  for (let bundle = Math.floor(earlier / 256); bundle * 256 < size; bundle++) {
    const { entries } = dataOf<{ entries: string[] }>(await call(null, 'GET', `/api/transparency/entries/${bundle}`))
    expect(entries).toHaveLength(Math.min(256, size - bundle * 256))
    for (const line of [entries[0]!, entries.at(-1)!]) {
      const { kind, label, statementHash } = JSON.parse(line) as { kind: string; label: string; statementHash: string }
      if (kind === 'update') dataOf(await call(null, 'GET', `/api/transparency/proof/${label}-${statementHash}`))
    }
  }
}

describe('a crash while a batch is made', () => {
  let next = 0
  const submitted = async (count: number) => {
    await log().submit(leavesOf(next, count))
    next += count
  }

  it('before its tiles, between them and after all of them shows the old head, and loses nothing', async () => {
    const ways: ((key: string, nth: number) => boolean)[] = [
      ...[0, 1, 2, 3].map((first) => (_: string, nth: number) => nth >= first),
      (key) => key.startsWith(`${LOG}/tile/`),
      (key) => key.startsWith(`${LOG}/entries/`),
    ]
    for (const when of ['before', 'after'] as const) {
      for (const fails of ways) {
        const before = await log().head()
        await submitted(300)
        const left = await restarted(failing(fails, when), async (object) => {
          await object.alarm()
          return object.head()
        })
        expect(left).toEqual(before)
        expect(await checkpoint()).toMatchObject({ size: before.size, root: before.root })
        // More comes in before the next attempt: the batch that is made again begins with the same leaves.
        await submitted(3)
        await sequence()
        await expectWhole(before.size + 303, before.size)
      }
    }
  }, 60_000)

  it('at the commit leaves the old head over the new tiles', async () => {
    const before = await checkpoint()
    await submitted(10)
    const inLog = (sql: string) => runInDurableObject(log(), (_, { storage }) => void storage.sql.exec(sql))
    await inLog(`CREATE TRIGGER killed BEFORE INSERT ON leaves BEGIN SELECT RAISE(ABORT, 'canary: killed'); END`)
    await sequence()
    expect(await checkpoint()).toMatchObject({ size: before.size, root: before.root })
    await inLog('DROP TRIGGER killed')
    await sequence()
    await expectWhole(before.size + 10, before.size)
  }, 30_000)

  it('after the commit makes the batch once', async () => {
    const before = await checkpoint()
    await submitted(10)
    await sequence()
    await log().submit(leavesOf(next - 10, 10))
    // Nothing waits, so no batch is made of it: the alarm is at most for tiles that are to go.
    const alarm = await runInDurableObject(log(), (_, { storage }) => storage.getAlarm())
    expect(alarm ?? Number.POSITIVE_INFINITY).toBeGreaterThan(Date.now() + 5_000)
    await sequence()
    await expectWhole(before.size + 10, before.size)
  }, 30_000)
})

describe('the tiles', () => {
  it('that a longer one has replaced go after five minutes, and nothing that is shown goes with them', async () => {
    const keys = async () => {
      const { objects } = await env.TILES.list({ limit: 1000 })
      return objects.map(({ key }) => key).filter((key) => key.includes('.p/'))
    }
    const partial = (size: number) => `${LOG}/entries/${Math.floor(size / 256)}.p/${size % 256}`
    const before = await checkpoint()
    await log().submit(leavesOf(10_000, 5))
    await sequence()
    const { size } = await checkpoint()
    // A reader who asked for the head just before the batch still finds its tiles.
    expect(await keys()).toEqual(expect.arrayContaining([partial(before.size), partial(size)]))
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 301_000 })
    await restarted({}, (object) => object.alarm())
    const left = await keys()
    expect(left).not.toContain(partial(before.size))
    // Neither is there anything of the attempts above that came to nothing.
    expect(left.filter((key) => key.startsWith(LOG)).toSorted()).toEqual(edgeKeys(LOG, size).toSorted())
    await expectWhole(size, 1)
  }, 30_000)

  it('that are missing are 503 and never an answer', async () => {
    const { size } = await checkpoint()
    const [{ leafId } = { leafId: '' }] = leavesOf(10_000, 1)
    const gone = { TILES: { get: async () => null } }
    const down = { TILES: { get: () => Promise.reject(new Error('canary: R2 is down')) } }
    for (const replaced of [gone, down]) {
      for (const path of [`proof/${leafId}`, 'audit/1', `entries/0`]) {
        expectRefusal(await call(null, 'GET', `/api/transparency/${path}`, { replaced }), 'dependency_unavailable')
      }
    }
    expect((await checkpoint()).size).toBe(size)
  })
})

describe('when the log cannot be reached', () => {
  const NO_LOG = {
    TRANSPARENCY_LOG: { getByName: () => new Proxy({}, { get: () => () => Promise.reject(new Error('canary')) }) },
  }

  it('its routes answer 503', async () => {
    for (const path of ['checkpoint', 'audit/1', `proof/${'0'.repeat(64)}-${'0'.repeat(96)}`, 'entries/0']) {
      const answer = await call(null, 'GET', `/api/transparency/${path}`, { replaced: NO_LOG })
      expectRefusal(answer, 'dependency_unavailable')
    }
  })

  it('without its key it signs nothing, and a prekey is not reserved', async () => {
    const replaced = { DIRECTORY_LOG_SEED: '' }
    expectRefusal(await call(null, 'GET', '/api/transparency/checkpoint', { replaced }), 'log_unavailable')
    expectRefusal(await call(null, 'GET', '/api/transparency/audit/1', { replaced }), 'log_unavailable')
  })
})
