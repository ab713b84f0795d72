import { env } from 'cloudflare:workers'
import { jcsBytes } from '@svc/protocol/base/jcs'
import { type GovernanceAttestation, verifyAttestations } from '@svc/protocol/ledger/attestations'
import { policyBytes, policyIdOf } from '@svc/protocol/ledger/governance'
import { REALM, type TestCaller } from '@svc/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { call, freshCaller } from '../harness.ts'
import {
  attestedBy,
  attestedProposal,
  forgetPolicies,
  found,
  freshSigners,
  policyOf,
  proposalOf,
  publish,
  type Signer,
} from './governance.fixture.ts'

const refused = (status: number, error: string) => ({ status, body: { success: false, error } })
const post = (caller: TestCaller, proposal: object, attestations: unknown) =>
  call(caller, 'POST', '/api/governance/policy', { ...proposal, attestations })
const signature = (attestation: GovernanceAttestation, signatureB64u: string) => ({ ...attestation, signatureB64u })

/** A policy in force with three signers, two of whom must sign, and a caller who is not one of them. */
async function twoOfThree(): Promise<{ caller: TestCaller; signers: Signer[]; policyId: string }> {
  const signers = await freshSigners(3)
  const policyId = await found(policyOf(signers, { threshold: 2 }))
  return { caller: await freshCaller(), signers, policyId }
}

beforeEach(forgetPolicies)

describe('the next policy', () => {
  it('takes effect by the signatures of the previous signers, from any sender', async () => {
    const { caller, signers, policyId } = await twoOfThree()
    const proposal = await proposalOf(policyOf(await freshSigners(1)))
    const attestations = await attestedProposal(proposal, [signers[0]!, signers[2]!])
    const record = await caller.client.governance.publish(proposal, attestations)
    expect(record).toEqual({
      policyId: policyIdOf(proposal),
      policy: proposal.policy,
      nonce: proposal.nonce,
      attestations,
      activatedAt: expect.any(String),
      activatedBy: caller.identity.did,
      previousPolicyId: policyId,
    })
    expect(await caller.client.governance.policy()).toEqual(record)
    // What they signed can be rebuilt from the record alone.
    const { policy, previousPolicyId, nonce } = record
    const rebuilt = policyBytes({ policy, previousPolicyId: previousPolicyId!, nonce }, REALM)
    expect(await verifyAttestations(record.attestations, rebuilt)).toMatchObject({ ok: true })
  })

  it('is attested by its signers through the SDK, one after the other', async () => {
    const [alice, bob] = [await freshCaller(), await freshCaller()]
    const policyId = await found(policyOf([alice.identity, bob.identity]))
    const next = await alice.client.governance.propose(policyOf([alice.identity], { meta: { n: 2 } }))
    const attestations = [await alice.client.governance.attest(next), await bob.client.governance.attest(next)]
    const record = await bob.client.governance.publish(next, attestations)
    expect(record).toMatchObject({ attestations, previousPolicyId: policyId })
    const third = await bob.client.governance.propose(policyOf([bob.identity]))
    await expect(bob.client.governance.publish(third, attestations)).rejects.toMatchObject({
      status: 403,
      error: 'unknown_signer',
    })
  })

  it('transfers control: the previous signers no longer decide', async () => {
    const { caller, signers } = await twoOfThree()
    const heirs = await freshSigners(1)
    expect((await publish(caller, policyOf(heirs), signers)).status).toBe(200)
    const third = policyOf(heirs, { meta: { n: 3 } })
    expect(await publish(caller, third, signers)).toMatchObject(refused(403, 'unknown_signer'))
    expect((await publish(caller, third, heirs)).status).toBe(200)
  })

  it('is idempotent', async () => {
    const { caller, signers } = await twoOfThree()
    const next = await proposalOf(policyOf(signers, { threshold: 1 }))
    const first = await publish(caller, next, signers)
    const again = await publish(await freshCaller(), next, signers.slice(0, 1))
    expect(again.status).toBe(200)
    expect(again.body['data']).toEqual(first.body['data'])
    expect(await env.CONTROL_DB.prepare('SELECT count(*) AS n FROM governance_policies').first()).toEqual({ n: 2 })
  })

  it('can have sixteen signers who all sign', async () => {
    const signers = await freshSigners(16)
    await found(policyOf(signers))
    const next = policyOf(signers, { meta: { n: 2 } })
    expect((await publish(await freshCaller(), next, signers)).status).toBe(200)
  })

  it('can have the rules of an earlier one, signed anew', async () => {
    const { caller, signers, policyId } = await twoOfThree()
    const first = policyOf(signers, { threshold: 2 })
    expect((await publish(caller, policyOf(signers, { threshold: 1 }), signers)).status).toBe(200)
    expect((await publish(caller, first, signers)).status).toBe(200)
    const current = await caller.client.governance.policy()
    expect(current.policy).toEqual(first)
    expect(current.policyId).not.toBe(policyId)
  })
})

describe('an abandoned draft', () => {
  it('by two former signers that admits a new one does not take effect three policies later', async () => {
    const { caller, signers } = await twoOfThree()
    const [mallory] = await freshSigners(1)
    const draft = await proposalOf(policyOf([...signers, mallory!], { threshold: 1 }))
    const drafted = await attestedProposal(draft, signers.slice(0, 2))
    for (const n of [2, 3, 4]) {
      expect((await publish(caller, policyOf(signers, { threshold: 2, meta: { n } }), signers)).status).toBe(200)
    }
    const { policyId } = await caller.client.governance.policy()
    expect(await post(caller, draft, drafted)).toMatchObject(refused(409, 'stale_policy'))
    const renamed = { ...draft, previousPolicyId: policyId }
    expect(await post(caller, renamed, drafted)).toMatchObject(refused(403, 'invalid_signature'))
    expect((await caller.client.governance.policy()).policyId).toBe(policyId)
  })

  it('does not take effect when the rules that it follows come back', async () => {
    const { caller, signers } = await twoOfThree()
    const first = policyOf(signers, { threshold: 2 })
    const draft = await proposalOf(policyOf(signers, { threshold: 1 }))
    const drafted = await attestedProposal(draft, signers)
    expect((await publish(caller, policyOf(signers, { meta: { n: 2 } }), signers)).status).toBe(200)
    expect((await publish(caller, first, signers)).status).toBe(200)
    expect(await post(caller, draft, drafted)).toMatchObject(refused(409, 'stale_policy'))
  })

  it('that was in force and was replaced is not restored by its signatures', async () => {
    const { caller, signers, policyId } = await twoOfThree()
    const second = await proposalOf(policyOf(signers, { threshold: 1, meta: { n: 2 } }))
    const attestations = await attestedProposal(second, signers)
    expect((await post(caller, second, attestations)).status).toBe(200)
    expect((await publish(caller, policyOf(signers, { meta: { n: 3 } }), signers)).status).toBe(200)
    expect(await post(caller, second, attestations)).toMatchObject(refused(409, 'stale_policy'))
    const third = await caller.client.governance.policy()
    expect(third.policy.meta).toEqual({ n: 3 })
    expect(third.previousPolicyId).toBe(policyIdOf(second))
    expect(second.previousPolicyId).toBe(policyId)
  })
})

describe('a publication is rejected', () => {
  it('with fewer signers than the threshold', async () => {
    const { caller, signers } = await twoOfThree()
    const next = policyOf(signers, { threshold: 1 })
    expect(await publish(caller, next, signers.slice(0, 1))).toMatchObject(refused(403, 'threshold_not_met'))
  })

  it('if a signer signs twice', async () => {
    const { caller, signers } = await twoOfThree()
    const [first] = signers
    const next = policyOf(signers, { threshold: 1 })
    expect(await publish(caller, next, [first!, first!])).toMatchObject(refused(400, 'duplicate_signer'))
  })

  it('if an outsider signs: alone, beside enough signers, or as its own signer', async () => {
    const { caller, signers } = await twoOfThree()
    const outsiders = await freshSigners(2)
    const next = policyOf(outsiders)
    expect(await publish(caller, next, outsiders)).toMatchObject(refused(403, 'unknown_signer'))
    const beside = [...signers, outsiders[0]!]
    expect(await publish(caller, next, beside)).toMatchObject(refused(403, 'unknown_signer'))
    expect(await publish(caller, next, [caller.identity])).toMatchObject(refused(403, 'unknown_signer'))
  })

  it('if a signature is over other bytes', async () => {
    const { caller, signers } = await twoOfThree()
    const next = await proposalOf(policyOf(signers, { threshold: 1 }))
    const others = [
      { ...next, policy: policyOf(signers, { threshold: 3 }) },
      { ...next, nonce: crypto.randomUUID() },
      { ...next, previousPolicyId: 'a7'.repeat(48) },
    ]
    for (const other of others) {
      expect(await post(caller, next, await attestedProposal(other, signers))).toMatchObject(
        refused(403, 'invalid_signature'),
      )
    }
    const bare = await Promise.all(signers.map((signer) => attestedBy(signer, jcsBytes(next.policy))))
    expect(await post(caller, next, bare)).toMatchObject(refused(403, 'invalid_signature'))
  })

  it('if it was signed for another deployment that the same signers govern', async () => {
    const { caller, signers } = await twoOfThree()
    const next = await proposalOf(policyOf(signers, { threshold: 1 }))
    const elsewhere = await attestedProposal(next, signers, 'https://core.staging.test')
    expect(await post(caller, next, elsewhere)).toMatchObject(refused(403, 'invalid_signature'))
  })

  it('if a signature names no time, or another than it signed', async () => {
    const { caller, signers } = await twoOfThree()
    const next = await proposalOf(policyOf(signers, { threshold: 1 }))
    const attestations = await attestedProposal(next, signers)
    const undated = attestations.map((attestation) => ({ ...attestation, signedAt: undefined }))
    const redated = attestations.map((attestation) => ({ ...attestation, signedAt: '2026-10-23T10:00:01Z' }))
    for (const changed of [undated, redated])
      expect(await post(caller, next, changed)).toMatchObject(refused(403, 'invalid_signature'))
  })

  it('if a signature does not verify, or has the wrong length', async () => {
    const { caller, signers } = await twoOfThree()
    const next = await proposalOf(policyOf(signers, { threshold: 1 }))
    const [first, second, third] = await attestedProposal(next, signers)
    const swapped = [signature(first!, second!.signatureB64u), signature(second!, first!.signatureB64u)]
    const oneTooMany = [first!, second!, signature(third!, first!.signatureB64u)]
    const short = [first!, signature(second!, 'AAAA')]
    for (const attestations of [swapped, oneTooMany, short]) {
      expect(await post(caller, next, attestations)).toMatchObject(refused(403, 'invalid_signature'))
    }
  })

  it('with a threshold out of range or a duplicate signer, even if fully signed', async () => {
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
    ['a threshold that is not an integer', { threshold: 1.5 }],
    ['no signers', { signers: [] }],
    ['another member', { note: 'x' }],
    ['text without UTF-8 form in meta', { meta: { note: '\ud800' } }],
    ['meta deeper than thirty-two levels', { meta: JSON.parse(`{"a":${'['.repeat(9000)}${']'.repeat(9000)}}`) }],
  ])('for %s, by its schema', async (_, members) => {
    const { caller, signers, policyId } = await twoOfThree()
    const proposal = await proposalOf(policyOf(signers))
    const attestations = await attestedProposal(proposal, signers)
    const policy = { ...proposal.policy, ...members }
    expect(await post(caller, { ...proposal, policy }, attestations)).toMatchObject({
      status: 400,
      body: { code: 'invalid_request' },
    })
    expect((await caller.client.governance.policy()).policyId).toBe(policyId)
  })

  it('without attestations, and with seventeen', async () => {
    const { caller, signers } = await twoOfThree()
    const next = await proposalOf(policyOf(signers, { threshold: 1 }))
    const [attestation] = await attestedProposal(next, signers)
    const seventeen = Array.from({ length: 17 }, () => attestation)
    for (const attestations of [[], undefined]) expect((await post(caller, next, attestations)).status).toBe(400)
    expect(await post(caller, next, seventeen)).toMatchObject({
      status: 413,
      body: { details: { error: 'too_many_items', collection: 'body.attestations', limit: 16 } },
    })
  })
})
