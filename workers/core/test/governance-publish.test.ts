import { env } from 'cloudflare:workers'
import { type GovernanceAttestation, type GovernancePolicy, policyIdOf } from '@svc/protocol/governance'
import type { TestCaller } from '@svc/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  attestedBy,
  attestedPolicy,
  forgetPolicies,
  found,
  freshSigners,
  policyOf,
  publish,
  type Signer,
} from './governance.fixture.ts'
import { call, freshCaller } from './harness.ts'

const refused = (status: number, error: string) => ({ status, body: { success: false, error } })
const post = (caller: TestCaller, policy: unknown, attestations: unknown) =>
  call(caller, 'POST', '/api/governance/policy', { policy, attestations })
const signature = (attestation: GovernanceAttestation, signatureB64u: string) => ({ ...attestation, signatureB64u })

/** A policy of three of whom two must sign, in force, and somebody who is none of them. */
async function twoOfThree(): Promise<{ caller: TestCaller; signers: Signer[]; policy: GovernancePolicy }> {
  const signers = await freshSigners(3)
  const policy = await found(policyOf(signers, { threshold: 2 }))
  return { caller: await freshCaller(), signers, policy }
}

beforeEach(forgetPolicies)

describe('the next policy', () => {
  it('comes into force by the signatures of the previous signers, whoever sends it', async () => {
    const { caller, signers, policy } = await twoOfThree()
    const heirs = await freshSigners(1)
    const next = policyOf(heirs)
    const [byFirst, byThird] = await attestedPolicy(next, [signers[0]!, signers[2]!])
    const attestations = [{ ...byFirst!, signedAt: '2026-10-23T10:00:00Z' }, byThird!]
    const record = await caller.client.governance.publish(next, attestations)
    expect(record).toEqual({
      policyId: policyIdOf(next),
      policy: next,
      attestations,
      activatedAt: expect.any(String),
      activatedBy: caller.identity.did,
      previousPolicyId: policyIdOf(policy),
    })
    expect(await caller.client.governance.policy()).toEqual(record)
  })

  it('is attested by its signers through the SDK, one after the other', async () => {
    const [alice, bob] = [await freshCaller(), await freshCaller()]
    const first = await found(policyOf([alice.identity, bob.identity]))
    const next = policyOf([alice.identity], { meta: { n: 2 } })
    const attestations = [await alice.client.governance.attest(next), await bob.client.governance.attest(next)]
    const record = await bob.client.governance.publish(next, attestations)
    expect(record).toMatchObject({ attestations, previousPolicyId: policyIdOf(first) })
    await expect(alice.client.governance.publish(first, attestations)).rejects.toMatchObject({
      status: 403,
      error: 'unknown_signer',
    })
  })

  it('hands over: its predecessor’s signers decide no more', async () => {
    const { caller, signers } = await twoOfThree()
    const heirs = await freshSigners(1)
    expect((await publish(caller, policyOf(heirs), signers)).status).toBe(200)
    const third = policyOf(heirs, { meta: { n: 3 } })
    expect(await publish(caller, third, signers)).toMatchObject(refused(403, 'unknown_signer'))
    expect((await publish(caller, third, heirs)).status).toBe(200)
  })

  it('again by its own signers is the same, and changes nothing', async () => {
    const { caller, signers } = await twoOfThree()
    const next = policyOf(signers, { threshold: 1 })
    const first = await publish(caller, next, signers)
    const again = await publish(await freshCaller(), next, signers.slice(0, 1))
    expect(again.status).toBe(200)
    expect(again.body['data']).toEqual(first.body['data'])
    expect(await env.DB.prepare('SELECT count(*) AS n FROM governance_policies').first()).toEqual({ n: 2 })
  })

  it('may have sixteen signers who all sign', async () => {
    const signers = await freshSigners(16)
    await found(policyOf(signers))
    const next = policyOf(signers, { meta: { n: 2 } })
    expect((await publish(await freshCaller(), next, signers)).status).toBe(200)
  })

  it('cannot be an earlier one: the signatures that it already has do not bring it back', async () => {
    const { caller, signers, policy } = await twoOfThree()
    const second = policyOf(signers, { threshold: 1, meta: { n: 2 } })
    const third = policyOf(signers, { threshold: 2, meta: { n: 3 } })
    expect((await publish(caller, second, signers)).status).toBe(200)
    expect((await publish(caller, third, signers)).status).toBe(200)
    expect(await publish(caller, second, signers)).toMatchObject(refused(409, 'policy_exists'))
    expect(await publish(caller, policy, signers)).toMatchObject(refused(409, 'policy_exists'))
    expect((await caller.client.governance.policy()).policyId).toBe(policyIdOf(third))
    const likeSecond = policyOf(signers, { threshold: 1, meta: { n: 4 } })
    expect((await publish(caller, likeSecond, signers)).status).toBe(200)
  })
})

describe('a publication is refused', () => {
  it('for fewer signers than the threshold', async () => {
    const { caller, signers } = await twoOfThree()
    const next = policyOf(signers, { threshold: 1 })
    expect(await publish(caller, next, signers.slice(0, 1))).toMatchObject(refused(403, 'threshold_not_met'))
  })

  it('for a signer who signs twice', async () => {
    const { caller, signers } = await twoOfThree()
    const [first] = signers
    const next = policyOf(signers, { threshold: 1 })
    expect(await publish(caller, next, [first!, first!])).toMatchObject(refused(400, 'duplicate_signer'))
  })

  it('for an outsider, alone, beside enough signers, and as its own signer', async () => {
    const { caller, signers } = await twoOfThree()
    const outsiders = await freshSigners(2)
    const next = policyOf(outsiders)
    expect(await publish(caller, next, outsiders)).toMatchObject(refused(403, 'unknown_signer'))
    const beside = [...signers, outsiders[0]!]
    expect(await publish(caller, next, beside)).toMatchObject(refused(403, 'unknown_signer'))
    expect(await publish(caller, next, [caller.identity])).toMatchObject(refused(403, 'unknown_signer'))
  })

  it('for a signature over other bytes', async () => {
    const { caller, signers } = await twoOfThree()
    const [first, second] = signers
    const next = policyOf(signers, { threshold: 1 })
    const other = await attestedPolicy(policyOf(signers, { threshold: 3 }), signers)
    expect(await post(caller, next, other)).toMatchObject(refused(403, 'invalid_signature'))
    const record = { type: 'svc/governance-policy/v1', policy: next }
    const wrapped = new TextEncoder().encode(JSON.stringify(record))
    const attestations = [await attestedBy(first!, wrapped), await attestedBy(second!, wrapped)]
    expect(await post(caller, next, attestations)).toMatchObject(refused(403, 'invalid_signature'))
  })

  it('for a signature that does not verify, one too many and one too short among them', async () => {
    const { caller, signers } = await twoOfThree()
    const next = policyOf(signers, { threshold: 1 })
    const [first, second, third] = await attestedPolicy(next, signers)
    const swapped = [signature(first!, second!.signatureB64u), signature(second!, first!.signatureB64u)]
    const oneTooMany = [first!, second!, signature(third!, first!.signatureB64u)]
    const short = [first!, signature(second!, 'AAAA')]
    for (const attestations of [swapped, oneTooMany, short]) {
      expect(await post(caller, next, attestations)).toMatchObject(refused(403, 'invalid_signature'))
    }
  })

  it('for a threshold out of range and for a signer twice, whoever has signed', async () => {
    const { caller, signers } = await twoOfThree()
    const [first, second] = signers
    for (const threshold of [0, -1, 4]) {
      const next = policyOf(signers, { threshold })
      expect(await publish(caller, next, signers)).toMatchObject(refused(400, 'threshold_out_of_range'))
    }
    expect(await publish(caller, policyOf([first!, first!]), signers)).toMatchObject(refused(400, 'duplicate_signer'))
    const sameId = { ...policyOf([first!, second!]).signers[1]!, id: 'signer-0' }
    const next = policyOf([first!, second!], { signers: [policyOf([first!]).signers[0]!, sameId] })
    expect(await publish(caller, next, signers)).toMatchObject(refused(400, 'duplicate_signer'))
  })

  it.each([
    ['another version', { version: 'v2' }],
    ['a threshold that is no integer', { threshold: 1.5 }],
    ['no signers', { signers: [] }],
    ['another member', { note: 'x' }],
    ['text without UTF-8 form in meta', { meta: { note: '\ud800' } }],
    ['meta deeper than thirty-two levels', { meta: JSON.parse(`{"a":${'['.repeat(9000)}${']'.repeat(9000)}}`) }],
  ])('for %s, by its schema', async (_, members) => {
    const { caller, signers, policy } = await twoOfThree()
    const attestations = await attestedPolicy(policy, signers)
    expect(await post(caller, { ...policyOf(signers), ...members }, attestations)).toMatchObject({
      status: 400,
      body: { code: 'invalid_request' },
    })
    expect((await caller.client.governance.policy()).policyId).toBe(policyIdOf(policy))
  })

  it('for no attestation at all, and for seventeen', async () => {
    const { caller, signers } = await twoOfThree()
    const next = policyOf(signers, { threshold: 1 })
    const [attestation] = await attestedPolicy(next, signers)
    const seventeen = Array.from({ length: 17 }, () => attestation)
    for (const attestations of [[], undefined, seventeen]) {
      expect((await post(caller, next, attestations)).status).toBe(400)
    }
  })
})
