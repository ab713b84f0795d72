import { NO_ORG_EVENT, type OrgBinding, type OrgEvent } from '@svc/protocol/org-bindings'
import { signStatement } from '@svc/protocol/statement'
import { ALLOWED_ORIGIN, expectRefusal, FOREIGN_ORIGIN, forgedAssertion } from '@svc/service/testing'
import type { TestCaller } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { caller, device } from './harness.ts'
import {
  boundMember,
  callers,
  get,
  incepted,
  licensed,
  officersBecome,
  organization,
  post,
  prober,
  stored,
  subjectOf,
  termsOf,
} from './organization.fixture.ts'

const HEAD = { sequence: 0, hash: NO_ORG_EVENT }
const NAMES = ['members', 'memberships', 'events'] as const

/** A good first bind of the organization’s, with members of the statement replaced before it is signed. */
async function bindBy(org: TestCaller, member: TestCaller, replaced: Partial<OrgBinding> = {}): Promise<OrgEvent> {
  const { acceptance, ...terms } = await termsOf(org, member)
  const change = { event: 'bind' as const, permissions: [], expiresAt: null, ...terms }
  const event = await org.client.members.make(change, HEAD, acceptance)
  const statement = { ...event.statement, ...replaced }
  return { ...event, ...(await signStatement(statement, (message) => org.identity.sign(message))) }
}

describe('reading the members of an organization', () => {
  it.each(NAMES)('%s is for the organization and its officers alone', async (name) => {
    const { org, officers, did } = await organization(2)
    const path = `/1.0/org/${did}/${name}`
    for (const by of [org, ...officers]) expect((await get(by, path)).status).toBe(200)
    const member = await boundMember(org, { role: 'admin', permissions: ['members:read', 'members:manage'] })
    for (const by of [member, await caller()]) expectRefusal(await get(by, path), 'forbidden')
    expectRefusal(await prober.send({ method: 'GET', path }), 'unauthorized')
    for (const audience of ['chain', 'keys']) expectRefusal(await get(org, path, prober, audience), 'invalid_audience')
    expect((await get(org, path, prober, 'console')).status).toBe(200)
  })

  it('ends for an officer with the office, at once', async () => {
    const { org, officers, did } = await organization(1)
    const incoming = await caller()
    const path = `/1.0/org/${did}/memberships`
    expect((await get(officers[0]!, path)).status).toBe(200)
    expectRefusal(await get(incoming, path), 'forbidden')
    await officersBecome(org, officers, [incoming])
    expectRefusal(await get(officers[0]!, path), 'forbidden')
    expect((await get(incoming, path)).status).toBe(200)
  })

  it('is no officer’s of another organization', async () => {
    const [mine, other] = [await organization(), await organization()]
    expectRefusal(await get(mine.officers[0]!, `/1.0/org/${other.did}/members`), 'forbidden')
    expectRefusal(await get(mine.org, `/1.0/org/${other.did}/members`), 'forbidden')
  })

  it('asks for authority, then for the licence, and only then looks at the query', async () => {
    const [org, officer, stranger] = await callers(3)
    await incepted(org!, [officer!])
    const { did } = org!.identity
    const path = `/1.0/org/${did}/memberships?limit=0`
    expectRefusal(await get(stranger!, path), 'forbidden')
    for (const by of [org!, officer!]) expectRefusal(await get(by, path), 'licence_required')
    await licensed(did)
    for (const by of [org!, officer!]) expectRefusal(await get(by, path), 'invalid_request')
  })

  it('is a device’s with org:read', async () => {
    const reader = await device({ capabilities: ['org:read'] })
    const { did } = reader.owner.identity
    await licensed(did)
    expect((await reader.client.members.memberships()).memberships).toEqual([])
    const other = await device({ capabilities: ['org:write'] })
    await expect(other.client.members.list()).rejects.toMatchObject({ status: 403, error: 'capability_required' })
  })
})

describe('the order of checks on bind and revoke', () => {
  it.each(['bind', 'revoke'])('of %s: Origin, credential, audience, owner, licence, body', async (name) => {
    const [org, stranger] = await callers(2)
    const { did } = org!.identity
    const path = `/1.0/org/${did}/${name}`
    const send = async (headers: Record<string, string>, body = '{') =>
      prober.send({ method: 'POST', path, headers: { 'content-type': 'application/json', ...headers }, body })
    const by = async (who: TestCaller) => ({ origin: ALLOWED_ORIGIN, authorization: await who.assertion('identity') })
    const authorization = await org!.assertion('identity')
    expectRefusal(await send({ authorization }), 'cors_denied')
    expectRefusal(await send({ authorization, origin: FOREIGN_ORIGIN }), 'cors_denied')
    expectRefusal(await send({ origin: ALLOWED_ORIGIN }), 'unauthorized')
    const wrong = forgedAssertion('chain', { nonce: '', expiresAt: 0 })
    expectRefusal(await send({ origin: ALLOWED_ORIGIN, authorization: wrong }), 'invalid_audience')
    expectRefusal(await send(await by(stranger!)), 'owner_mismatch')
    const unlicensed = await send({ origin: ALLOWED_ORIGIN, authorization })
    expectRefusal(unlicensed, 'licence_required')
    expect(unlicensed.body).toMatchObject({ error: 'licence_required', status: 402 })
    await licensed(did)
    expectRefusal(await send(await by(org!)), 'invalid_request')
    expectRefusal(await send(await by(org!), '{}'), 'invalid_request')
    expect(await stored(did)).toEqual({ events: [], members: [] })
  })

  it('is closed to officers, who may read', async () => {
    const { org, officers, did } = await organization()
    const event = await bindBy(org, await caller())
    expectRefusal(await post(officers[0]!, `/1.0/org/${did}/bind`, event), 'owner_mismatch')
  })
})

describe('an event that is refused', () => {
  const refused: [
    string,
    Parameters<typeof expectRefusal>[1],
    (org: TestCaller, member: TestCaller) => Promise<unknown>,
  ][] = [
    [
      'of another organization',
      'owner_mismatch',
      async (org, member) => bindBy(org, member, { orgDid: member.identity.did }),
    ],
    ['of another scope', 'owner_mismatch', async (org, member) => bindBy(org, member, { orgScope: '0'.repeat(96) })],
    [
      'from the future',
      'statement_expired',
      async (org, member) => bindBy(org, member, { issuedAt: Date.now() + 301_000 }),
    ],
    ['of another epoch', 'stale_epoch', async (org, member) => bindBy(org, member, { rootEpoch: 1 })],
    ['that leaves a place out', 'stale_org_head', async (org, member) => bindBy(org, member, { sequence: 2 })],
    [
      'after another hash',
      'stale_org_head',
      async (org, member) => bindBy(org, member, { previousHash: 'a'.repeat(96) }),
    ],
    ['about the organization itself', 'not_eligible', async (org) => bindBy(org, org)],
    [
      'that was signed by the member',
      'invalid_signature',
      async (org, member) => {
        const { signatureB64u } = await bindBy(member, member, { orgDid: org.identity.did })
        return { ...(await bindBy(org, member)), signatureB64u }
      },
    ],
    [
      'that was changed after it was signed',
      'invalid_signature',
      async (org, member) => {
        const event = await bindBy(org, member)
        return { ...event, statement: { ...event.statement, role: 'admin' } }
      },
    ],
    [
      'with an acceptance of another subject',
      'acceptance_unverifiable',
      async (org, member) => bindBy(org, member, { subjectHash: subjectOf(org.identity.did, 'another') }),
    ],
    [
      'with an acceptance of another member',
      'acceptance_unverifiable',
      async (org, member) => bindBy(org, member, { memberDid: (await caller()).identity.did }),
    ],
    [
      'with an acceptance that another signed',
      'acceptance_unverifiable',
      async (org, member) => {
        const event = await bindBy(org, member)
        const { publicKeyB64u } = (await caller()).identity
        return { ...event, acceptance: { ...event.acceptance, publicKeyB64u } }
      },
    ],
    [
      'with a forged acceptance',
      'acceptance_unverifiable',
      async (org, member) => {
        const event = await bindBy(org, member)
        return { ...event, acceptance: { ...event.acceptance, signatureB64u: event.signatureB64u } }
      },
    ],
    [
      'with the subject in clear',
      'invalid_request',
      async (org, member) => bindBy(org, member, { subjectHash: 'ann@example.com' }),
    ],
    [
      'with a permission that nobody knows',
      'invalid_request',
      async (org, member) => bindBy(org, member, { permissions: ['everything' as never] }),
    ],
    [
      'without its terms',
      'invalid_request',
      async (org, member) => org.client.members.make({ event: 'bind', memberDid: member.identity.did }, HEAD),
    ],
    [
      'with a member that its kind has not',
      'invalid_request',
      async (org, member) => bindBy(org, member, { suspendedFrom: null }),
    ],
    [
      'that revokes',
      'invalid_request',
      async (org, member) => org.client.members.make({ event: 'revoke', memberDid: member.identity.did }, HEAD),
    ],
  ]
  it.each(refused)('is one %s: %s, and nothing is written', async (_, name, make) => {
    const { org, did } = await organization()
    const member = await caller()
    expectRefusal(await post(org, `/1.0/org/${did}/bind`, await make(org, member)), name)
    expect(await stored(did)).toEqual({ events: [], members: [] })
  })

  it('is one by an identity that is no organization', async () => {
    const org = await caller()
    const { did } = org.identity
    await licensed(did)
    expectRefusal(await post(org, `/1.0/org/${did}/bind`, await bindBy(org, await caller())), 'not_an_org')
  })

  it('is one on a member that is bound, or is not, or by a subject that another has', async () => {
    const { org, did } = await organization()
    const [ann, ben] = await callers(2)
    const terms = await termsOf(org, ann!)
    const { members } = org.client
    for (const change of [members.revoke, members.suspend, members.resume]) {
      await expect(change.call(members, ann!.identity.did)).rejects.toMatchObject({
        status: 409,
        error: 'member_not_bound',
      })
    }
    await expect(members.update(terms)).rejects.toMatchObject({ error: 'member_not_bound' })
    await members.bind(terms)
    await expect(members.bind(await termsOf(org, ann!))).rejects.toMatchObject({ status: 409, error: 'member_bound' })
    const { subjectHash, provider } = terms
    const taken = { memberDid: ben!.identity.did, provider, subjectHash, role: 'guest' as const }
    await expect(members.bind(taken)).rejects.toMatchObject({ status: 409, error: 'subject_bound' })
    await members.revoke(ann!.identity.did)
    await members.bind(taken)
    expect((await stored(did)).events).toHaveLength(3)
  })

  it('by a device is one without org:write, or that its root key has not signed', async () => {
    const sender = await device({ capabilities: ['org:write'] })
    const { owner } = sender
    await incepted(owner, [await caller()])
    await licensed(owner.identity.did)
    const event = await bindBy(owner, await caller())
    const reader = await device({ capabilities: ['org:read'] })
    await expect(reader.client.members.send(event)).rejects.toMatchObject({ error: 'capability_required' })
    await expect(sender.client.members.bind({ ...(await termsOf(owner, await caller())) })).rejects.toThrow()
    expect((await sender.client.members.send(event)).sequence).toBe(1)
  })
})

describe('an event whose answer was lost', () => {
  it('finds itself in place, and is not appended again', async () => {
    const { org, did } = await organization()
    const event = await bindBy(org, await caller())
    const first = await org.client.members.send(event)
    await boundMember(org)
    expect(await org.client.members.send(event)).toEqual(first)
    expect((await stored(did)).events).toHaveLength(2)
  })

  it('that another overtook names the head to go on from', async () => {
    const { org, did } = await organization()
    const late = await bindBy(org, await caller())
    const { sequence, hash } = await org.client.members.bind(await termsOf(org, await caller()))
    const refusal = await post(org, `/1.0/org/${did}/bind`, late)
    expectRefusal(refusal, 'stale_org_head')
    expect(refusal.body).toMatchObject({ details: { head: { sequence, hash } } })
  })
})
