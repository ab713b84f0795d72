import { bytesOf } from '@svc/protocol/base/base64url'
import { verifyAttestations } from '@svc/protocol/ledger/attestations'
import { type GovernancePolicy, type PolicyProposal, policyBytes, policyIdOf } from '@svc/protocol/ledger/governance'
import { describe, expect, it } from 'vitest'
import { fetchOf } from '../../test/fetch.ts'
import { Device } from '../identity/device.ts'
import { Identity } from '../identity/identity.ts'
import { Transport } from '../transport/transport.ts'
import { Governance } from './governance.ts'

const CORE = 'https://core.test'
const seedsOf = (byte: number) => ({ signing: new Uint8Array(32).fill(byte), kem: new Uint8Array(32).fill(byte) })
const alice = await Identity.fromSeeds(seedsOf(1))
const policy: GovernancePolicy = {
  version: 'v1',
  threshold: 1,
  signers: [{ id: 'alice', publicKeyB64u: alice.publicKeyB64u }],
}
const next: GovernancePolicy = { ...policy, meta: { n: 2 } }
const NONCE = 'n_000000000000-1'
const first = { policy, previousPolicyId: null, nonce: NONCE }
const second: PolicyProposal = { policy: next, previousPolicyId: policyIdOf(first), nonce: 'n_000000000000-2' }
const recordOf = ({ previousPolicyId, ...placed }: typeof first | PolicyProposal) => ({
  policyId: policyIdOf({ ...placed, previousPolicyId }),
  ...placed,
  ...(previousPolicyId === null ? {} : { previousPolicyId }),
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
  const transport = new Transport({ realm: CORE, fetch: fetchOf(fetch), now: () => 1_790_000_000_000 }, alice)
  return { requests, governance: new Governance(transport, CORE, alice) }
}

describe('policy', () => {
  it.each([first, second])('gives the policy that its id names: %#', async (placed) => {
    expect(await answering(recordOf(placed)).governance.policy()).toEqual(recordOf(placed))
  })

  it.each([{ policy: next }, { nonce: 'n_000000000000-3' }, { previousPolicyId: 'a7'.repeat(48) }])(
    'takes no policy under the id of another: %#',
    async (members) => {
      const swapped = { ...recordOf(first), ...members }
      await expect(answering(swapped).governance.policy()).rejects.toThrow('does not match its id')
    },
  )

  it('takes no answer of another shape', async () => {
    await expect(answering({ ...recordOf(first), nonce: 7 }).governance.policy()).rejects.toThrow()
  })
})

describe('propose', () => {
  it('names the current policy, with a nonce of its own each time', async () => {
    const { governance } = answering(recordOf(first))
    const proposal = await governance.propose(next)
    expect(proposal).toEqual({ policy: next, previousPolicyId: policyIdOf(first), nonce: expect.any(String) })
    expect((await governance.propose(next)).nonce).not.toBe(proposal.nonce)
  })
})

describe('attest', () => {
  it('signs the proposal for the realm, dated by the local clock, and sends nothing', async () => {
    const { governance, requests } = answering()
    const attestation = await governance.attest(second)
    expect(attestation).toMatchObject({
      alg: 'ml-dsa-65',
      publicKeyB64u: alice.publicKeyB64u,
      signedAt: '2026-09-21T14:13:20.000Z',
    })
    expect(bytesOf(attestation.signatureB64u)).toHaveLength(3309)
    const signed = { ok: true, value: [alice.userId] }
    expect(await verifyAttestations([attestation], policyBytes(second, CORE))).toEqual(signed)
    expect(await verifyAttestations([attestation], policyBytes(second, 'https://other.test'))).toMatchObject({
      ok: false,
    })
    expect(requests).toEqual([])
  })

  it('signs only proposals', async () => {
    const other = { ...second, type: 'svc/did-deactivate/v1' } as PolicyProposal
    await expect(answering().governance.attest(other)).rejects.toThrow()
    await expect(answering().governance.attest({ ...second, previousPolicyId: 'x' })).rejects.toThrow()
  })

  it('is not for a device', async () => {
    const device = await Device.fromSeeds(seedsOf(2), { origin: 'app:testing', capabilities: [] })
    const governance = new Governance(new Transport({ realm: CORE }), CORE, device)
    await expect(governance.attest(second)).rejects.toThrow('Only a root key can attest a policy')
  })
})

describe('publish', () => {
  it('sends proposal and attestations, and gives the record', async () => {
    const { governance, requests } = answering(recordOf(second))
    const attestations = [await governance.attest(second)]
    expect(await governance.publish(second, attestations)).toEqual(recordOf(second))
    expect(await requests[0]?.json()).toEqual({ ...second, attestations })
  })

  it('takes no answer for another policy', async () => {
    const { governance } = answering(recordOf(first))
    const attestations = [await governance.attest(second)]
    await expect(governance.publish(second, attestations)).rejects.toThrow('Core answered for a different policy')
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
    await expect(read(core)).rejects.toThrow('The service repeats pages')
    expect(core.requests).toHaveLength(1)
  })
})
