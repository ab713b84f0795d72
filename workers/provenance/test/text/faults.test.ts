import { env } from 'cloudflare:workers'
import { coreAnswering, expectRefusal } from '@svc/service/testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { caller } from '../harness.ts'
import { objectsAndNames } from '../sweep.fixture.ts'
import { act, reindexAct } from '../vectors/reindex.fixture.ts'
import {
  matchesOf,
  query,
  queryOf,
  register,
  registered,
  registrationOf,
  rowOf,
  setsOf,
  textOf,
  units,
} from './text.fixture.ts'

const gone = () => Promise.reject(new Error('canary: gone'))
const NO_INDEX = { VECTOR_INDEX: { getByName: () => new Proxy({}, { get: () => gone }) } }
/** It takes no vectors, after it said that it has room. */
const NO_PUT = {
  VECTOR_INDEX: {
    getByName: (name: string) => {
      const index = env.VECTOR_INDEX.getByName(name)
      return { put: gone, room: () => index.room() }
    },
  },
}
const FREE = { used: 0, reserved: 0 }
const ONE_USED = { used: 1, reserved: 0 }

/** Pay as it is, but for one step: answered for, or done and then not answered. */
function payFailing(step: 'reserve' | 'finalize' | 'release', when: 'before' | 'after') {
  return coreAnswering(async (request) => {
    if (!request.url.endsWith(`/quota/${step}`)) return env.PAY.fetch(request)
    if (when === 'after') await env.PAY.fetch(request)
    throw new Error('canary: gone')
  })
}

/** The real D1, except that batches with a statement containing `what` fail. */
function databaseFailing(what: string, when: 'before' | 'after') {
  const sqlOf = new WeakMap<object, string>()
  const guard = async <T>(sql: string, work: () => Promise<T>): Promise<T> => {
    if (!sql.includes(what)) return work()
    if (when === 'after') await work()
    return gone()
  }
  const wrapped = (statement: D1PreparedStatement, sql: string): D1PreparedStatement => {
    const proxy = new Proxy(statement, {
      get: (target, name) => {
        if (name === 'bind') return (...values: unknown[]) => wrapped(target.bind(...values), sql)
        if (name === 'first' || name === 'all' || name === 'run') return () => guard<unknown>(sql, () => target[name]())
        return Reflect.get(target, name) as unknown
      },
    })
    sqlOf.set(proxy, sql)
    originalOf.set(proxy, statement)
    return proxy
  }
  return {
    prepare: (sql: string) => wrapped(env.DB.prepare(sql), sql),
    batch: (statements: D1PreparedStatement[]) =>
      guard(statements.map((statement) => sqlOf.get(statement) ?? '').join(';'), () =>
        env.DB.batch(statements.map((statement) => originalOf.get(statement) ?? statement)),
      ),
  }
}
const originalOf = new WeakMap<object, D1PreparedStatement>()

describe('when pay fails around a registration of a text', () => {
  it('before a unit is held: 503, and nothing is registered', async () => {
    const by = await caller()
    const sent = registrationOf(textOf('p1', 40))
    for (const PAY of [payFailing('reserve', 'before'), coreAnswering(gone)]) {
      expectRefusal(await register(by, sent, { replaced: { PAY } }), 'dependency_unavailable')
      expect(await rowOf(sent.asset_id)).toBeNull()
      expect((await setsOf(sent.asset_id)).results).toEqual([])
      expect(await units(by)).toEqual(FREE)
    }
  })

  it.each(['before', 'after'] as const)(
    '%s the unit counts: 503, nobody sees it, and the retry costs one',
    async (when) => {
      const by = await caller()
      const text = textOf(`p2${when}`, 40)
      const sent = registrationOf(text)
      const replaced = { PAY: payFailing('finalize', when) }
      expectRefusal(await register(by, sent, { replaced }), 'dependency_unavailable')
      expect((await rowOf(sent.asset_id))?.['registered_at']).toBeNull()
      expect(matchesOf(await query(queryOf(text))).matches).toEqual([])
      expect(registered(await register(by, sent)).duplicate).toBe(false)
      expect(await units(by)).toEqual(ONE_USED)
    },
  )

  it('a duplicate is answered without it', async () => {
    const by = await caller()
    const sent = registrationOf(textOf('p3', 40))
    await register(by, sent)
    expect(registered(await register(by, sent, { replaced: { PAY: coreAnswering(gone) } })).duplicate).toBe(true)
  })
})

describe('when storage fails around a registration of a text', () => {
  it.each<[string, object]>([
    ['R2 takes no vectors', { BLOBS: { put: gone } }],
    ['D1 takes no claim', { DB: databaseFailing('INSERT INTO text_assets', 'before') }],
    ['D1 takes a claim and says nothing', { DB: databaseFailing('INSERT INTO text_assets', 'after') }],
  ])('%s: 503, the unit is let go of, and the retry registers', async (name, replaced) => {
    const by = await caller()
    const sent = registrationOf(textOf(name.replaceAll(' ', ''), 40))
    expectRefusal(await register(by, sent, { replaced }), 'dependency_unavailable')
    expect(await units(by)).toEqual(FREE)
    expect(registered(await register(by, sent)).duplicate).toBe(false)
    expect(await units(by)).toEqual(ONE_USED)
  })

  it.each(['before', 'after'] as const)(
    '%s the manifest is written: 503, and the retry costs nothing more',
    async (when) => {
      const by = await caller()
      const text = textOf(`d2${when}`, 40)
      const sent = registrationOf(text)
      const replaced = { DB: databaseFailing('UPDATE text_assets', when) }
      expectRefusal(await register(by, sent, { replaced }), 'dependency_unavailable')
      expect(await units(by)).toEqual(ONE_USED)
      expect(registered(await register(by, sent)).duplicate).toBe(when === 'after')
      expect(await units(by)).toEqual(ONE_USED)
      expect(matchesOf(await query(queryOf(text))).matches).toMatchObject([{ asset_id: sent.asset_id }])
    },
  )

  it('somebody else may have what was claimed and given up, and then it is theirs', async () => {
    const [first, second] = [await caller(), await caller()]
    const sent = registrationOf(textOf('claim', 40))
    const replaced = { PAY: payFailing('finalize', 'before') }
    expectRefusal(await register(first, sent, { replaced }), 'dependency_unavailable')
    expectRefusal(await register(second, sent), 'registration_pending')
    expect(await units(second)).toEqual(FREE)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 599_000 })
    onTestFinished(() => void vi.useRealTimers())
    expectRefusal(await register(second, sent), 'registration_pending')
    vi.setSystemTime(Date.now() + 2_000)
    expect(registered(await register(second, sent)).duplicate).toBe(false)
    expect(registered(await register(first, sent)).duplicate).toBe(true)
  })
})

describe('when the index fails between manifest and vectors', () => {
  it('the text is registered all the same, and the next reindex brings it in for nothing', async () => {
    const by = await caller()
    const text = textOf('i1', 60)
    const sent = registrationOf(text)
    expect(registered(await register(by, sent, { replaced: NO_PUT })).duplicate).toBe(false)
    expect((await setsOf(sent.asset_id)).results).toMatchObject([{ indexed_at: null }])
    expect(matchesOf(await query(queryOf(text))).matches).toEqual([])
    expect((await act(await reindexAct())).status).toBe(200)
    expect((await setsOf(sent.asset_id)).results).toMatchObject([{ indexed_at: expect.any(Number) }])
    expect(matchesOf(await query(queryOf(text))).matches).toMatchObject([{ asset_id: sent.asset_id, score: 1 }])
    expect(await units(by)).toEqual(ONE_USED)
  })

  it('the same registration again, by anybody, brings it in too', async () => {
    const [by, other] = [await caller(), await caller()]
    const text = textOf('i2', 60)
    const sent = registrationOf(text)
    await register(by, sent, { replaced: NO_PUT })
    expect(registered(await register(other, sent)).duplicate).toBe(true)
    expect(matchesOf(await query(queryOf(text))).matches).toMatchObject([{ asset_id: sent.asset_id }])
    expect(await units(other)).toEqual(FREE)
  })

  it('before anything is written: 503, nothing is registered or charged, and so is a duplicate', async () => {
    const by = await caller()
    const sent = registrationOf(textOf('i0', 60))
    const before = await objectsAndNames()
    for (const replaced of [NO_INDEX, { TEXT_VECTORS: { describe: gone } }])
      expectRefusal(await register(by, sent, { replaced }), 'dependency_unavailable')
    expect([await rowOf(sent.asset_id), await units(by), await objectsAndNames()]).toEqual([null, FREE, before])
    registered(await register(by, sent))
    expectRefusal(await register(by, sent, { replaced: NO_INDEX }), 'dependency_unavailable')
  })

  it('a query is 503 and never an empty answer', async () => {
    const body = queryOf(textOf('i3', 60))
    expectRefusal(await query(body, undefined, { replaced: NO_INDEX }), 'dependency_unavailable')
    const recorded = { TEXT_VECTORS: { query: gone } }
    expectRefusal(await query(body, undefined, { replaced: recorded }), 'dependency_unavailable')
  })

  it.each<[string, object]>([
    ['D1', { DB: databaseFailing('FROM vector_sets', 'before') }],
    ['D1, for manifests,', { DB: databaseFailing('FROM text_assets', 'before') }],
    ['R2', { BLOBS: { get: gone } }],
  ])('a query that finds something is 503 when %s cannot say what', async (name, replaced) => {
    const text = textOf(`i4${name.length}`, 60)
    await register(await caller(), registrationOf(text))
    expectRefusal(await query(queryOf(text), undefined, { replaced }), 'dependency_unavailable')
  })

  it('vectors that are not what their key says are not believed', async () => {
    const text = textOf('i5', 60)
    const sent = registrationOf(text)
    await register(await caller(), sent)
    const key = String((await rowOf(sent.asset_id))?.['body_key'])
    const bytes = await (await env.BLOBS.get(key))?.bytes()
    await env.BLOBS.put(
      key,
      Uint8Array.from(bytes ?? [], (byte, i) => (i === 40 ? byte ^ 1 : byte)),
    )
    expect(matchesOf(await query(queryOf(text))).matches).toEqual([])
  })
})
