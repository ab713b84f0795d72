import { afterEach, describe, expect, it, vi } from 'vitest'
import { gathering } from '../database.fixture.ts'
import { codesAtPay, listedAs, Office, requested } from './invites.fixture.ts'

afterEach(() => vi.useRealTimers())

const DECIDE = 'SET decision = ?2'
const TWENTY = Array.from({ length: 20 }, (_, i) => i)

describe('twenty decisions at once about one request', () => {
  it('to approve it: one code, one mail', async () => {
    const office = new Office()
    const [{ id, email }, before] = [await requested(), await codesAtPay()]
    const together = gathering(DECIDE, TWENTY.length)
    const answers = await Promise.all(TWENTY.map(() => office.act('approve', id, {}, together)))
    const refusals = answers.filter(({ status }) => status !== 200)
    expect(answers.length - refusals.length).toBeGreaterThanOrEqual(1)
    for (const answer of refusals) expect(answer).toMatchObject({ status: 409, body: { error: 'invite_under_way' } })
    expect([office.kept.length, office.codesTo(email).length, await codesAtPay()]).toEqual([1, 1, before + 1])
    expect(await listedAs(id)).toMatchObject({ state: 'approved' })
  })

  it('that are all different: the first one to be written stands', async () => {
    const office = new Office()
    const [{ id, email }, before] = [await requested(), await codesAtPay()]
    const together = gathering(DECIDE, TWENTY.length)
    const answers = await Promise.all(
      TWENTY.map((i) =>
        i % 2 === 0 ? office.act('approve', id, { days: i + 1 }, together) : office.act('decline', id, {}, together),
      ),
    )
    const invite = await listedAs(id)
    const isApproved = invite?.state === 'approved'
    expect(['approved', 'declined']).toContain(invite?.state)
    expect([office.codesTo(email).length, (await codesAtPay()) - before]).toEqual(isApproved ? [1, 1] : [0, 0])
    const done = answers.flatMap(({ status }, i) => (status === 200 ? [i] : []))
    if (isApproved) expect(done.map((i) => i + 1)).toEqual([invite?.grants?.days])
    else expect(done.every((i) => i % 2 === 1)).toBe(true)
    for (const { status, body } of answers)
      if (status !== 200) expect(body['error']).toMatch(/^invite_(decided|under_way)$/)
  })

  it('to forget it, while it is approved: the mail goes out and the row too, or neither begins', async () => {
    const office = new Office()
    const { id, email } = await requested()
    const answers = await Promise.all(TWENTY.map((i) => office.act(i % 2 === 0 ? 'approve' : 'forget', id)))
    for (const { status } of answers) expect([200, 404, 409]).toContain(status)
    expect(office.codesTo(email).length).toBeLessThanOrEqual(1)
    const invite = await listedAs(id)
    expect([undefined, 'approved']).toContain(invite?.state)
  })

  it('by the sweep, of what was interrupted: one mail', async () => {
    const office = new Office()
    const { id, email } = await requested()
    const whole = office.deliver
    office.deliver = () => {
      throw new Error('the mail server is down')
    }
    await office.act('approve', id)
    office.deliver = whole
    const now = Date.now()
    await Promise.all([...TWENTY.map(() => office.sweep(now)), ...TWENTY.map(() => office.act('approve', id))])
    expect([office.kept.length, office.codesTo(email).length]).toEqual([1, 1])
  })
})
