import { env } from 'cloudflare:workers'
import { type PolicyProposal, policyIdOf } from '@svc/protocol/ledger/governance'
import type { TestCaller } from '@svc/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { databaseWith, failingAfter, failingBefore, gathering, interrupted } from '../database.fixture.ts'
import { CORE, call, freshCaller, sendWith } from '../harness.ts'
import {
  firstPolicyAct,
  forgetPolicies,
  found,
  freshSigners,
  policyOf,
  proposalOf,
  publish,
  sendAct,
  trailOf,
} from './governance.fixture.ts'

const RACERS = 20
const ACTIVATE = 'INSERT INTO governance_policies'
const publishers = () => Promise.all(Array.from({ length: RACERS }, () => freshCaller()))
const rows = () => env.CONTROL_DB.prepare('SELECT count(*) AS n FROM governance_policies').first('n')

beforeEach(forgetPolicies)

describe('twenty concurrent publications with one predecessor', () => {
  it('all checked before any was written: one wins, the others are stale', async () => {
    const [signers, callers] = [await freshSigners(2), await publishers()]
    const first = await found(policyOf(signers))
    const fetch = sendWith(gathering(ACTIVATE, RACERS))
    const proposals = await Promise.all(callers.map((_, n) => proposalOf(policyOf(signers, { meta: { n } }))))
    const answers = await Promise.all(proposals.map((proposal, i) => publish(callers[i]!, proposal, signers, fetch)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const lost = answers.filter(({ status, body }) => status === 409 && body['error'] === 'stale_policy')
    expect(lost).toHaveLength(RACERS - 1)
    const trail = await trailOf(callers[0]!)
    expect(trail).toHaveLength(2)
    expect(trail[1]?.previousPolicyId).toBe(first)
    const winner = callers[answers.findIndex(({ status }) => status === 200)]
    expect(trail[1]?.actor).toBe(winner?.identity.did)
  })

  it('each with other successors as signers: one set of them governs, in any order', async () => {
    const [signers, callers] = [await freshSigners(1), await publishers()]
    await found(policyOf(signers))
    const heirs = await Promise.all(callers.map(async () => proposalOf(policyOf(await freshSigners(1)))))
    const answers = await Promise.all(callers.map((caller, i) => publish(caller, heirs[i]!, signers)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const refusals = answers.filter(({ status }) => status !== 200).map(({ body }) => body['error'])
    expect(refusals.filter((error) => error !== 'stale_policy')).toEqual([])
    const winner = heirs[answers.findIndex(({ status }) => status === 200)]
    expect((await callers[0]!.client.governance.policy()).policy).toEqual(winner?.policy)
    expect(await rows()).toBe(2)
  })

  it('of the same policy: it takes effect once, and all succeed', async () => {
    const [signers, callers] = [await freshSigners(1), await publishers()]
    await found(policyOf(signers))
    const next = await proposalOf(policyOf(signers, { meta: { n: 2 } }))
    const fetch = sendWith(gathering(ACTIVATE, RACERS))
    const answers = await Promise.all(callers.map((caller) => publish(caller, next, signers, fetch)))
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(RACERS).fill(200))
    expect(new Set(answers.map(({ body }) => JSON.stringify(body['data']))).size).toBe(1)
    expect(await rows()).toBe(2)
  })
})

describe('a publication', () => {
  it('overtaken by another is stale, and leaves nothing', async () => {
    const [caller, signers] = [await freshCaller(), await freshSigners(1)]
    await found(policyOf(signers))
    const faster = await proposalOf(policyOf(signers, { meta: { n: 'faster' } }))
    const overtaken = sendWith(interrupted(ACTIVATE, () => publish(caller, faster, signers)))
    expect(await publish(caller, policyOf(signers, { meta: { n: 'slower' } }), signers, overtaken)).toMatchObject({
      status: 409,
      body: { error: 'stale_policy' },
    })
    expect((await caller.client.governance.policy()).policyId).toBe(policyIdOf(faster))
    expect(await rows()).toBe(2)
  })

  it('that took effect is answered with success, even if the next one followed at once', async () => {
    const [caller, signers] = [await freshCaller(), await freshSigners(1)]
    const first = await found(policyOf(signers))
    const second = await proposalOf(policyOf(signers, { meta: { n: 2 } }))
    const third = policyOf(signers, { meta: { n: 3 } })
    const followed = databaseWith(async (sql, work) => {
      const answer = await work()
      if (sql.includes(ACTIVATE)) await publish(caller, third, signers)
      return answer
    })
    expect(await publish(caller, second, signers, sendWith(followed))).toMatchObject({
      status: 200,
      body: { data: { policyId: policyIdOf(second), previousPolicyId: first } },
    })
    expect((await caller.client.governance.policy()).policy).toEqual(third)
  })
})

describe('when D1 fails', () => {
  const down = { status: 503, body: { success: false, error: 'dependency_unavailable' } }
  const afterwards = async (caller: TestCaller, policy: PolicyProposal) => {
    expect((await caller.client.governance.policy()).policyId).toBe(policyIdOf(policy))
    expect(await rows()).toBe(2)
  }

  it('before a policy is written, the old one stays and the same publication succeeds later', async () => {
    const [caller, signers] = [await freshCaller(), await freshSigners(1)]
    const first = await found(policyOf(signers))
    const next = await proposalOf(policyOf(signers, { meta: { n: 2 } }))
    expect(await publish(caller, next, signers, sendWith(failingBefore(ACTIVATE)))).toMatchObject(down)
    expect((await caller.client.governance.policy()).policyId).toBe(first)
    expect((await publish(caller, next, signers)).status).toBe(200)
    await afterwards(caller, next)
  })

  it('after it was written, the retry finds it in place', async () => {
    const [caller, signers] = [await freshCaller(), await freshSigners(1)]
    await found(policyOf(signers))
    const next = await proposalOf(policyOf(signers, { meta: { n: 2 } }))
    expect(await publish(caller, next, signers, sendWith(failingAfter(ACTIVATE)))).toMatchObject(down)
    expect((await publish(caller, next, signers)).status).toBe(200)
    await afterwards(caller, next)
  })

  it('a read fails, and is never answered as a deployment without a policy', async () => {
    const caller = await freshCaller()
    const broken = sendWith(failingBefore('FROM governance_policies'))
    for (const path of ['/api/governance/policy', '/api/governance/audit'])
      expect(await call(caller, 'GET', path, undefined, broken)).toMatchObject(down)
    const signers = await freshSigners(1)
    expect(await publish(caller, policyOf(signers), signers, broken)).toMatchObject(down)
  })

  it('during the operator’s act, the same act again sets the policy', async () => {
    const signers = await freshSigners(1)
    const act = await firstPolicyAct(policyOf(signers))
    const headers = { 'content-type': 'application/json', 'cf-connecting-ip': '2001:db8:78::1' }
    const request = () =>
      new Request(`${CORE}/api/operator/acts`, { method: 'POST', headers, body: JSON.stringify(act) })
    expect((await sendWith(failingBefore(ACTIVATE))(request())).status).toBe(503)
    expect(await rows()).toBe(0)
    expect((await sendWith(failingAfter(ACTIVATE))(request())).status).toBe(503)
    expect((await sendAct(act)).status).toBe(200)
    expect((await sendAct(act)).status).toBe(409)
    expect(await rows()).toBe(1)
  })
})
