import { env } from 'cloudflare:workers'
import { TIER_BUDGETS } from '@svc/protocol/pay/tiers'
import { describe, expect, it } from 'vitest'
import { caller } from '../harness.ts'
import { kept, leave } from './budget.fixture.ts'

const LIMIT = TIER_BUDGETS.notes.keypointBytes
const blob = (length: number) => crypto.getRandomValues(new Uint8Array(length))
const objects = async () => (await env.BLOBS.list({ prefix: 'keypoints/' })).objects.length

describe('the budget of keypoints', () => {
  it('counts each blob once for each identity, until it is deleted', async () => {
    const [alice, bob] = [await caller(), await caller()]
    const bytes = blob(5_000)
    const { hash } = await alice.client.provenance.uploadKeypoints(bytes)
    await alice.client.provenance.uploadKeypoints(bytes)
    await bob.client.provenance.uploadKeypoints(bytes)
    await bob.client.provenance.uploadKeypoints(blob(1))
    expect([await kept(alice, 'keypointBytes'), await kept(bob, 'keypointBytes')]).toEqual([5_000, 6_024])
    await alice.client.provenance.deleteKeypoints(hash)
    expect([await kept(alice, 'keypointBytes'), await kept(bob, 'keypointBytes')]).toEqual([0, 6_024])
  })

  it('refuses what does not fit, and stores nothing of it', async () => {
    const owner = await caller()
    await leave(owner, 'keypointBytes', 1_999)
    const before = await objects()
    await expect(owner.client.provenance.uploadKeypoints(blob(2_000))).rejects.toMatchObject({
      status: 402,
      error: 'budget_exhausted',
      details: { budget: 'keypointBytes', used: LIMIT - 1_999, limit: LIMIT, tier: 'notes' },
    })
    expect(await objects()).toBe(before)
    await owner.client.provenance.uploadKeypoints(blob(1_999))
    expect(await kept(owner, 'keypointBytes')).toBe(LIMIT)
  })

  it('lets as many of twenty at once in as fit', async () => {
    const owner = await caller()
    await leave(owner, 'keypointBytes', 3 * 2_000 + 500)
    const before = await objects()
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, () => owner.client.provenance.uploadKeypoints(blob(2_000))),
    )
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
    expect(await kept(owner, 'keypointBytes')).toBe(LIMIT - 500)
    expect(await objects()).toBe(before + 3)
  })
})
