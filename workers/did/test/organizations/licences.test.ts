import { env } from 'cloudflare:workers'
import { expectRefusal, FOREIGN_ORIGIN } from '@svc/service/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { caller } from '../harness.ts'
import {
  boundMember,
  callers,
  get,
  incepted,
  licenceAct,
  licensed,
  prober,
  sendAct,
  without,
} from './organization.fixture.ts'

afterEach(() => {
  vi.useRealTimers()
})

const acts = async (orgDid: string) =>
  (await env.DB.prepare("SELECT nonce FROM operator_acts WHERE signed LIKE '%' || ? || '%'").bind(orgDid).all()).results
const isLicensed = async (by: Awaited<ReturnType<typeof caller>>) => {
  const { status, error } = await get(by, `/1.0/org/${by.identity.did}/members`)
  if (status !== 200) expect(error).toBe('licence_required')
  return status === 200
}

describe('a licence', () => {
  it('is granted and revoked by acts of the operator, each recorded', async () => {
    const by = await caller()
    const { did } = by.identity
    expect(await isLicensed(by)).toBe(false)
    const act = await licenceAct({ orgDid: did })
    const { status, body } = await sendAct(act)
    const { type, nonce } = act.statement
    expect({ status, body }).toEqual({ status: 200, body: { type, nonce, recordedAt: expect.any(Number) } })
    expect(await isLicensed(by)).toBe(true)
    await licensed(did, { action: 'revoke', issuedAt: Date.now() + 1 })
    expect(await isLicensed(by)).toBe(false)
    await licensed(did, { issuedAt: Date.now() + 2 })
    expect(await isLicensed(by)).toBe(true)
    expect(await acts(did)).toHaveLength(3)
  })

  it('ends by itself, to the millisecond', async () => {
    const by = await caller()
    const expiresAt = Date.now() + 86_400_000
    await licensed(by.identity.did, { expiresAt })
    vi.useFakeTimers({ now: expiresAt - 1, toFake: ['Date'] })
    expect(await isLicensed(by)).toBe(true)
    vi.useFakeTimers({ now: expiresAt, toFake: ['Date'] })
    expect(await isLicensed(by)).toBe(false)
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

  it('holds as the newest act says, in whichever order acts arrive', async () => {
    const by = await caller()
    const orgDid = by.identity.did
    const now = Date.now()
    const [grant, revoke] = [
      await licenceAct({ orgDid, issuedAt: now - 1000 }),
      await licenceAct({ orgDid, action: 'revoke', issuedAt: now }),
    ]
    for (const act of [revoke, grant]) expect((await sendAct(act)).status).toBe(200)
    expect(await isLicensed(by)).toBe(false)
    const same = await licenceAct({ orgDid, issuedAt: now })
    expect((await sendAct(same)).status).toBe(200)
    expect(await isLicensed(by)).toBe(false)
  })
})

describe('an act', () => {
  it('is one act, sent twenty times at once, and is spent then', async () => {
    const { did } = (await caller()).identity
    const act = await licenceAct({ orgDid: did })
    const answers = await Promise.all(Array.from({ length: 20 }, () => sendAct(act)))
    const [done, refused] = [
      answers.filter(({ status }) => status === 200),
      answers.filter(({ status }) => status > 200),
    ]
    expect(new Set(done.map(({ body }) => JSON.stringify(body))).size).toBe(1)
    for (const answer of refused) expectRefusal(answer, 'statement_replay')
    expect(await acts(did)).toHaveLength(1)
    expectRefusal(await sendAct(act), 'statement_replay')
    const other = await licenceAct({
      orgDid: did,
      action: 'revoke',
      nonce: act.statement.nonce,
      issuedAt: Date.now() + 1,
    })
    expectRefusal(await sendAct(other), 'statement_replay')
  })

  it('is the operator’s, of now, from an allowlisted Origin', async () => {
    const by = await caller()
    const orgDid = by.identity.did
    const act = await licenceAct({ orgDid })
    expectRefusal(await sendAct(await licenceAct({ orgDid }, new Uint8Array(32).fill(6))), 'invalid_signature')
    const changed = { ...act, statement: { ...act.statement, expiresAt: act.statement.issuedAt + 1 } }
    expectRefusal(await sendAct(changed), 'invalid_signature')
    for (const issuedAt of [Date.now() - 301_000, Date.now() + 301_000]) {
      expectRefusal(await sendAct(await licenceAct({ orgDid, issuedAt })), 'statement_expired')
    }
    expectRefusal(await sendAct(act, prober, {}), 'cors_denied')
    expectRefusal(await sendAct(act, prober, { origin: FOREIGN_ORIGIN }), 'cors_denied')
    expectRefusal(await sendAct(act, without({ OPERATOR_PUBLIC_KEY: '' })), 'operator_acts_disabled')
    expect(await acts(orgDid)).toEqual([])
    expect(await isLicensed(by)).toBe(false)
  })

  it.each([
    ['a grant without an end', { expiresAt: null }],
    ['a revocation with an end', { action: 'revoke' as const, expiresAt: 1 }],
    ['a short nonce', { nonce: 'short' }],
    ['no DID', { orgDid: 'did:web:example.com' }],
  ])('is refused with %s', async (_, members) => {
    expectRefusal(
      await sendAct(await licenceAct({ orgDid: `did:svc:${'A'.repeat(32)}`, ...members })),
      'invalid_request',
    )
  })

  it('that was recorded and not done is done when it is sent again', async () => {
    const by = await caller()
    const act = await licenceAct({ orgDid: by.identity.did })
    const prepare = (sql: string) => {
      if (sql.includes('INSERT INTO org_licences')) throw new Error('canary')
      return env.DB.prepare(sql)
    }
    const DB = { prepare, batch: (statements: D1PreparedStatement[]) => env.DB.batch(statements) }
    const broken = await sendAct(act, without({ DB }))
    expect(broken.status).toBeGreaterThanOrEqual(500)
    expect(await acts(by.identity.did)).toHaveLength(1)
    expect(await isLicensed(by)).toBe(false)
    expect((await sendAct(act)).status).toBe(200)
    expect(await isLicensed(by)).toBe(true)
  })

  it('is not recorded when the database fails, and is good afterwards', async () => {
    const by = await caller()
    const orgDid = by.identity.did
    const act = await licenceAct({ orgDid })
    const DB = { prepare: (sql: string) => env.DB.prepare(sql), batch: () => Promise.reject(new Error('canary')) }
    expectRefusal(await sendAct(act, without({ DB })), 'dependency_unavailable')
    expect(await acts(orgDid)).toEqual([])
    expect((await sendAct(act)).status).toBe(200)
    expect(await isLicensed(by)).toBe(true)
  })
})
