import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { freshCaller } from '../harness.ts'
import { sweepAt } from '../ipfs/ipfs.fixture.ts'
import {
  after,
  codesAtPay,
  GOOD,
  inviteAct,
  listedAs,
  Office,
  requested,
  sendAct,
  storedFor,
  submit,
} from './invites.fixture.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const DAY_MS = 24 * 3_600_000
const DONE = { status: 200, body: { success: true } }
const refused = (error: string, status = 409) => ({ status, body: { success: false, error } })

describe('an approved request', () => {
  it('gets one code by mail, which gives what the operator said', async () => {
    const office = new Office()
    const { id, email } = await requested()
    const before = await codesAtPay()
    expect(await office.act('approve', id, { tier: 'atelier', days: 30 })).toMatchObject(DONE)
    expect(office.kept).toHaveLength(1)
    expect(office.kept[0]).toMatchObject({ to: email, subject: 'Your invitation' })
    expect(office.kept[0]?.text).toContain('\nhttps://core.test/activation\n')
    expect(office.kept[0]?.text).toContain('the tier "atelier" for 30 days')
    expect(await codesAtPay()).toBe(before + 1)
    const [code = 'none'] = office.codesTo(email)
    const { client, identity } = await freshCaller()
    const { tier, expiresAt } = await client.account.redeem(code, identity.did)
    expect(tier).toBe('atelier')
    expect(Math.abs((expiresAt ?? 0) - Date.now() - 30 * DAY_MS)).toBeLessThan(60_000)
    expect(await client.account.licence()).toMatchObject({ licensed: true, tier: 'atelier' })
  })

  it('is listed with what it gives, and with when it is forgotten', async () => {
    const { id, email } = await requested()
    await new Office().act('approve', id)
    const invite = await listedAs(id)
    expect(invite).toMatchObject({ state: 'approved', email, grants: { tier: 'provenance', days: 90 } })
    expect(invite?.forgetAt).toBe((invite?.decidedAt ?? 0) + 30 * DAY_MS)
  })

  it('stays approved when the operator approves it again, and no second mail is sent', async () => {
    const office = new Office()
    const { id, email } = await requested()
    const before = await codesAtPay()
    for (let i = 0; i < 3; i += 1) expect(await office.act('approve', id)).toMatchObject(DONE)
    expect([office.kept.length, office.codesTo(email).length, await codesAtPay()]).toEqual([1, 1, before + 1])
  })

  it.each<[string, 'approve' | 'decline', object]>([
    ['approved for another tier', 'approve', { tier: 'atelier' }],
    ['approved for another time', 'approve', { days: 91 }],
    ['declined', 'decline', {}],
    ['declined by mail', 'decline', { mail: true }],
  ])('cannot be %s', async (_, deed, terms) => {
    const office = new Office()
    const { id } = await requested()
    await office.act('approve', id)
    expect(await office.act(deed, id, terms)).toMatchObject(refused('invite_decided'))
    expect(office.kept).toHaveLength(1)
    expect(await listedAs(id)).toMatchObject({ state: 'approved', grants: { tier: 'provenance', days: 90 } })
  })

  it('leaves its code nowhere: not in a row, the record of the act, the answer or the log', async () => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => {})
    const office = new Office()
    const { id, email } = await requested()
    const answer = await office.act('approve', id)
    const [code = 'none'] = office.codesTo(email)
    expect(code).toMatch(/^[0-9A-Z-]{19}$/)
    const rows = await Promise.all(
      ['operator_acts', 'entitlement_codes'].map((table) => env.CONTROL_DB.prepare(`SELECT * FROM ${table}`).all()),
    )
    const invites = await env.DB.prepare('SELECT * FROM invite_requests').all()
    const seen = JSON.stringify([answer, rows.map(({ results }) => results), invites.results, log.mock.calls])
    expect(seen).toContain(id)
    for (const secret of [code, code.replaceAll('-', ''), email, GOOD.name, GOOD.reason]) {
      expect(seen).not.toContain(secret)
    }
    const row = env.DB.prepare('SELECT sealed_code FROM invite_requests WHERE id = ?').bind(id)
    expect(await row.first()).toEqual({ sealed_code: null })
  })

  it('puts nothing into its mail that a stranger wrote', async () => {
    const office = new Office()
    const email = 'victim@example.org'
    await submit({ ...GOOD, email, name: 'Visit evil.example', reason: 'Buy something' })
    const last = env.DB.prepare('SELECT id FROM invite_requests ORDER BY position DESC LIMIT 1')
    await office.act('approve', (await last.first<string>('id')) ?? '')
    expect(office.kept).toMatchObject([{ to: email }])
    expect(JSON.stringify(office.kept)).not.toMatch(/evil|Buy/)
  })
})

describe('a declined request', () => {
  it('is told to nobody, unless the operator says so', async () => {
    const office = new Office()
    const [quiet, told] = [await requested(), await requested()]
    expect(await office.act('decline', quiet.id)).toMatchObject(DONE)
    expect(office.kept).toEqual([])
    expect(await office.act('decline', told.id, { mail: true })).toMatchObject(DONE)
    expect(office.kept).toMatchObject([{ to: told.email, subject: 'Your request for an invitation' }])
    for (const { id } of [quiet, told]) expect(await listedAs(id)).toMatchObject({ state: 'declined', grants: null })
  })

  it('stays declined', async () => {
    const office = new Office()
    const { id } = await requested()
    const before = await codesAtPay()
    await office.act('decline', id)
    expect(await office.act('decline', id)).toMatchObject(DONE)
    expect(await office.act('decline', id, { mail: true })).toMatchObject(refused('invite_decided'))
    expect(await office.act('approve', id)).toMatchObject(refused('invite_decided'))
    expect([office.kept.length, await codesAtPay()]).toEqual([0, before])
  })

  it('needs no mail to be declined quietly', async () => {
    const office = new Office()
    const { id } = await requested()
    expect(await office.act('decline', id, { mail: true }, { MAIL_FROM: '' })).toMatchObject({ status: 503 })
    expect(await office.act('decline', id, {}, { MAIL_FROM: '' })).toMatchObject(DONE)
  })
})

describe('what is kept', () => {
  it('of a decided request goes 30 days after the decision', async () => {
    const office = new Office()
    const [approved, declined, open] = [await requested(), await requested(), await requested()]
    await office.act('approve', approved.id)
    await office.act('decline', declined.id)
    await sweepAt(Date.now() + 30 * DAY_MS - 60_000)
    for (const { email } of [approved, declined, open]) expect(await storedFor(email)).toHaveLength(1)
    await sweepAt(Date.now() + 30 * DAY_MS + 60_000)
    for (const { email } of [approved, declined]) expect(await storedFor(email)).toEqual([])
    expect(await storedFor(open.email)).toHaveLength(1)
  })

  it.each(['open', 'approve', 'decline'] as const)('goes at once when the operator forgets it: %s', async (deed) => {
    const office = new Office()
    const { id, email } = await requested()
    if (deed !== 'open') await office.act(deed, id)
    expect(await office.act('forget', id)).toMatchObject(DONE)
    expect(await listedAs(id)).toBeUndefined()
    expect(await storedFor(email)).toEqual([])
    for (const later of ['forget', 'approve', 'decline'] as const) {
      expect(await office.act(later, id)).toMatchObject(refused('not_found', 404))
    }
    // The person can ask again, under another id.
    await submit({ ...GOOD, email })
    expect(await storedFor(email)).toHaveLength(1)
    expect(await listedAs(id)).toBeUndefined()
  })

  it('lets nobody ask again before it has gone', async () => {
    const { id, email } = await requested()
    await new Office().act('decline', id)
    await submit({ ...GOOD, email, reason: 'again' })
    expect(await storedFor(email)).toMatchObject([{ reason: GOOD.reason }])
    expect(await listedAs(id)).toMatchObject({ state: 'declined' })
  })
})

describe('an act about a request', () => {
  it('is recorded without anything about the person', async () => {
    const office = new Office()
    const { id } = await requested()
    const signed = await inviteAct('approve', id)
    await sendAct(signed, office.over())
    const row = env.CONTROL_DB.prepare('SELECT signed, done_at FROM operator_acts WHERE nonce = ?')
    const record = await row.bind(signed.statement.nonce).first<{ signed: string; done_at: number }>()
    expect(record?.done_at).toEqual(expect.any(Number))
    expect(Object.keys(JSON.parse(record?.signed ?? '{}') as object).toSorted()).toEqual(
      ['days', 'inviteId', 'issuedAt', 'nonce', 'realm', 'service', 'tier', 'type'].toSorted(),
    )
    expect(await sendAct(signed, office.over())).toMatchObject(refused('statement_replay'))
    expect(office.kept).toHaveLength(1)
  })

  it.each<[string, 'approve' | 'decline' | 'forget', object]>([
    ['the address instead of an id', 'approve', { inviteId: 'ada@example.org' }],
    ['another tier', 'approve', { tier: 'gold' }],
    ['no days', 'approve', { days: 0 }],
    ['a name', 'approve', { name: 'Ada' }],
    ['no word about the mail', 'decline', { mail: undefined }],
    ['another service', 'forget', { service: 'pay' }],
  ])('is refused with %s', async (_, deed, terms) => {
    const office = new Office()
    const { id } = await requested()
    expect((await office.act(deed, id, terms)).status).toBe(400)
    expect(await listedAs(id)).toMatchObject({ state: 'open' })
  })

  it('is refused for a request that does not exist', async () => {
    for (const deed of ['approve', 'decline', 'forget'] as const) {
      expect(await new Office().act(deed, '0123456789abcdef')).toMatchObject(refused('not_found', 404))
    }
  })

  it('is refused five minutes after it was signed', async () => {
    const { id } = await requested()
    const signed = await inviteAct('approve', id)
    after(301_000)
    expect(await sendAct(signed)).toMatchObject({ status: 401, body: { error: 'statement_expired' } })
  })
})
