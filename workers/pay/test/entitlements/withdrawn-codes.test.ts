import { env } from 'cloudflare:workers'
import { expectRefusal } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import { caller, dataOf } from '../harness.ts'
import { act, codeAct, codeWithdrawal, DAY_MS, freshCode, issued, licence, redeem } from '../quota/quota.fixture.ts'

describe('a code that was withdrawn', () => {
  it('gives nothing, also where the act that issued it is sent again', async () => {
    const code = freshCode()
    const issuing = await codeAct(code)
    dataOf(await act(issuing))
    dataOf(await act(await codeWithdrawal(code)))
    // Idempotent, for an operator who lost the answer.
    dataOf(await act(await codeWithdrawal(code)))
    expectRefusal(await redeem(await caller(), code), 'code_unusable')
    const forget = env.CONTROL_DB.prepare('UPDATE operator_acts SET done_at = NULL WHERE nonce = ?')
    await forget.bind(issuing.statement.nonce).run()
    dataOf(await act(issuing))
    expectRefusal(await redeem(await caller(), code), 'code_unusable')
  })

  it('was not redeemed: what was is ended by the end of its grant', async () => {
    const code = await issued()
    const by = await caller()
    dataOf(await redeem(by, code))
    expectRefusal(await act(await codeWithdrawal(code)), 'code_redeemed')
    dataOf(await redeem(by, code))
  })

  it('was issued: another is not known', async () => {
    expectRefusal(await act(await codeWithdrawal(freshCode())), 'not_found')
  })
})

it('twenty redeem a code while it is withdrawn: one of both happens', async () => {
  for (let round = 0; round < 3; round += 1) {
    const code = await issued()
    const callers = await Promise.all(Array.from({ length: 20 }, () => caller()))
    const withdrawal = await codeWithdrawal(code)
    const [withdrawn, ...redeemed] = await Promise.all([act(withdrawal), ...callers.map((by) => redeem(by, code))])
    const winners = redeemed.filter(({ status }) => status === 200).length
    expect([withdrawn.status, winners]).toEqual(winners === 0 ? [200, 0] : [409, 1])
  }
}, 60_000)

it('dates of codes and licences reach ten years, and are not past', async () => {
  const { did } = (await caller()).identity
  for (const date of [Date.now() - 1_000, Date.now() + 3_661 * DAY_MS, Math.floor(Date.now() / 1_000)]) {
    expectRefusal(await act(await codeAct(freshCode(), { redeemableUntil: date })), 'invalid_request')
    expectRefusal(await act(await licence({ did, expiresAt: date })), 'invalid_request')
  }
  const { body } = await act(await codeAct(freshCode(), { redeemableUntil: Date.now() + 3_661 * DAY_MS }))
  expect(body).toMatchObject({
    message: 'body.statement.redeemableUntil: must be at most 3660 days after `issuedAt`, and not before it',
  })
})
