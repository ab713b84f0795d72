import { env } from 'cloudflare:workers'
import { TIER_BUDGETS } from '@svc/protocol/pay/tiers'
import { expectRefusal } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import { register, signed, units } from '../capsules/capsules.fixture.ts'
import { caller } from '../harness.ts'
import { keptCapsules, leaveCapsules } from './budget.fixture.ts'

const LIMIT = TIER_BUDGETS.notes.capsules
const bodies = async () => (await env.BLOBS.list({ prefix: 'capsules/' })).objects.length

describe('the budget of capsules', () => {
  it('counts a registration until it is deleted', async () => {
    const owner = await caller()
    const sent = await signed(owner)
    await register(owner, sent)
    await register(owner, sent)
    expect(await keptCapsules(owner)).toBe(1)
    await owner.client.provenance.deleteCapsule(sent.capsule.assetId)
    expect(await keptCapsules(owner)).toBe(0)
  })

  it('refuses what does not fit, for no unit, and stores nothing of it', async () => {
    const owner = await caller()
    const sent = await signed(owner)
    await leaveCapsules(owner, 0)
    const before = await bodies()
    const refused = await register(owner, sent)
    expectRefusal(refused, 'budget_exhausted')
    expect(refused.body).toMatchObject({ details: { budget: 'capsules', used: LIMIT, limit: LIMIT, tier: 'notes' } })
    expect(await units(owner)).toEqual({ used: 0, reserved: 0 })
    expect(await bodies()).toBe(before)
  })

  it('lets as many of twenty at once in as fit', async () => {
    const owner = await caller()
    const sent = await Promise.all(Array.from({ length: 20 }, () => signed(owner)))
    await leaveCapsules(owner, 3)
    const answers = await Promise.all(sent.map((one) => register(owner, one)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3)
    expect(await keptCapsules(owner)).toBe(LIMIT)
    expect(await units(owner)).toEqual({ used: 3, reserved: 0 })
  })

  it('is that of the tier, as soon as there is one', async () => {
    const owner = await caller()
    const [first, second] = [await signed(owner), await signed(owner)]
    await leaveCapsules(owner, 0)
    const standing = { tier: 'atelier', source: 'licence', from: 0, until: null, planUntil: null }
    const pay = new Proxy(env.PAY, {
      get: (target, name) => (name === 'standing' ? async () => standing : Reflect.get(target, name).bind(target)),
    })
    expect((await register(owner, first, { replaced: { PAY: pay } })).status).toBe(200)
    const down = new Proxy(env.PAY, {
      get: (target, name) => {
        if (name === 'standing') throw new Error('down')
        return Reflect.get(target, name).bind(target)
      },
    })
    expectRefusal(await register(owner, second, { replaced: { PAY: down } }), 'dependency_unavailable')
    expect(await units(owner)).toEqual({ used: 1, reserved: 0 })
  })
})
