import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { databaseWith, failingAfter, failingBefore } from '../database.fixture.ts'
import { freshCaller } from '../harness.ts'
import { after, codesAtPay, inviteAct, listedAs, Office, requested, sendAct } from './invites.fixture.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const DONE = { status: 200, body: { success: true } }
const UNAVAILABLE = { status: 503, body: { success: false, error: 'dependency_unavailable' } }
const UNDER_WAY = { status: 409, body: { success: false, error: 'invite_under_way' } }
const MINUTE = 60_000

const lost = () => {
  throw new Error('the answer was lost')
}
type Issue = (code: object) => Promise<unknown>
/** The real pay, with something around the issue of a code. */
const payAround = (around: (issue: Issue, code: object) => Promise<unknown>) => ({
  PAY: { issue: (code: object) => around((real) => (env.PAY as unknown as { issue: Issue }).issue(real), code) },
})
const DECIDE = 'SET decision = ?2'
const FINISH = 'SET done_at = ?2'
const RELEASE = 'SET held_until = 0'

interface CrashPoint {
  readonly at: string
  /** The statement that fails, if it is the database. */
  readonly statement?: string
  readonly replaced?: object
  readonly deliver?: Office['deliver']
  /** Whether the mail had gone out before the fault, so that a second one follows. */
  readonly mailed?: true
}

/** In the order in which an approval comes to them. */
const AFTER_THE_DECISION: readonly CrashPoint[] = [
  { at: 'pay, before it issues the code', replaced: payAround(() => Promise.reject(new Error('pay is down'))) },
  {
    at: 'pay, after it issued the code',
    replaced: payAround(async (issue, code) => {
      await issue(code)
      return lost()
    }),
  },
  { at: 'the mail, before it is sent', deliver: lost },
  {
    at: 'the mail, after it was sent',
    deliver: (keep) => {
      keep()
      lost()
    },
    mailed: true,
  },
  { at: 'the mark, before it is written', statement: FINISH, mailed: true },
]

/** `crashes`: what would let the next one in fails too, as if the Worker had gone. */
async function interrupt(office: Office, id: string, point: CrashPoint, { crashes = false } = {}) {
  const { statement, replaced = {}, deliver } = point
  const failing = [...(statement === undefined ? [] : [statement]), ...(crashes ? [RELEASE] : [])]
  const database = databaseWith(async (sql, work) => {
    if (failing.some((text) => sql.includes(text))) throw new Error('D1 is down')
    return work()
  })
  const whole = office.deliver
  if (deliver) office.deliver = deliver
  const answer = await office.act('approve', id, {}, { ...database, ...replaced })
  office.deliver = whole
  return answer
}

/** However the approval came about, the person has one code, which works. */
async function expectOneCode(office: Office, { id, email }: { id: string; email: string }, before: number) {
  expect(await listedAs(id)).toMatchObject({ state: 'approved' })
  expect(await codesAtPay()).toBe(before + 1)
  const codes = office.codesTo(email)
  expect(codes).toHaveLength(1)
  const { client, identity } = await freshCaller()
  expect(await client.account.redeem(codes[0] ?? '', identity.did)).toMatchObject({ tier: 'provenance' })
}

describe('an approval that is interrupted', () => {
  it.each(AFTER_THE_DECISION)('at $at stands, and the next act carries it out', async (point) => {
    const office = new Office()
    const [request, before] = [await requested(), await codesAtPay()]
    expect(await interrupt(office, request.id, point)).toMatchObject(UNAVAILABLE)
    expect(await listedAs(request.id)).toMatchObject({ state: 'approving', grants: { tier: 'provenance', days: 90 } })
    expect(await office.act('decline', request.id)).toMatchObject({ body: { error: 'invite_decided' } })
    expect(await office.act('approve', request.id)).toMatchObject(DONE)
    await expectOneCode(office, request, before)
    expect(office.kept).toHaveLength(point.mailed ? 2 : 1)
    expect(await office.act('approve', request.id)).toMatchObject(DONE)
    expect(office.kept).toHaveLength(point.mailed ? 2 : 1)
  })

  it.each(AFTER_THE_DECISION)('at $at by a crash is carried out by the sweep, a minute later', async (point) => {
    const office = new Office()
    const [request, before] = [await requested(), await codesAtPay()]
    expect(await interrupt(office, request.id, point, { crashes: true })).toMatchObject(UNAVAILABLE)
    expect(await office.act('approve', request.id)).toMatchObject(UNDER_WAY)
    expect(await office.act('forget', request.id)).toMatchObject(UNDER_WAY)
    await office.sweep(Date.now() + MINUTE / 2)
    expect(await listedAs(request.id)).toMatchObject({ state: 'approving' })
    await office.sweep(Date.now() + 2 * MINUTE)
    await expectOneCode(office, request, before)
    await office.sweep(Date.now() + 4 * MINUTE)
    expect(office.kept).toHaveLength(point.mailed ? 2 : 1)
  })

  it('before its decision is written has changed nothing', async () => {
    const office = new Office()
    const [request, before] = [await requested(), await codesAtPay()]
    expect(await office.act('approve', request.id, {}, failingBefore(DECIDE))).toMatchObject(UNAVAILABLE)
    expect(await listedAs(request.id)).toMatchObject({ state: 'open', grants: null })
    expect(await office.act('approve', request.id)).toMatchObject(DONE)
    await expectOneCode(office, request, before)
  })

  it('after its decision was written, with the answer lost, is carried out a minute later', async () => {
    const office = new Office()
    const [request, before] = [await requested(), await codesAtPay()]
    expect(await office.act('approve', request.id, {}, failingAfter(DECIDE))).toMatchObject(UNAVAILABLE)
    expect(await office.act('approve', request.id)).toMatchObject(UNDER_WAY)
    after(MINUTE + 1)
    expect(await office.act('approve', request.id)).toMatchObject(DONE)
    await expectOneCode(office, request, before)
    expect(office.kept).toHaveLength(1)
  })

  it('after its mark was written is done', async () => {
    const office = new Office()
    const [request, before] = [await requested(), await codesAtPay()]
    expect(await office.act('approve', request.id, {}, failingAfter(FINISH))).toMatchObject(UNAVAILABLE)
    expect(await office.act('approve', request.id)).toMatchObject(DONE)
    await expectOneCode(office, request, before)
    expect(office.kept).toHaveLength(1)
  })

  it('before its record is marked as done is the same act again, without another mail', async () => {
    const office = new Office()
    const [request, before] = [await requested(), await codesAtPay()]
    const signed = await inviteAct('approve', request.id)
    const unmarked = failingBefore('UPDATE operator_acts SET done_at')
    expect(await sendAct(signed, office.over(unmarked))).toMatchObject(UNAVAILABLE)
    expect(await sendAct(signed, office.over())).toMatchObject(DONE)
    await expectOneCode(office, request, before)
    expect(office.kept).toHaveLength(1)
  })

  it('is not begun where no mail can be sent', async () => {
    const office = new Office()
    const { id } = await requested()
    for (const bindings of [{ MAIL_FROM: '' }, { MAIL: undefined }]) {
      expect(await office.act('approve', id, {}, bindings)).toMatchObject(UNAVAILABLE)
    }
    expect(await listedAs(id)).toMatchObject({ state: 'open' })
  })

  it('can be forgotten instead, and its code reaches nobody', async () => {
    const office = new Office()
    const { id, email } = await requested()
    await interrupt(office, id, { at: 'the mail', deliver: lost })
    expect(await office.act('forget', id)).toMatchObject(DONE)
    await office.sweep(Date.now() + 2 * MINUTE)
    expect(office.codesTo(email)).toEqual([])
  })
})

describe('the sweep', () => {
  it('raises an alarm for what it cannot carry out, without a name or an address, and tries again', async () => {
    const office = new Office()
    const request = await requested()
    const whole = office.deliver
    office.deliver = lost
    expect(await office.act('approve', request.id)).toMatchObject(UNAVAILABLE)
    const alarms = vi.spyOn(console, 'error').mockImplementation(() => {})
    await office.sweep(Date.now() + MINUTE)
    expect(alarms.mock.calls).toEqual([['{"service":"core","alarm":"invites_undelivered","count":1}']])
    office.deliver = whole
    await office.sweep(Date.now() + 2 * MINUTE)
    expect(office.codesTo(request.email)).toHaveLength(1)
    expect(alarms).toHaveBeenCalledTimes(1)
  })

  it('tells a declined person whom the mail did not reach', async () => {
    const office = new Office()
    const { id } = await requested()
    const whole = office.deliver
    office.deliver = lost
    expect(await office.act('decline', id, { mail: true })).toMatchObject(UNAVAILABLE)
    expect(await listedAs(id)).toMatchObject({ state: 'declining' })
    office.deliver = whole
    await office.sweep(Date.now() + MINUTE)
    expect(office.kept).toHaveLength(1)
    expect(await listedAs(id)).toMatchObject({ state: 'declined' })
  })
})
