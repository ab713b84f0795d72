import { env } from 'cloudflare:workers'
import { expectRefusal, Prober } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import { service } from '../../src/app.ts'
import { MAX_VECTORS, UNDER_WAY } from '../../src/vectors/vectorize-index.ts'
import { register as registerCapsule, signed } from '../capsules/capsules.fixture.ts'
import { BASE, caller, sendWith } from '../harness.ts'
import { objectsAndNames } from '../sweep.fixture.ts'
import { register, registered, registrationOf, rowOf, textOf, units } from '../text/text.fixture.ts'
import { RecordedVectorize } from './vectorize.fixture.ts'

/** Vectorize that says it holds so many more. */
function holding(vectors: number): RecordedVectorize {
  const recorded = new RecordedVectorize()
  const tell = recorded.describe.bind(recorded)
  return Object.assign(recorded, {
    describe: async () => {
      const info = await tell()
      return { ...info, vectorCount: info.vectorCount + vectors }
    },
  })
}
const FULL = MAX_VECTORS - UNDER_WAY
const healthOf = async (replaced: object) =>
  (await new Prober({ service, base: BASE, send: sendWith(replaced) }).send({ method: 'GET', path: '/health' })).body

describe('a full index', () => {
  it('refuses a text before anything is written, as a whole and a duplicate too', async () => {
    const by = await caller()
    const sent = registrationOf(textOf('full', 300))
    const before = await objectsAndNames()
    for (const TEXT_VECTORS of [holding(FULL), holding(FULL - sent.chunks.length + 1)])
      expectRefusal(await register(by, sent, { replaced: { TEXT_VECTORS } }), 'index_full')
    expect([await rowOf(sent.asset_id), await objectsAndNames()]).toEqual([null, before])
    expect(await units(by)).toEqual({ used: 0, reserved: 0 })
    const TEXT_VECTORS = holding(FULL - sent.chunks.length)
    expect(registered(await register(by, sent, { replaced: { TEXT_VECTORS } })).duplicate).toBe(false)
    TEXT_VECTORS.settle()
    expectRefusal(await register(by, sent, { replaced: { TEXT_VECTORS } }), 'index_full')
  })

  it('refuses a capsule with vectors of its kind, and no other', async () => {
    const by = await caller()
    const before = await objectsAndNames()
    const replaced = { FRAGMENT_VECTORS: holding(FULL) }
    const sent = await signed(by)
    const withVectors = (kind: string) => ({ ...sent, vectors: { [kind]: [Array(256).fill(1)] } })
    expectRefusal(await registerCapsule(by, withVectors('fragment'), { replaced }), 'index_full')
    expect(await objectsAndNames()).toEqual(before)
    expect(await units(by)).toEqual({ used: 0, reserved: 0 })
    expect((await registerCapsule(by, withVectors('semantic'), { replaced })).status).toBe(200)
  })

  it('fails the check of vectors in the health of the service', async () => {
    expect(await healthOf({ VIDEO_VECTORS: holding(FULL - 1) })).toMatchObject({
      data: { checks: { vectors: { ok: true } } },
    })
    expect(await healthOf({ VIDEO_VECTORS: holding(FULL) })).toMatchObject({
      details: { checks: { vectors: { ok: false } } },
    })
  })

  it('has room left for twenty registrations that were admitted at once', async () => {
    const recorded = holding(FULL - 60)
    const everybody = await Promise.all(Array.from({ length: 20 }, () => caller()))
    const answers = await Promise.all(
      everybody.map((by, i) =>
        register(by, registrationOf(textOf(`under way ${i}`, 60)), { replaced: { TEXT_VECTORS: recorded } }),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
    const { results } = await env.DB.prepare(
      'SELECT count(*) AS n FROM vector_sets WHERE indexed_at IS NULL AND service = ?',
    )
      .bind('text')
      .all()
    expect(results).toEqual([{ n: 0 }])
  })
})
