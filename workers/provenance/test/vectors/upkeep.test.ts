import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { databaseWith } from '../database.fixture.ts'
import { caller } from '../harness.ts'
import { sweepAt } from '../sweep.fixture.ts'
import {
  matchesOf,
  query,
  queryOf,
  register,
  registered,
  registrationOf,
  setsOf,
  textOf,
} from '../text/text.fixture.ts'
import { RecordedVectorize } from './vectorize.fixture.ts'

const HOUR = 3_600_000
const MINUTE = 60_000

/** A text that Vectorize has accepted, and a look for it. */
async function accepted(seed: string) {
  const [by, recorded] = [await caller(), new RecordedVectorize()]
  const replaced = { TEXT_VECTORS: recorded }
  const body = registrationOf(textOf(seed, 60))
  registered(await register(by, body, { replaced }))
  const found = async () => matchesOf(await query(queryOf(textOf(seed, 60)), undefined, { replaced })).count
  const idsOfSet = async () => {
    const { results } = await env.DB.prepare('SELECT max(id) AS id FROM vector_sets').all<{ id: number }>()
    return recorded.ids.filter((id) => id.startsWith(`${results[0]?.id}:`))
  }
  return { by, recorded, replaced, body, found, idsOfSet }
}
const removals = () => env.DB.prepare('SELECT count(*) AS n FROM vector_removals').first<number>('n')
/** Each test has an index of its own, and the sets of earlier ones are none of its business. */
const forgetOthers = () =>
  env.DB.batch(['vector_sets', 'vector_removals'].map((t) => env.DB.prepare(`DELETE FROM ${t}`)))

describe('what an index has accepted', () => {
  it('is looked for later, and put again if the mutation failed', async () => {
    await forgetOthers()
    const { recorded, replaced, body, found } = await accepted('failed')
    recorded.fail()
    await sweepAt(Date.now() + 5 * MINUTE, replaced)
    recorded.settle()
    expect(await found()).toBe(0)
    await sweepAt(Date.now() + 11 * MINUTE, replaced)
    recorded.settle()
    expect(await found()).toBe(1)
    expect((await setsOf(body.asset_id)).results).toMatchObject([{ check_at: expect.any(Number) }])
    await sweepAt(Date.now() + HOUR, replaced)
    expect((await setsOf(body.asset_id)).results).toMatchObject([{ check_at: null }])
    const sent = recorded.upserts.length
    await sweepAt(Date.now() + 3 * HOUR, replaced)
    expect(recorded.upserts).toHaveLength(sent)
  })

  it('is put by the next run when the index failed while it was registered', async () => {
    await forgetOthers()
    const [by, recorded] = [await caller(), new RecordedVectorize()]
    const text = textOf('unsent', 60)
    const down = Object.assign(new RecordedVectorize(), { upsert: () => Promise.reject(new Error('down')) })
    registered(await register(by, registrationOf(text), { replaced: { TEXT_VECTORS: down } }))
    const replaced = { TEXT_VECTORS: recorded }
    await sweepAt(Date.now(), { TEXT_VECTORS: down })
    await sweepAt(Date.now() + 2 * HOUR, replaced)
    recorded.settle()
    expect(matchesOf(await query(queryOf(text), undefined, { replaced })).count).toBe(1)
  })

  it('and cannot be put does not keep the others waiting', async () => {
    await forgetOthers()
    const { recorded, replaced, found } = await accepted('behind')
    recorded.fail()
    const insert = env.DB.prepare(
      "INSERT INTO vector_sets (service, asset_id, did, body_key) VALUES ('text', ?, '', 'gone')",
    )
    await env.DB.batch(Array.from({ length: 70 }, (_, i) => insert.bind(`lost-${i}`)))
    for (let hours = 1; hours < 10; hours++) await sweepAt(Date.now() + HOUR / 2 + hours, replaced)
    recorded.settle()
    expect(await found()).toBe(1)
  })
})

describe('the vectors of a deleted text', () => {
  it('are taken out of the index, again when that failed, until none is found', async () => {
    await forgetOthers()
    const { by, recorded, replaced, body, idsOfSet } = await accepted('deleted')
    recorded.settle()
    const ids = await idsOfSet()
    expect(ids.length).toBeGreaterThan(0)
    await by.client.provenance.deleteText(body.asset_id)
    await sweepAt(Date.now(), replaced)
    recorded.fail()
    await sweepAt(Date.now() + HOUR + 1, replaced)
    expect(recorded.ids).toEqual(ids)
    recorded.settle()
    expect(recorded.ids).toEqual([])
    expect(await removals()).toBe(1)
    await sweepAt(Date.now() + 2 * HOUR + 2, replaced)
    expect(await removals()).toBe(0)
    const { deletions } = recorded
    await sweepAt(Date.now() + 4 * HOUR, replaced)
    expect(recorded.deletions).toBe(deletions)
  })

  it('are taken out although they arrived after the deletion', async () => {
    await forgetOthers()
    const [by, recorded] = [await caller(), new RecordedVectorize()]
    const body = registrationOf(textOf('late', 60))
    // Deleted, and taken out for the first time, while the index is being written.
    const late = Object.assign(new RecordedVectorize(), {
      upsert: async (vectors: VectorizeVector[]) => {
        await by.client.provenance.deleteText(body.asset_id)
        await sweepAt(Date.now(), { TEXT_VECTORS: recorded })
        recorded.settle()
        return recorded.upsert(vectors)
      },
    })
    await register(by, body, { replaced: { TEXT_VECTORS: late } })
    recorded.settle()
    expect(recorded.ids.length).toBeGreaterThan(0)
    for (const hours of [1, 2, 3]) {
      await sweepAt(Date.now() + hours * HOUR + hours, { TEXT_VECTORS: recorded })
      recorded.settle()
    }
    expect([recorded.ids, await removals()]).toEqual([[], 0])
  })

  it('are taken out although the process ended before it said that they are in', async () => {
    await forgetOthers()
    const [by, recorded] = [await caller(), new RecordedVectorize()]
    const body = registrationOf(textOf('ended', 60))
    const ended = databaseWith((sql, work) =>
      sql.includes('SET indexed_at') ? Promise.reject(new Error('ended')) : work(),
    )
    registered(await register(by, body, { replaced: { ...ended, TEXT_VECTORS: recorded } }))
    recorded.settle()
    expect(recorded.ids.length).toBeGreaterThan(0)
    await by.client.provenance.deleteText(body.asset_id)
    await sweepAt(Date.now(), { TEXT_VECTORS: recorded })
    recorded.settle()
    expect(recorded.ids).toEqual([])
  })

  it('make room in the embedded index', async () => {
    const by = await caller()
    const body = registrationOf(textOf('embedded', 200))
    const room = () => env.VECTOR_INDEX.getByName('text').room()
    for (let hours = 0; hours < 4; hours++) await sweepAt(Date.now() + hours * HOUR)
    const before = await room()
    registered(await register(by, body))
    expect(await room()).toBeLessThan(before)
    await by.client.provenance.deleteText(body.asset_id)
    await sweepAt(Date.now() + 10 * HOUR)
    expect(await room()).toBe(before)
  })
})
