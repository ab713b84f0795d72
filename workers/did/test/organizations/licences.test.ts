import { expectRefusal } from '@svc/service/testing'
import { describe, expect, it, vi } from 'vitest'
import { caller } from '../harness.ts'
import {
  boundMember,
  callers,
  get,
  incepted,
  licensed,
  organization,
  post,
  stored,
  termsOf,
  without,
} from './organization.fixture.ts'

const isLicensed = async (by: Awaited<ReturnType<typeof caller>>) => {
  const { status, error } = await get(by, `/1.0/org/${by.identity.did}/members`)
  if (status !== 200) expect(error).toBe('licence_required')
  return status === 200
}

describe('the plan of an organization at pay', () => {
  it('opens its routes when it is granted, and closes them when it is revoked, at once', async () => {
    const by = await caller()
    const { did } = by.identity
    expect(await isLicensed(by)).toBe(false)
    await licensed(did)
    expect(await isLicensed(by)).toBe(true)
    await licensed(did, { action: 'revoke', issuedAt: Date.now() + 1 })
    expect(await isLicensed(by)).toBe(false)
    await licensed(did, { issuedAt: Date.now() + 2 })
    expect(await isLicensed(by)).toBe(true)
  })

  it('that ends leaves members bound and public answers open, and closes what it was for', async () => {
    const [org, officer] = await callers(2)
    await incepted(org!, [officer!])
    const { did } = org!.identity
    await licensed(did)
    const member = await boundMember(org!)
    await licensed(did, { action: 'revoke', issuedAt: Date.now() + 1 })
    await expect(org!.client.members.revoke(member.identity.did)).rejects.toMatchObject({ status: 402 })
    await expect(officer!.client.members.memberships({ orgDid: did })).rejects.toMatchObject({ status: 402 })
    expect(await member.client.membership.verify(did, member.identity.did)).toMatchObject({ bound: true })
    expect((await member.client.membership.bindings()).bindings).toHaveLength(1)
    expect((await member.client.membership.officers(did)).officers).toEqual([officer!.identity.did])
  })

  it('of one organization does not cover another', async () => {
    const [one, other] = await callers(2)
    await licensed(one!.identity.did)
    expect([await isLicensed(one!), await isLicensed(other!)]).toEqual([true, false])
  })

  it('is what counts: a tier of another source opens nothing', async () => {
    const by = await caller()
    const tier = { tier: 'research', source: 'licence', from: 1, until: Date.now() + 1000, planUntil: null }
    const PAY = { standing: async () => tier }
    expectRefusal(await get(by, `/1.0/org/${by.identity.did}/members`, without({ PAY })), 'licence_required')
  })
})

const NO_ANSWERS: readonly [string, () => Promise<unknown>][] = [
  ['throws', () => Promise.reject(new Error('canary'))],
  ['answers nothing', async () => undefined],
  ['answers yes', async () => ({ planUntil: 1 })],
  ['answers null', async () => null],
]

describe('while pay', () => {
  it.each(NO_ANSWERS)('%s, nobody counts as licensed, and nobody as unlicensed', async (_, standing) => {
    const { org, officers, did } = await organization()
    const cut = without({ PAY: { standing } })
    for (const by of [org, officers[0]!]) {
      const refused = await get(by, `/1.0/org/${did}/members`, cut)
      expectRefusal(refused, 'dependency_unavailable')
      expect(JSON.stringify(refused.body)).not.toContain('canary')
    }
    const { acceptance, ...terms } = await termsOf(org, await caller())
    const change = { event: 'bind' as const, permissions: [], expiresAt: null, ...terms }
    const event = await org.client.members.make(change, { sequence: 0, hash: '0'.repeat(96) }, acceptance)
    expectRefusal(await post(org, `/1.0/org/${did}/bind`, event, cut), 'dependency_unavailable')
    expect(await stored(did)).toEqual({ events: [], members: [] })
    expect((await post(org, `/1.0/org/${did}/bind`, event)).status).toBe(200)
  })

  it('is asked by nobody who is not the organization or an officer', async () => {
    const { did } = await organization()
    const standing = vi.fn(async () => null)
    const stranger = await caller()
    expectRefusal(await get(stranger, `/1.0/org/${did}/members`, without({ PAY: { standing } })), 'forbidden')
    expect(standing).not.toHaveBeenCalled()
  })
})
