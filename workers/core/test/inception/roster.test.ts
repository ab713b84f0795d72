import { REALM } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { freshCaller } from '../harness.ts'
import { attest, attestationOf, freshKeys, storedInception } from './inception.fixture.ts'
import { callers, rotate, rotationBy, signedBy, trio } from './organization.fixture.ts'

const refusal = (status: number, error: string) => ({ status, body: { error } })
const UNSIGNED = refusal(403, 'invalid_signature')

describe('an accepted change of officers', () => {
  it('is not accepted again: a retry gets its receipt', async () => {
    const { org, ann, ben } = await trio()
    const rotation = await rotationBy(org, { officers: [ann, ben], quorum: 2, approving: [ann, ben] })
    const first = await rotate(rotation)
    expect(await rotate(rotation)).toMatchObject({
      status: 409,
      body: { error: 'stale_inception_head', details: { appended: first.body['data'] } },
    })
    expect((await storedInception(org)).rosters).toHaveLength(2)
  })

  it('cannot be repeated after later ones', async () => {
    const { org, ann, ben } = await trio()
    const first = await rotationBy(org, { officers: [ann, ben], quorum: 1, approving: [ann, ben] })
    await rotate(first)
    const second = await rotationBy(org, { officers: [ben], version: 3, approving: [ben] })
    await rotate(second)
    expect(await rotate(first)).toMatchObject(refusal(409, 'stale_inception_head'))
    const moved = await rotationBy(org, { officers: [ann, ben], version: 4, approving: [ben], accepting: [ann] })
    const { approvals, acceptances } = first
    expect(await rotate({ ...moved, approvals, acceptances })).toMatchObject(UNSIGNED)
    expect((await rotate(moved)).status).toBe(200)
  })

  it.each([3, 4, 1000])('is rejected for any version but the next: %i', async (version) => {
    const { org, ann, ben } = await trio()
    const leap = await rotationBy(org, { officers: [ann], version, approving: [ann, ben] })
    expect(await rotate(leap)).toMatchObject(refusal(409, 'roster_version'))
  })

  it('is rejected for the current or an earlier version', async () => {
    const { org, ann, ben } = await trio()
    await rotate(await rotationBy(org, { officers: [ann, ben], quorum: 1, approving: [ann, ben] }))
    const again = await rotationBy(org, { officers: [ann], version: 2, approving: [ann, ben] })
    expect(await rotate(again)).toMatchObject(refusal(409, 'roster_version'))
    expect((await rotate(await rotationBy(org, { officers: [ann], version: 1, approving: [ann, ben] }))).status).toBe(
      400,
    )
  })

  it('follows the head, whatever was appended in between', async () => {
    const { org, ann, ben } = await trio()
    const rotation = await rotationBy(org, { officers: [ann], approving: [ann, ben] })
    await attest(org, await attestationOf(org, await freshKeys()))
    expect(await rotate(rotation)).toMatchObject({
      status: 409,
      body: { error: 'stale_inception_head', details: { head: { sequence: 2 }, appended: null } },
    })
  })
})

describe('officers', () => {
  it('cannot include the organization itself', async () => {
    const { org, ann, ben } = await trio()
    const officers = [ann, org]
    const rotation = await rotationBy(org, { officers, approving: [ann, ben], accepting: [org] })
    expect(await rotate(rotation)).toMatchObject(refusal(403, 'not_eligible'))
  })

  it('can only be changed for an organization', async () => {
    const [person, ann] = await callers(2)
    const rotation = await rotationBy(person!, { officers: [ann!], approving: [ann!], accepting: [ann!] })
    expect(await rotate(rotation)).toMatchObject(refusal(409, 'not_an_org'))
  })

  it('cannot be changed for an unknown or deactivated identity', async () => {
    const { org, ann, ben } = await trio()
    const rotation = await rotationBy(org, { officers: [ann], approving: [ann, ben] })
    const { did, scope } = (await freshCaller({ genesis: false })).identity
    const unknown = { ...rotation, statement: { ...rotation.statement, did, scope } }
    expect(await rotate(unknown)).toMatchObject(refusal(404, 'not_found'))
    await org.client.security.deactivate()
    expect(await rotate(rotation)).toMatchObject(refusal(404, 'not_found'))
  })

  it('can only be changed for an identity whose full scope is named', async () => {
    const { org, ann, ben } = await trio()
    const { statement } = await rotationBy(org, { officers: [ann] })
    const sameDid = { ...statement, scope: org.identity.scope.slice(0, 48) + '0'.repeat(48) }
    const approvals = await Promise.all([ann, ben].map(({ client }) => client.organization.approve(sameDid)))
    const rotation = { ...(await signedBy(org, sameDid)), approvals, acceptances: [] }
    expect(await rotate(rotation)).toMatchObject(refusal(403, 'owner_mismatch'))
  })

  it('can all be replaced at once: sixteen signatures of each kind fit the body', async () => {
    const { org, ann } = await trio()
    const { statement } = await rotationBy(org, { officers: [ann] })
    const dids = (from: number) => Array.from({ length: 16 }, (_, i) => `did:svc:${String(from + i).padStart(32, '0')}`)
    const [publicKeyB64u, signatureB64u] = ['A'.repeat(2603), 'A'.repeat(4412)] as const
    const { did: orgDid, scope: orgScope, previousHash: rosterHash, issuedAt } = statement
    const about = {
      type: 'svc/officer-acceptance/v1' as const,
      realm: REALM,
      orgDid,
      orgScope,
      rosterHash,
      inception: null,
      issuedAt,
    }
    const rotation = {
      statement: { ...statement, officers: dids(0), quorum: 16 },
      signatureB64u,
      approvals: dids(16).map((officerDid) => ({ officerDid, publicKeyB64u, signatureB64u })),
      acceptances: dids(0).map((officerDid) => ({ statement: { ...about, officerDid }, signatureB64u, publicKeyB64u })),
    }
    expect(await rotate(rotation)).toMatchObject(UNSIGNED)
    const [approval] = rotation.approvals
    expect((await rotate({ ...rotation, approvals: [...rotation.approvals, approval!] })).status).toBe(413)
  })
})
