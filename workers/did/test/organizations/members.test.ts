import { statusOf } from '@svc/protocol/did/org-bindings'
import { expectRefusal } from '@svc/service/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { caller } from '../harness.ts'
import { boundMember, get, organization, PROVIDER, prober, stored, subjectOf, termsOf } from './organization.fixture.ts'

afterEach(() => {
  vi.useRealTimers()
})

// Every event is signed twice over, on a machine that does other things, too.

const verified = async (orgDid: string, memberDid: string) =>
  (await prober.send({ method: 'GET', path: `/1.0/org/${orgDid}/verify/${memberDid}` })).body
const at = (time: number) => vi.useFakeTimers({ now: time, toFake: ['Date'] })
const DAY_MS = 86_400_000

describe('a binding', () => {
  it('is in force once the member has accepted it', async () => {
    const { org, did } = await organization()
    const member = await caller()
    const memberDid = member.identity.did
    expect(await verified(did, memberDid)).toEqual({ orgDid: did, memberDid, bound: false })
    const appended = await org.client.members.bind(await termsOf(org, member))
    expect(appended).toEqual({
      orgDid: did,
      sequence: 1,
      hash: expect.stringMatching(/^[0-9a-f]{96}$/),
      acceptedAt: expect.any(Number),
    })
    expect(await verified(did, memberDid)).toEqual({ orgDid: did, memberDid, bound: true, provider: PROVIDER })
    expect(await stored(did)).toEqual({
      events: [{ sequence: 1, hash: appended.hash }],
      members: [{ member: memberDid, sequence: 1 }],
    })
  })

  it('without the member’s acceptance is pending until an update brings it', async () => {
    const { org, did } = await organization()
    const member = await caller()
    const memberDid = member.identity.did
    await org.client.members.bind(await termsOf(org, member, { accepted: false }))
    expect(await verified(did, memberDid)).toEqual({ orgDid: did, memberDid, bound: false })
    expect((await org.client.members.memberships()).memberships).toMatchObject([{ memberDid, status: 'pending' }])
    await org.client.members.update(await termsOf(org, member))
    expect(await verified(did, memberDid)).toMatchObject({ bound: true })
    // Other terms over the same subject need no new word of the member.
    await org.client.members.update({ ...(await termsOf(org, member, { accepted: false })), role: 'admin' })
    expect(await verified(did, memberDid)).toMatchObject({ bound: true })
    const other = { ...(await termsOf(org, member, { accepted: false })), subjectHash: subjectOf(did, 'another') }
    await org.client.members.update(other)
    expect(await verified(did, memberDid)).toEqual({ orgDid: did, memberDid, bound: false })
  })

  it('ends with its expiry, to the millisecond', async () => {
    const { org, did } = await organization()
    const expiresAt = Date.now() + DAY_MS
    const { identity } = await boundMember(org, { expiresAt })
    const memberDid = identity.did
    expect(await verified(did, memberDid)).toEqual({
      orgDid: did,
      memberDid,
      bound: true,
      provider: PROVIDER,
      expiresAt,
    })
    at(expiresAt - 1)
    expect(await verified(did, memberDid)).toMatchObject({ bound: true })
    at(expiresAt)
    expect(await verified(did, memberDid)).toEqual({ orgDid: did, memberDid, bound: false })
    expect((await org.client.members.memberships()).memberships).toMatchObject([{ status: 'expired', expiresAt }])
  })

  it('is out of force during a suspension, and back when its window ends', async () => {
    const { org, did } = await organization()
    const { identity } = await boundMember(org)
    const [from, until] = [Date.now() + DAY_MS, Date.now() + 2 * DAY_MS]
    await org.client.members.suspend(identity.did, { from, until })
    const bound = async (time: number) => {
      at(time)
      return ((await verified(did, identity.did)) as { bound: boolean }).bound
    }
    const times = [from - 1, from, until - 1, until]
    const answers: boolean[] = []
    for (const time of times) answers.push(await bound(time))
    expect(answers).toEqual([true, false, false, true])
  })

  it('that is suspended without an end stays so until it is resumed', async () => {
    const { org, did } = await organization()
    const { identity } = await boundMember(org)
    await org.client.members.suspend(identity.did)
    expect(await verified(did, identity.did)).toMatchObject({ bound: false })
    const { memberships } = await org.client.members.memberships()
    expect(memberships).toMatchObject([{ status: 'suspended', suspendedUntil: null, latest: { event: 'suspend' } }])
    await org.client.members.resume(identity.did)
    expect(await verified(did, identity.did)).toMatchObject({ bound: true })
  })

  it('that was revoked comes back only by a new acceptance', async () => {
    const { org, did } = await organization()
    const member = await caller()
    const memberDid = member.identity.did
    const terms = await termsOf(org, member)
    await org.client.members.bind(terms)
    await org.client.members.revoke(memberDid)
    expect(await verified(did, memberDid)).toEqual({ orgDid: did, memberDid, bound: false })
    expect((await org.client.members.list()).members).toEqual([])
    expect((await org.client.members.memberships()).memberships).toMatchObject([{ status: 'revoked' }])
    await expect(org.client.members.bind(terms)).rejects.toMatchObject({
      status: 403,
      error: 'acceptance_unverifiable',
    })
    await org.client.members.bind({ ...terms, ...(await termsOf(org, member)) })
    expect(await verified(did, memberDid)).toMatchObject({ bound: true })
  })

  it('ends with the identity of the member, or of the organization', async () => {
    const { org, did } = await organization()
    const [member, other] = [await boundMember(org), await boundMember(org)]
    await member.client.security.deactivate()
    expect(await verified(did, member.identity.did)).toMatchObject({ bound: false })
    expect(await verified(did, other.identity.did)).toMatchObject({ bound: true })
    await org.client.security.deactivate()
    expect(await verified(did, other.identity.did)).toMatchObject({ bound: false })
  })

  it('is told to its member over all organizations, and to nobody else', async () => {
    const [first, second] = [await organization(), await organization()]
    const member = await caller()
    for (const { org } of [first, second]) await org.client.members.bind(await termsOf(org, member))
    await second.org.client.members.revoke(member.identity.did)
    const { did, bindings, cursor } = await member.client.membership.bindings()
    expect({ did, cursor }).toEqual({ did: member.identity.did, cursor: null })
    const statuses = Object.fromEntries(bindings.map(({ orgDid, status }) => [orgDid, status]))
    expect(statuses).toEqual({ [first.did]: 'active', [second.did]: 'revoked' })
    expect(bindings.map(({ orgDid }) => orgDid)).toEqual([first.did, second.did].toSorted())
    const path = `/1.0/identifiers/${member.identity.did}/bindings`
    for (const by of [first.org, first.officers[0]!]) expectRefusal(await get(by, path), 'owner_mismatch')
    expectRefusal(await prober.send({ method: 'GET', path }), 'unauthorized')
    expect((await get(member, path, prober, 'console')).status).toBe(200)
    expectRefusal(await get(member, path, prober, 'chain'), 'invalid_audience')
  })

  it('holds in a roster that anybody folds from the signed events alone', async () => {
    const { org, officers, did } = await organization()
    const [ann, ben] = [
      await boundMember(org, { role: 'manager', permissions: ['members:read'] }),
      await boundMember(org),
    ]
    await org.client.members.revoke(ben.identity.did)
    const { members, head } = await officers[0]!.client.members.verify(did)
    expect(head.sequence).toBe(3)
    const statuses = [ann, ben].map(({ identity }) => {
      const member = members.get(identity.did)
      return member && statusOf(member, Date.now())
    })
    expect(statuses).toEqual(['active', 'revoked'])
    expect(members.get(ann.identity.did)).toMatchObject({ role: 'manager', permissions: ['members:read'] })
  })
})

describe('a page of members', () => {
  it('has 1 to 200, goes on after its cursor, and holds while others write', async () => {
    const { org, did } = await organization()
    const dids: string[] = []
    for (let i = 0; i < 5; i++) dids.push((await boundMember(org)).identity.did)
    dids.sort()
    const first = await org.client.members.memberships({ limit: 2 })
    expect(first.memberships.map(({ memberDid }) => memberDid)).toEqual(dids.slice(0, 2))
    expect(first).toMatchObject({ cursor: dids[1], head: { sequence: 5 } })
    await org.client.members.revoke(dids[0]!)
    await org.client.members.suspend(dids[3]!)
    const cursor = first.cursor ?? ''
    const second = await org.client.members.memberships({ limit: 200, cursor })
    expect(second.memberships.map(({ memberDid }) => memberDid)).toEqual(dids.slice(2))
    expect(second.cursor).toBeNull()
    expect((await org.client.members.list({ limit: 1 })).members.map((one) => one.memberDid)).toEqual([dids[1]])
    for (const limit of ['0', '201', '-1', '1.5', 'x', '']) {
      for (const name of ['members', 'memberships']) {
        expectRefusal(await get(org, `/1.0/org/${did}/${name}?limit=${limit}`), 'invalid_request')
      }
    }
    expectRefusal(await get(org, `/1.0/org/${did}/members?cursor=x`), 'invalid_request')
  })
})
