import { env } from 'cloudflare:workers'
import { type AuditEntry, policyIdOf } from '@svc/protocol/ledger/governance'
import type { TestCaller } from '@svc/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { call, freshCaller } from '../harness.ts'
import { forgetPolicies, found, freshSigners, policyOf, proposalOf, publish, trailOf } from './governance.fixture.ts'

const page = async (caller: TestCaller, query = '') => {
  const { body } = await call(caller, 'GET', `/api/governance/audit${query}`)
  return body['data'] as { items: AuditEntry[]; count: number; cursor: string | null }
}

/** Inserts rows as publications would, without all of their signatures. */
const addRows = (from: number, to: number) =>
  env.CONTROL_DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT ?1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
     INSERT INTO governance_policies
     SELECT i, 'policy-' || i, 'policy-' || (i - 1), '{}', 'n', '[]', '["signer-0"]', 1790000000000 + i, 'someone' FROM n`,
  )
    .bind(from, to)
    .run()

beforeEach(forgetPolicies)

describe('the audit trail', () => {
  it('names for each policy when it took effect, who sent it, its predecessor and its signers', async () => {
    const [caller, signers] = [await freshCaller(), await freshSigners(3)]
    const first = await found(policyOf(signers, { threshold: 2 }))
    const second = await proposalOf(policyOf(signers, { threshold: 1 }))
    expect((await publish(caller, second, [signers[2]!, signers[0]!])).status).toBe(200)
    const trail = await trailOf(caller)
    expect(trail).toEqual([
      {
        position: 1,
        at: expect.any(String),
        action: 'policy.activated',
        actor: expect.stringMatching(/^operator:[0-9a-f]{96}$/),
        policyId: first,
        signers: [],
      },
      {
        position: 2,
        at: expect.any(String),
        action: 'policy.activated',
        actor: caller.identity.did,
        policyId: policyIdOf(second),
        previousPolicyId: first,
        signers: ['signer-2', 'signer-0'],
      },
    ])
  })

  it('is append-only: every policy follows the one before it, and no entry changes', async () => {
    const [caller, signers] = [await freshCaller(), await freshSigners(1)]
    await found(policyOf(signers))
    let before: AuditEntry[] = []
    for (const n of [2, 3, 4]) {
      expect((await publish(caller, policyOf(signers, { meta: { n } }), signers)).status).toBe(200)
      const trail = await trailOf(caller)
      expect(trail).toHaveLength(n)
      expect(trail.slice(0, before.length)).toEqual(before)
      before = trail
    }
    expect(before.slice(1).map(({ previousPolicyId }) => previousPolicyId)).toEqual(
      before.slice(0, -1).map(({ policyId }) => policyId),
    )
    expect((await caller.client.governance.policy()).policyId).toBe(before.at(-1)?.policyId)
  })

  it('has no entry for a rejected publication', async () => {
    const [caller, signers] = [await freshCaller(), await freshSigners(2)]
    await found(policyOf(signers))
    expect((await publish(caller, policyOf(signers, { threshold: 1 }), signers.slice(1))).status).toBe(403)
    expect(await trailOf(caller)).toHaveLength(1)
  })

  it('has pages of fifty, without gaps or repetitions', async () => {
    const caller = await freshCaller()
    await addRows(1, 120)
    const first = await page(caller)
    expect(first).toMatchObject({ count: 50, cursor: '51' })
    const second = await page(caller, '?cursor=51')
    expect(second).toMatchObject({ count: 50, cursor: '101' })
    const third = await page(caller, '?cursor=101')
    expect(third).toMatchObject({ count: 20, cursor: null })
    const positions = [first, second, third].flatMap(({ items }) => items.map(({ position }) => position))
    expect(positions).toEqual(Array.from({ length: 120 }, (_, i) => i + 1))
    expect((await trailOf(caller)).map(({ position }) => position)).toEqual(positions)
  })

  it('ends at a full page without an empty one', async () => {
    const caller = await freshCaller()
    await addRows(1, 50)
    expect(await page(caller)).toMatchObject({ count: 50, cursor: null })
  })

  it('is stable for a reader while it grows', async () => {
    const caller = await freshCaller()
    await addRows(1, 60)
    const { cursor } = await page(caller)
    await addRows(61, 130)
    const next = await page(caller, `?cursor=${cursor}`)
    expect(next.items[0]?.position).toBe(51)
    expect(next).toMatchObject({ count: 50, cursor: '101' })
  })

  it.each([
    ['?limit=1', 1, '2'],
    ['?limit=0', 1, '2'],
    ['?limit=-7', 1, '2'],
    ['?limit=200', 200, '201'],
    ['?limit=201', 200, '201'],
    ['?limit=999999999999999', 200, '201'],
    ['?limit=7&cursor=200', 6, null],
    ['?cursor=0&limit=2', 2, '3'],
    ['?cursor=206', 0, null],
    ['?cursor=999999999999999', 0, null],
  ])('gives for %s a page of %i', async (query, count, cursor) => {
    const caller = await freshCaller()
    await addRows(1, 205)
    const answer = await page(caller, query)
    expect(answer).toMatchObject({ count, cursor })
    expect(answer.items).toHaveLength(count)
  })

  it.each(['?limit=1.5', '?limit=', '?limit=ten', '?limit=1e3', '?cursor=-1', '?cursor=x', '?cursor=', '?from=1'])(
    'refuses %s',
    async (query) => {
      expect(await call(await freshCaller(), 'GET', `/api/governance/audit${query}`)).toMatchObject({
        status: 400,
        body: { code: 'invalid_request' },
      })
    },
  )
})
