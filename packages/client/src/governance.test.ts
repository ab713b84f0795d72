import { bytesOf } from '@svc/protocol/base64url'
import { type GovernancePolicy, policyBytes, policyIdOf, verifyAttestations } from '@svc/protocol/governance'
import { describe, expect, it } from 'vitest'
import { Device } from './device.ts'
import { Governance } from './governance.ts'
import { Identity } from './identity.ts'
import { Transport } from './transport.ts'

const CORE = 'https://core.test'
const seedsOf = (byte: number) => ({ signing: new Uint8Array(32).fill(byte), kem: new Uint8Array(64).fill(byte) })
const alice = await Identity.fromSeeds(seedsOf(1))
const policy: GovernancePolicy = {
  version: 'v1',
  threshold: 1,
  signers: [{ id: 'alice', publicKeyB64u: alice.publicKeyB64u }],
}
const next: GovernancePolicy = { ...policy, meta: { n: 2 } }
const recordOf = (of: GovernancePolicy) => ({
  policyId: policyIdOf(of),
  policy: of,
  attestations: [],
  activatedAt: '2026-10-23T10:00:00Z',
  activatedBy: alice.did,
})
const entryOf = (position: number) => ({
  position,
  at: '2026-10-23T10:00:00Z',
  action: 'policy.activated',
  actor: alice.did,
  policyId: 'a',
  signers: [],
})

/** Core as it answers one thing after the other, and the last of them for ever. */
function answering(...answers: unknown[]) {
  const requests: Request[] = []
  const fetch = (request: Request) => {
    requests.push(request)
    const data = answers[Math.min(requests.length, answers.length) - 1]
    return Promise.resolve(Response.json({ success: true, data }))
  }
  const transport = new Transport({ fetch, now: () => 1_790_000_000_000 }, alice)
  return { requests, governance: new Governance(transport, CORE, alice) }
}

describe('policy', () => {
  it('gives the policy that its id names', async () => {
    expect(await answering(recordOf(policy)).governance.policy()).toEqual(recordOf(policy))
  })

  it('takes no policy under the id of another', async () => {
    const swapped = { ...recordOf(policy), policy: next }
    await expect(answering(swapped).governance.policy()).rejects.toThrow('does not have the hash that names it')
  })

  it('takes no answer of another shape', async () => {
    await expect(answering({ ...recordOf(policy), note: 'x' }).governance.policy()).rejects.toThrow()
  })
})

describe('attest', () => {
  it('signs the canonical bytes of the policy, dated by the local clock, and sends nothing', async () => {
    const { governance, requests } = answering()
    const attestation = await governance.attest(next)
    expect(attestation).toMatchObject({
      alg: 'ml-dsa-65',
      publicKeyB64u: alice.publicKeyB64u,
      signedAt: '2026-09-21T14:13:20.000Z',
    })
    expect(bytesOf(attestation.signatureB64u)).toHaveLength(3309)
    expect(await verifyAttestations([attestation], policyBytes(next))).toEqual({ ok: true, value: [alice.userId] })
    expect(requests).toEqual([])
  })

  it('is not for a device', async () => {
    const device = await Device.fromSeeds(seedsOf(2), { origin: 'app:testing', capabilities: [] })
    const governance = new Governance(new Transport({}), CORE, device)
    await expect(governance.attest(next)).rejects.toThrow('a policy is attested by a root key')
  })
})

describe('publish', () => {
  it('sends policy and attestations, and gives the record', async () => {
    const { governance, requests } = answering(recordOf(next))
    const attestations = [await governance.attest(next)]
    expect(await governance.publish(next, attestations)).toEqual(recordOf(next))
    expect(await requests[0]?.json()).toEqual({ policy: next, attestations })
  })

  it('takes no answer for another policy', async () => {
    const { governance } = answering(recordOf(policy))
    const attestations = [await governance.attest(next)]
    await expect(governance.publish(next, attestations)).rejects.toThrow('core answered for another policy')
  })
})

describe('audit', () => {
  const read = async ({ governance }: ReturnType<typeof answering>) => {
    const positions: number[] = []
    for await (const { position } of governance.audit()) positions.push(position)
    return positions
  }

  it('follows the cursor to the end', async () => {
    const core = answering(
      { items: [entryOf(1), entryOf(2)], count: 2, cursor: '3' },
      { items: [entryOf(3)], count: 1, cursor: null },
    )
    expect(await read(core)).toEqual([1, 2, 3])
    expect(core.requests.map(({ url }) => new URL(url).search)).toEqual(['?cursor=1', '?cursor=3'])
  })

  it.each(['1', '0', 'x'])('stops at a page whose next is %s, which leads in a circle', async (cursor) => {
    const core = answering({ items: [entryOf(1)], count: 1, cursor })
    await expect(read(core)).rejects.toThrow('the service answers in a circle')
    expect(core.requests).toHaveLength(1)
  })
})
