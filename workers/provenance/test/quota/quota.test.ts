import { env } from 'cloudflare:workers'
import { err, ok, type Result } from '@svc/protocol/base/result'
import { coreAnswering } from '@svc/service/testing'
import { describe, expect, it, vi } from 'vitest'
import { metered } from '../../src/quota/rules.ts'
import { createRuntime } from '../../src/services.ts'
import { caller } from '../harness.ts'

const { quota } = createRuntime(env).deps
const quotaWith = (answer: Parameters<typeof coreAnswering>[0]) =>
  createRuntime({ ...env, PAY: coreAnswering(answer) }).deps.quota
const done = async () => ok(undefined)
const steps = { prepare: done, complete: async () => ok('done') }
const failed = err({ reason: 'full' as const })

async function capsules(by: Awaited<ReturnType<typeof caller>>): Promise<number> {
  const meter = (await by.client.quota.meters()).find(({ kind }) => kind === 'capsule')
  return (meter?.used ?? 0) + (meter?.reserved ?? 0)
}

describe('a metered registration', () => {
  it('counts one unit, and none again under the same name', async () => {
    const by = await caller()
    const unit = { did: by.identity.did, key: 'capsule:a' }
    expect(await metered(quota, unit, steps)).toEqual(ok('done'))
    expect(await metered(quota, unit, steps)).toEqual(ok('done'))
    expect(await capsules(by)).toBe(1)
    await metered(quota, { ...unit, key: 'capsule:b' }, steps)
    expect(await capsules(by)).toBe(2)
  })

  it('counts one unit for twenty at once under one name', async () => {
    const by = await caller()
    const unit = { did: by.identity.did, key: 'capsule:a' }
    const all = await Promise.all(Array.from({ length: 20 }, () => metered(quota, unit, steps)))
    expect(all).toEqual(Array(20).fill(ok('done')))
    expect(await capsules(by)).toBe(1)
  })

  it('writes nothing once the tier allows no more, and says how the meter stands', async () => {
    const by = await caller()
    for (let i = 0; i < 20; i += 1) await metered(quota, { did: by.identity.did, key: `capsule:${i}` }, steps)
    const prepare = vi.fn(done)
    expect(await metered(quota, { did: by.identity.did, key: 'capsule:more' }, { ...steps, prepare })).toEqual(
      err({ reason: 'exhausted', kind: 'capsule', used: 20, limit: 20, tier: 'notes' }),
    )
    expect(prepare).not.toHaveBeenCalled()
  })

  it.each<[string, () => Promise<Result<void, { reason: 'full' }>>]>([
    ['is refused', async () => failed],
    ['throws', () => Promise.reject(new Error('gone'))],
  ])('lets go of the unit when what it writes %s', async (_, prepare) => {
    const by = await caller()
    const complete = vi.fn(steps.complete)
    const outcome = metered(quota, { did: by.identity.did, key: 'capsule:a' }, { prepare, complete })
    expect(await outcome.catch(() => failed)).toEqual(failed)
    expect(complete).not.toHaveBeenCalled()
    expect(await capsules(by)).toBe(0)
  })

  it('keeps the unit for the retry when it cannot be completed', async () => {
    const by = await caller()
    const unit = { did: by.identity.did, key: 'capsule:a' }
    expect(await metered(quota, unit, { ...steps, complete: async () => failed })).toEqual(failed)
    expect(await capsules(by)).toBe(1)
    expect(await metered(quota, unit, steps)).toEqual(ok('done'))
    expect(await capsules(by)).toBe(1)
  })
})

describe('when pay', () => {
  const unit = { did: `did:svc:${'A'.repeat(32)}`, key: 'capsule:a' }
  const named = (error: string, status: number) => async () => Response.json({ success: false, error }, { status })

  it.each([
    ['throws', () => Promise.reject(new Error('gone'))],
    ['answers 500', named('internal_error', 500)],
    ['answers 403', named('forbidden', 403)],
    ['remembers no more keys', named('quota_key_limit', 409)],
    ['answers what is not JSON', async () => new Response('<html>')],
    ['answers yes', async () => Response.json({ ok: true })],
    [
      'answers a state that nobody asked for',
      async () => Response.json({ state: 'released', kind: 'capsule', amount: 1, expiresAt: 1 }),
    ],
  ])('%s, nothing is written', async (_, answer) => {
    const prepare = vi.fn(done)
    expect(await metered(quotaWith(answer), unit, { ...steps, prepare })).toMatchObject({
      ok: false,
      error: { reason: 'unavailable' },
    })
    expect(prepare).not.toHaveBeenCalled()
  })

  it.each(['throws', 'has let go of the unit', 'answers another state'])(
    '%s at the end, nothing is completed and the unit is let go of',
    async (how) => {
      const asked: string[] = []
      const complete = vi.fn(steps.complete)
      const fickle = quotaWith(async (request) => {
        const { pathname } = new URL(request.url)
        asked.push(pathname.replace('/api/internal/quota/', ''))
        if (!pathname.endsWith('/finalize')) return env.PAY.fetch(request)
        if (how === 'throws') throw new Error('gone')
        if (how === 'answers another state')
          return Response.json({ state: 'reserved', kind: 'capsule', amount: 1, expiresAt: 1 })
        return Response.json({ success: false, error: 'reservation_ended' }, { status: 409 })
      })
      const by = await caller()
      const mine = { did: by.identity.did, key: 'capsule:a' }
      expect(await metered(fickle, mine, { ...steps, complete })).toMatchObject({ error: { reason: 'unavailable' } })
      expect(asked).toEqual(['reserve', 'finalize', 'release'])
      expect(complete).not.toHaveBeenCalled()
      expect(await capsules(by)).toBe(0)
    },
  )
})
