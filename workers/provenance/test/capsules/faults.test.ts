import { env } from 'cloudflare:workers'
import { coreAnswering, expectRefusal } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import { caller } from '../harness.ts'
import { allRowsOf, bodyKeyOf, bucketsLosing, objectsAround } from './buckets.fixture.ts'
import { get, register, signed, units } from './capsules.fixture.ts'

const gone = () => Promise.reject(new Error('gone'))
/** Pay that is lost before or after one of its routes. */
const payLost = (when: 'before' | 'after', route: string) => ({
  PAY: coreAnswering(async (request) => {
    const isIt = request.url.endsWith(route)
    if (isIt && when === 'before') throw new Error('gone')
    const answer = await env.PAY.fetch(request)
    if (isIt) throw new Error('gone')
    return answer
  }),
})
const blobsLost = (when: 'before' | 'after') => ({
  BLOBS: {
    put: async (key: string, bytes: Uint8Array) => {
      if (when === 'after') await env.BLOBS.put(key, bytes)
      throw new Error('gone')
    },
  },
})

const ownersLosing = (when: 'before' | 'after') =>
  objectsAround('CAPSULE_OWNERS', async (method, work) => {
    if (method !== 'reserve') return work()
    if (when === 'after') await work()
    return gone()
  })

describe('a registration that is cut off', () => {
  it.each<[string, object, { used: number; reserved: number }]>([
    ['before the unit is held', payLost('before', '/reserve'), { used: 0, reserved: 0 }],
    ['once the unit is held', payLost('after', '/reserve'), { used: 0, reserved: 1 }],
    ['before its body is kept', blobsLost('before'), { used: 0, reserved: 0 }],
    ['once its body is kept', blobsLost('after'), { used: 0, reserved: 0 }],
    ['before it has room', ownersLosing('before'), { used: 0, reserved: 0 }],
    ['once it has room', ownersLosing('after'), { used: 0, reserved: 0 }],
    ['before it is admitted', bucketsLosing('admit', 'before'), { used: 0, reserved: 0 }],
    ['once it is admitted', bucketsLosing('admit', 'after'), { used: 0, reserved: 0 }],
    ['before the unit counts', payLost('before', '/finalize'), { used: 0, reserved: 0 }],
    ['once the unit counts', payLost('after', '/finalize'), { used: 1, reserved: 0 }],
    ['before it is completed', bucketsLosing('complete', 'before'), { used: 1, reserved: 0 }],
    ['once it is completed', bucketsLosing('complete', 'after'), { used: 1, reserved: 0 }],
  ])('%s is 503, and the same again completes it for one unit', async (when, replaced, left) => {
    const by = await caller()
    const sent = await signed(by)
    expectRefusal(await register(by, sent, { replaced }), 'dependency_unavailable')
    expect(await units(by)).toEqual(left)
    const seen = await get(`/api/capsule/${sent.capsule.assetId}`)
    expect(seen.status).toBe(when === 'once it is completed' ? 200 : 404)
    const again = await register(by, sent)
    expect(again).toMatchObject({ status: 200, body: { data: { duplicate: when === 'once it is completed' } } })
    expect(await units(by)).toEqual({ used: 1, reserved: 0 })
    expect(await register(by, sent)).toMatchObject({ body: { data: { duplicate: true } } })
    expect(await units(by)).toEqual({ used: 1, reserved: 0 })
  })

  it('gives way to another capsule of the same asset, which costs no second unit', async () => {
    const by = await caller()
    const file = new Uint8Array([1, 2, 3, ...crypto.getRandomValues(new Uint8Array(16))])
    const first = await signed(by, file)
    const second = await by.client.provenance.sign(file, { kind: 'image', mime: 'image/gif' })
    expectRefusal(
      await register(by, first, { replaced: bucketsLosing('complete', 'before') }),
      'dependency_unavailable',
    )
    expect((await register(by, second)).status).toBe(200)
    expectRefusal(await register(by, first), 'capsule_exists')
    expect(await units(by)).toEqual({ used: 1, reserved: 0 })
  })
})

describe('while pay', () => {
  it.each<[string, () => Promise<Response>]>([
    ['is gone', gone],
    ['answers 500', async () => Response.json({ error: 'internal_error' }, { status: 500 })],
    ['answers nonsense', async () => Response.json({ state: 'reserved' })],
  ])('%s, the answer is 503 and nothing is written', async (_, answer) => {
    const by = await caller()
    const sent = await signed(by)
    const before = [await allRowsOf('capsules'), await allRowsOf('loose')]
    expectRefusal(await register(by, sent, { replaced: { PAY: coreAnswering(answer) } }), 'dependency_unavailable')
    expect([await allRowsOf('capsules'), await allRowsOf('loose')]).toEqual(before)
  })
})

describe('a capsule that was registered', () => {
  it('costs nothing and needs no pay when it comes again', async () => {
    const by = await caller()
    const sent = await signed(by)
    await register(by, sent)
    expect(await register(by, sent, { replaced: { PAY: coreAnswering(gone) } })).toMatchObject({ status: 200 })
  })

  it.each<[string, (key: string) => Promise<unknown>]>([
    ['is missing', (key) => env.BLOBS.delete(key)],
    ['was changed', (key) => env.BLOBS.put(key, '{}')],
  ])('is 503 when its body %s, and never another capsule', async (_, harm) => {
    const by = await caller()
    const { assetId } = await by.client.provenance.register(await signed(by))
    await harm(await bodyKeyOf(assetId))
    for (const path of [`capsule/${assetId}`, `capsule/${assetId}/verify`, `provenance/${assetId}/proof`])
      expectRefusal(await get(`/api/${path}`), 'dependency_unavailable')
  })

  it('is verified without core, and then nobody says how its key stands', async () => {
    const by = await caller()
    const { assetId } = await by.client.provenance.register(await signed(by))
    const CORE = coreAnswering(gone)
    const verified = await get(`/api/capsule/${assetId}/verify`, { CORE })
    expect(verified).toMatchObject({ status: 200, body: { data: { valid: true, keyStatus: null } } })
    const { body } = await get(`/api/provenance/${assetId}/proof`, { CORE })
    const { gaps } = (body as { data: { gaps: { gap: string }[] } }).data
    expect(gaps.map(({ gap }) => gap)).toContain('key_status_unavailable')
  })

  it.each(['find', 'claimed'])('is 503 and not 404 while its bucket is gone for "%s"', async (method) => {
    const id = `asset:sha3-384:${'0'.repeat(96)}`
    const path = method === 'find' ? `/api/capsule/${id}/verify` : `/api/capsule/${id}`
    expectRefusal(await get(path, bucketsLosing(method, 'before')), 'dependency_unavailable')
  })
})
