import { expectRefusal } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import { caller } from '../harness.ts'
import { consume, issued, meter, quota, receiptOf, redeem, refund } from './quota.fixture.ts'

const times = <T>(count: number, work: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, i) => work(i)))

describe('at the same moment', () => {
  it('fifty consumptions against a limit of twenty: exactly twenty succeed', async () => {
    const by = await caller()
    const answers = await times(50, (i) => consume(by, 'text', `use-${i}`))
    const taken = answers.filter(({ status }) => status === 200)
    expect(taken).toHaveLength(20)
    expect(taken.map((answer) => receiptOf(answer).used).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 20 }, (_, i) => i + 1),
    )
    for (const answer of answers) if (answer.status !== 200) expectRefusal(answer, 'quota_exhausted')
    expect((await meter(by, 'text')).used).toBe(20)
  })

  it('twenty of one key count once, and all get the same receipt', async () => {
    const by = await caller()
    const receipts = (await times(20, () => consume(by, 'search', 'same', 3))).map(receiptOf)
    expect(new Set(receipts.map((receipt) => JSON.stringify(receipt))).size).toBe(1)
    expect((await meter(by, 'search')).used).toBe(3)
  })

  it('twenty refunds of one consumption give it back once', async () => {
    const by = await caller()
    await consume(by, 'search', 'a', 3)
    await consume(by, 'search', 'b', 2)
    const receipts = (await times(20, () => refund(by, 'a'))).map(receiptOf)
    expect(new Set(receipts.map(({ used }) => used))).toEqual(new Set([2]))
  })

  it('twenty reservations of one key hold once, and twenty finalizations count once', async () => {
    const by = await caller()
    const { did } = by.identity
    const held = await times(20, () => quota('reserve', did, 'asset'))
    expect(held.map(({ body }) => body['state'])).toEqual(Array<string>(20).fill('reserved'))
    const finalized = await times(20, () => quota('finalize', did, 'asset'))
    expect(finalized.map(({ body }) => body['state'])).toEqual(Array<string>(20).fill('finalized'))
    expect(await meter(by, 'capsule')).toMatchObject({ used: 1, reserved: 0 })
  })

  it('finalizing and releasing one reservation: one of them is what happened', async () => {
    const by = await caller()
    const { did } = by.identity
    await quota('reserve', did, 'asset')
    const answers = await times(20, (i) => quota(i % 2 === 0 ? 'finalize' : 'release', did, 'asset'))
    const states = new Set(answers.filter(({ status }) => status === 200).map(({ body }) => body['state']))
    expect(states.size).toBe(1)
    expect((await meter(by, 'capsule')).used).toBe(states.has('finalized') ? 1 : 0)
  })

  it('thirty reservations against a limit of twenty: twenty are held', async () => {
    const by = await caller()
    const answers = await times(30, (i) => quota('reserve', by.identity.did, `asset-${i}`))
    const states = answers.map(({ body }) => body['state'])
    expect(states.filter((state) => state === 'reserved')).toHaveLength(20)
    expect(states.filter((state) => state === 'exhausted')).toHaveLength(10)
  })

  it('twenty identities redeem one code: one has it', async () => {
    const code = await issued()
    const callers = await times(20, () => caller())
    const answers = await times(20, (i) => redeem(callers[i]!, code))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const answer of answers) if (answer.status !== 200) expectRefusal(answer, 'code_unusable')
  })

  it('one identity redeems one code twenty times: it is granted once', async () => {
    const [code, by] = [await issued(), await caller()]
    const answers = await times(20, () => redeem(by, code))
    expect(new Set(answers.map(({ body }) => JSON.stringify((body as { data: unknown }).data))).size).toBe(1)
  })
})
