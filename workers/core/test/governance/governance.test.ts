import { env } from 'cloudflare:workers'
import { mlDsa65 } from '@svc/pqc'
import { userIdOf } from '@svc/protocol/base/identity'
import { policyIdOf } from '@svc/protocol/ledger/governance'
import { beforeEach, describe, expect, it } from 'vitest'
import { call, freshCaller } from '../harness.ts'
import {
  attestedProposal,
  firstPolicyAct,
  forgetPolicies,
  found,
  freshSigners,
  OPERATOR_SEED,
  policyOf,
  proposalOf,
  publish,
  sendAct,
} from './governance.fixture.ts'

const READ = '/api/governance/policy'

beforeEach(forgetPolicies)

describe('before the first policy', () => {
  it('there is none to read, and the audit trail is empty', async () => {
    const caller = await freshCaller()
    expect(await call(caller, 'GET', READ)).toMatchObject({ status: 404, body: { success: false, error: 'not_found' } })
    expect(await call(caller, 'GET', '/api/governance/audit')).toMatchObject({
      status: 200,
      body: { data: { items: [], count: 0, cursor: null } },
    })
  })

  it('no one can publish one, regardless of the signatures', async () => {
    const [caller, signers] = [await freshCaller(), await freshSigners(2)]
    expect(await publish(caller, policyOf(signers), signers)).toMatchObject({
      status: 409,
      body: { success: false, error: 'no_policy' },
    })
    expect((await call(caller, 'GET', READ)).status).toBe(404)
  })
})

describe('the first policy', () => {
  it('is set by the operator, and read as set', async () => {
    const [caller, signers] = [await freshCaller(), await freshSigners(2)]
    const policy = policyOf(signers, { meta: { purpose: 'tests' } })
    const act = await firstPolicyAct(policy)
    expect((await sendAct(act)).status).toBe(200)
    const operator = userIdOf(await mlDsa65.publicKeyOf(OPERATOR_SEED))
    expect(await caller.client.governance.policy()).toEqual({
      policyId: policyIdOf(act.statement),
      policy,
      nonce: act.statement.nonce,
      attestations: [],
      activatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      activatedBy: `operator:${operator}`,
    })
  })

  it('can be set by no one else', async () => {
    const [caller, signers] = [await freshCaller(), await freshSigners(1)]
    const forged = await firstPolicyAct(policyOf(signers), {}, new Uint8Array(32).fill(6))
    expect(await sendAct(forged)).toMatchObject({ status: 403, body: { error: 'invalid_signature' } })
    const good = await firstPolicyAct(policyOf(signers))
    const changed = { ...good, statement: { ...good.statement, policy: policyOf(await freshSigners(1)) } }
    expect(await sendAct(changed)).toMatchObject({ status: 403, body: { error: 'invalid_signature' } })
    const old = await firstPolicyAct(policyOf(signers), { issuedAt: Date.now() - 300_001 })
    expect(await sendAct(old)).toMatchObject({ status: 401, body: { error: 'statement_expired' } })
    expect((await call(caller, 'GET', READ)).status).toBe(404)
  })

  it('is set once: the operator cannot replace it', async () => {
    const caller = await freshCaller()
    const first = await found(policyOf(await freshSigners(1)))
    const second = await firstPolicyAct(policyOf(await freshSigners(1)))
    expect(await sendAct(second)).toMatchObject({ status: 409, body: { error: 'policy_founded' } })
    expect((await caller.client.governance.policy()).policyId).toBe(first)
    expect(await sendAct(second)).toMatchObject({ status: 409, body: { error: 'policy_founded' } })
    const refused = await env.CONTROL_DB.prepare('SELECT done_at FROM operator_acts WHERE nonce = ?')
      .bind(second.statement.nonce)
      .first()
    expect(refused).toEqual({ done_at: null })
  })

  it('cannot be set again once its signers have replaced it, even unchanged', async () => {
    const [caller, signers] = [await freshCaller(), await freshSigners(1)]
    const first = policyOf(signers)
    await found(first)
    const next = await proposalOf(policyOf(signers, { meta: { version: 2 } }))
    expect((await publish(caller, next, signers)).status).toBe(200)
    expect(await sendAct(await firstPolicyAct(first))).toMatchObject({ status: 409, body: { error: 'policy_founded' } })
    expect((await caller.client.governance.policy()).policyId).toBe(policyIdOf(next))
  })

  it('repeated by the same act is a replay, and by another act is refused even with the same rules', async () => {
    const policy = policyOf(await freshSigners(1))
    const act = await firstPolicyAct(policy)
    expect((await sendAct(act)).status).toBe(200)
    expect(await sendAct(act)).toMatchObject({ status: 409, body: { error: 'statement_replay' } })
    expect(await sendAct(await firstPolicyAct(policy))).toMatchObject({
      status: 409,
      body: { error: 'policy_founded' },
    })
    const rows = await env.CONTROL_DB.prepare('SELECT count(*) AS n FROM governance_policies').first()
    expect(rows).toEqual({ n: 1 })
  })

  it('follows no policy, and its act says so', async () => {
    const policy = policyOf(await freshSigners(1))
    for (const previousPolicyId of ['a7'.repeat(48), undefined])
      expect((await sendAct(await firstPolicyAct(policy, { previousPolicyId }))).status).toBe(400)
  })

  it('has a threshold within range and no duplicate signer', async () => {
    const [caller, signers] = [await freshCaller(), await freshSigners(2)]
    const [signer] = signers
    for (const [policy, error] of [
      [policyOf(signers, { threshold: 0 }), 'threshold_out_of_range'],
      [policyOf(signers, { threshold: 3 }), 'threshold_out_of_range'],
      [policyOf([signer!, signer!]), 'duplicate_signer'],
    ] as const) {
      expect(await sendAct(await firstPolicyAct(policy))).toMatchObject({ status: 400, body: { error } })
    }
    expect((await call(caller, 'GET', READ)).status).toBe(404)
  })

  it('set by twenty concurrent acts is that of one, and stays', async () => {
    const caller = await freshCaller()
    const policies = await Promise.all(Array.from({ length: 20 }, async () => policyOf(await freshSigners(1))))
    const acts = await Promise.all(policies.map((policy) => firstPolicyAct(policy)))
    const answers = await Promise.all(acts.map((act) => sendAct(act)))
    const winners = policies.filter((_, i) => answers[i]?.status === 200)
    expect(winners).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(19)
    expect((await caller.client.governance.policy()).policy).toEqual(winners[0])
  })
})

describe('reading and publishing', () => {
  it('require an assertion', async () => {
    const signers = await freshSigners(1)
    await found(policyOf(signers))
    const { client } = await freshCaller({ genesis: false })
    await expect(client.governance.policy()).rejects.toMatchObject({ status: 401 })
    const next = await proposalOf(policyOf(signers))
    await expect(client.governance.publish(next, await attestedProposal(next, signers))).rejects.toMatchObject({
      status: 401,
    })
  })
})
