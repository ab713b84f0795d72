import { ALLOWED_ORIGIN, expectRefusal, FOREIGN_ORIGIN, forgedAssertion } from '@svc/service/testing'
import type { TestCaller } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { caller, device } from '../harness.ts'
import {
  bindBy,
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
} from './organization.fixture.ts'

// Every identity is made, and every event signed, on a machine that does other things, too.

const NAMES = ['members', 'memberships', 'events'] as const

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

  it('does not extend to officers of another organization', async () => {
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
    const denied = await send({ authorization })
    expectRefusal(denied, 'cors_denied')
    expect(denied.body).toMatchObject({ error: 'cors_denied', status: 403 })
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
