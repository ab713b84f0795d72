import { env } from 'cloudflare:workers'
import { signStatement } from '@svc/protocol/base/statement'
import type { OrgHead } from '@svc/protocol/did/org-bindings'
import { TIER_BUDGETS, TIERS } from '@svc/protocol/pay/tiers'
import { expectRefusal } from '@svc/service/testing'
import { signerOf } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { caller, device } from '../harness.ts'
import { rotated } from '../rotation/rotation.fixture.ts'
import {
  bindBy,
  boundMember,
  coreWithout,
  get,
  incepted,
  licensed,
  officersBecome,
  organization,
  post,
  prober,
  rowsOf,
  stored,
  termsOf,
  without,
} from './organization.fixture.ts'

// Every identity is made, and every event signed, on a machine that does other things, too.

const NOTHING = { events: [], members: [] }

/** Core whose answers about officers say something else of how the organization stands. */
const standing = (members: object): Fetcher =>
  coreWithout(/\/officers\//, async (request) => {
    const answer = await env.CORE.fetch(request)
    return Response.json({ ...(await answer.json<object>()), ...members })
  })

describe('just before an event is written', () => {
  it('a security hold stops it, and lifting the hold lets it through', async () => {
    const { org, did } = await organization()
    const event = await bindBy(org, await caller())
    await org.client.security.placeHold()
    expectRefusal(await post(org, `/1.0/org/${did}/bind`, event), 'security_hold')
    expect(await stored(did)).toEqual(NOTHING)
    await org.client.security.liftHold()
    expect((await post(org, `/1.0/org/${did}/bind`, event)).status).toBe(200)
  })

  it('a hold stops a revocation too', async () => {
    const { org } = await organization()
    const { identity } = await boundMember(org)
    await org.client.security.placeHold()
    await expect(org.client.members.revoke(identity.did)).rejects.toMatchObject({ status: 409, error: 'security_hold' })
  })

  it.each([
    ['the root key was superseded', { rootEpoch: 1 }, 'stale_epoch'],
    ['the organization has ended', { deactivatedAt: 1 }, 'not_an_org'],
    ['a hold was placed', { held: true }, 'security_hold'],
    ['core names no epoch', { rootEpoch: undefined }, 'dependency_unavailable'],
  ] as const)('it is noticed that %s on the way', async (_, members, refusal) => {
    const { org, did } = await organization()
    const event = await bindBy(org, await caller())
    expectRefusal(await post(org, `/1.0/org/${did}/bind`, event, without({ CORE: standing(members) })), refusal)
    expect(await stored(did)).toEqual(NOTHING)
  })

  it('an event signed by a superseded root key is refused from every caller', async () => {
    const { org, did } = await organization()
    const event = await bindBy(org, await caller())
    const { next } = await rotated(org)
    expectRefusal(await post(org, `/1.0/org/${did}/bind`, event), 'unauthorized')
    expectRefusal(await post(next, `/1.0/org/${did}/bind`, event), 'stale_epoch')
    const { statement } = event
    const forged = await signStatement({ ...statement, rootEpoch: 1 }, signerOf(org.identity))
    expectRefusal(await post(next, `/1.0/org/${did}/bind`, { ...event, ...forged }), 'invalid_signature')
    expect(await stored(did)).toEqual(NOTHING)
  })

  it('an event from before a rotation is ordered by the time at which it was accepted', async () => {
    const { org } = await organization()
    const member = await boundMember(org)
    expect(await org.client.members.verify()).toMatchObject({ signer: 'active', order: 'inception' })
    const { next } = await rotated(org)
    expect(await next.client.members.verify()).toMatchObject({ signer: 'superseded', order: 'log' })
    await next.client.members.suspend(member.identity.did)
    expect(await next.client.members.verify()).toMatchObject({ signer: 'active', order: 'inception' })
  })
})

describe('an officer', () => {
  it('whose root key was handed over reads by the new one, and the old one opens nothing', async () => {
    const { officers, did } = await organization()
    const path = `/1.0/org/${did}/members`
    const { next } = await rotated(officers[0]!)
    expectRefusal(await get(officers[0]!, path), 'unauthorized')
    expect((await get(next, path)).status).toBe(200)
  })

  it('who has ended its identity reads nothing', async () => {
    const { officers, did } = await organization()
    await officers[0]!.client.security.deactivate()
    expectRefusal(await get(officers[0]!, `/1.0/org/${did}/members`), 'unauthorized')
  })

  it('of an organization that has ended reads nothing', async () => {
    const { org, officers, did } = await organization()
    await org.client.security.deactivate()
    expectRefusal(await get(officers[0]!, `/1.0/org/${did}/members`), 'forbidden')
  })

  it('who came back may read again', async () => {
    const { org, officers, did } = await organization()
    const other = await caller()
    const path = `/1.0/org/${did}/members`
    await officersBecome(org, officers, [other], 2)
    expectRefusal(await get(officers[0]!, path), 'forbidden')
    await officersBecome(org, [other], officers, 3)
    expect((await get(officers[0]!, path)).status).toBe(200)
  })
})

describe('an acceptance', () => {
  it('of the future is refused, as it would bar every later one', async () => {
    const { org, did } = await organization()
    const member = await caller()
    const event = await bindBy(org, member)
    const { statement, publicKeyB64u } = event.acceptance!
    const later = { ...statement, issuedAt: Date.now() + 400_000 }
    const acceptance = { ...(await signStatement(later, signerOf(member.identity))), publicKeyB64u }
    const refused = await post(org, `/1.0/org/${did}/bind`, { ...event, acceptance })
    expectRefusal(refused, 'statement_expired')
    expect(await stored(did)).toEqual(NOTHING)
  })

  it('by a root key that the member has handed over is none', async () => {
    const { org, did } = await organization()
    const member = await caller()
    const event = await bindBy(org, member)
    await rotated(member)
    expectRefusal(await post(org, `/1.0/org/${did}/bind`, event), 'acceptance_unverifiable')
    expect(await stored(did)).toEqual(NOTHING)
  })

  it('of one organization is none at another', async () => {
    const [one, other] = [await organization(), await organization()]
    const member = await caller()
    const { acceptance } = await bindBy(one.org, member)
    const event = await bindBy(other.org, member)
    expectRefusal(
      await post(other.org, `/1.0/org/${other.did}/bind`, { ...event, ...(acceptance ? { acceptance } : {}) }),
      'acceptance_unverifiable',
    )
    expectRefusal(await post(other.org, `/1.0/org/${one.did}/bind`, event), 'owner_mismatch')
    expect([await stored(one.did), await stored(other.did)]).toEqual([NOTHING, NOTHING])
  })
})

describe.each(TIERS)('a log with as many events as the tier %s has', (tier) => {
  const limit = TIER_BUDGETS[tier].organizationEvents

  it('takes no more but revocations', async () => {
    const { org, did } = await organization()
    const member = await boundMember(org)
    await licensed(did, { tier, issuedAt: Date.now() + 1 })
    const last = async (sequence: number) => {
      const insert = "INSERT INTO events (sequence, hash, event, accepted_at) VALUES (?, ?, '{}', 0)"
      await rowsOf(did, insert, sequence, 'a'.repeat(96))
      return { sequence, hash: 'a'.repeat(96) }
    }
    const bindAfter = async (head: OrgHead) => {
      const { acceptance, ...terms } = await termsOf(org, await caller())
      const change = { event: 'bind' as const, permissions: [], expiresAt: null, ...terms }
      return post(org, `/1.0/org/${did}/bind`, await org.client.members.make(change, head, acceptance))
    }
    expect((await bindAfter(await last(limit - 1))).body).toMatchObject({ sequence: limit })
    const head = await last(limit + 1)
    const refused = await bindAfter(head)
    expectRefusal(refused, 'budget_exhausted')
    expect(refused.body).toMatchObject({ details: { budget: 'organizationEvents', used: limit + 1, limit, tier } })
    const revoke = await org.client.members.make({ event: 'revoke', memberDid: member.identity.did }, head)
    expect((await post(org, `/1.0/org/${did}/revoke`, revoke)).body).toMatchObject({ sequence: limit + 2 })
    const path = `/1.0/org/${did}/verify/${member.identity.did}`
    expect((await prober.send({ method: 'GET', path })).body).toMatchObject({ bound: false })
  })
})

it('a device that was revoked carries no event any more, at once', async () => {
  const sender = await device({ capabilities: ['org:write'] })
  const { owner } = sender
  await incepted(owner, [await caller()])
  await licensed(owner.identity.did)
  const event = await bindBy(owner, await caller())
  await owner.client.devices.revoke(sender.device.deviceId)
  await expect(sender.client.members.send(event)).rejects.toMatchObject({ status: 401 })
  expect(await stored(owner.identity.did)).toEqual(NOTHING)
})
