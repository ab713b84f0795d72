import { env } from 'cloudflare:workers'
import { signStatement } from '@svc/protocol/base/statement'
import { codeHash } from '@svc/protocol/pay/codes'
import { TIER_BUDGETS } from '@svc/protocol/pay/tiers'
import { expectRefusal } from '@svc/service/testing'
import { REALM } from '@svc/testing'
import { describe, expect, it, vi } from 'vitest'
import {
  caller,
  creation,
  dataOf,
  deletion,
  freshHash,
  type Key,
  put,
  rootKey,
  update,
  withdrawal,
} from '../harness.ts'
import { rowsIn } from '../stores.fixture.ts'
import { act, settlement, signAsOperator } from './settlement.fixture.ts'

const FREE = TIER_BUDGETS.notes
const owner = async () => rootKey(await caller())
const { TEST_CORE, TEST_PAY } = env as unknown as { readonly TEST_CORE: Fetcher; readonly TEST_PAY: Fetcher }

/** An identity that keeps so much already. */
async function having(kept: { readonly records?: number; readonly acts?: number }): Promise<Key> {
  const by = await owner()
  const { records = 0, acts = 0 } = kept
  const list = env.CONSENT_CREATORS.getByName(by.did)
  await list.take([])
  await rowsIn(list, 'UPDATE totals SET records = ?, acts = ?', records, acts)
  return by
}

const usageOf = async ({ did }: Key) =>
  (await rowsIn(env.CONSENT_CREATORS.getByName(did), 'SELECT records, claims, acts FROM totals'))[0]
const details = (budget: string, used: number, limit: number, tier = 'notes') => ({
  details: { budget, used, limit, tier },
})
const paying = (standing: () => Promise<unknown>) => ({ PAY: { standing } })
const standingOf = (tier: string) => async () => ({ tier, source: 'code', from: 1, until: null, planUntil: null })
const NO_PAY = paying(() => Promise.reject(new Error('canary: pay is down')))

describe('the budget of records', () => {
  it('is refused with what is used once it is full, and deleting gives back', async () => {
    const by = await having({ records: FREE.consentRecords - 1 })
    const [last, more] = [freshHash(), freshHash()]
    dataOf(await put(await creation(by, last)))
    const refused = await put(await creation(by, more))
    expectRefusal(refused, 'budget_exhausted')
    expect(refused.body).toMatchObject(details('consentRecords', FREE.consentRecords, FREE.consentRecords))
    // What is there can still be changed, and what was written is written.
    dataOf(await put(await update(by, last, { search: 'allow' })))
    dataOf(await put(await deletion(by, last)))
    dataOf(await put(await creation(by, more)))
    expectRefusal(await put(await creation(by, last, { search: 'allow' })), 'budget_exhausted')
  })

  it('is exact for twenty at once', async () => {
    const by = await having({ records: FREE.consentRecords - 7 })
    const writes = await Promise.all(Array.from({ length: 20 }, () => creation(by, freshHash())))
    const answers = await Promise.all(writes.map((write) => put(write)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(7)
    for (const answer of answers) if (answer.status !== 200) expectRefusal(answer, 'budget_exhausted')
    expect(await usageOf(by)).toMatchObject({ records: FREE.consentRecords })
  })

  it('does not stop a repetition of what was accepted', async () => {
    const by = await having({ records: FREE.consentRecords - 1 })
    const write = await creation(by, freshHash())
    expect(dataOf(await put(write))).toEqual(dataOf(await put(write)))
  })

  it('counts claims to what others hold, and gives them back', async () => {
    const [holder, by] = [await owner(), await having({ records: FREE.consentRecords - 1 })]
    const [first, second] = [freshHash(), freshHash()]
    for (const hash of [first, second]) await put(await creation(holder, hash))
    const claimed = async (hash: string) => (await put(await creation(by, hash))).body
    expect(await claimed(first)).toMatchObject({ details: { claimed: true } })
    expect(await claimed(second)).toMatchObject({ details: { claimed: false } })
    // A newer claim takes the place of the same claimant's.
    expect(await claimed(first)).toMatchObject({ details: { claimed: true } })
    expectRefusal(await put(await creation(by, freshHash())), 'budget_exhausted')
    dataOf(await put(await withdrawal(by, first)))
    expect(await claimed(second)).toMatchObject({ details: { claimed: true } })
  })
})

describe('the budget of acts', () => {
  it('is full for good, and a declaration can still be revoked', async () => {
    const by = await having({ acts: FREE.consentActs - 2 })
    const hash = freshHash()
    dataOf(await put(await creation(by, hash)))
    dataOf(await put(await update(by, hash, { search: 'allow' })))
    for (const write of [await update(by, hash, { search: 'disallow' }), await creation(by, freshHash())]) {
      const refused = await put(write)
      expectRefusal(refused, 'budget_exhausted')
      expect(refused.body).toMatchObject(details('consentActs', FREE.consentActs, FREE.consentActs))
    }
    dataOf(await put(await deletion(by, hash)))
  })

  it('is exact for twenty at once', async () => {
    const by = await having({ acts: FREE.consentActs - 6 })
    const hash = freshHash()
    dataOf(await put(await creation(by, hash)))
    const writes = await Promise.all(
      Array.from({ length: 20 }, (_, i) => update(by, hash, { search: i % 2 ? 'allow' : 'disallow' })),
    )
    const answers = await Promise.all(writes.map((write) => put(write)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5)
    expect(await usageOf(by)).toMatchObject({ acts: FREE.consentActs })
  })
})

describe('the tier', () => {
  it('is that of pay, from the moment of the code', async () => {
    const by = await having({ records: FREE.consentRecords })
    expectRefusal(await put(await creation(by, freshHash())), 'budget_exhausted')
    await redeem(by, 'provenance')
    dataOf(await put(await creation(by, freshHash())))
    const { consentRecords } = TIER_BUDGETS.provenance
    await rowsIn(env.CONSENT_CREATORS.getByName(by.did), 'UPDATE totals SET records = ?', consentRecords)
    const refused = await put(await creation(by, freshHash()))
    expectRefusal(refused, 'budget_exhausted')
    expect(refused.body).toMatchObject(details('consentRecords', consentRecords, consentRecords, 'provenance'))
  })

  it('is not asked for within the free budget', async () => {
    const by = await having({ records: FREE.consentRecords - 1 })
    dataOf(await put(await creation(by, freshHash()), NO_PAY))
    const refused = await put(await creation(by, freshHash()), NO_PAY)
    expectRefusal(refused, 'dependency_unavailable')
    expect(JSON.stringify(refused.body)).not.toContain('canary')
    const holder = await owner()
    const held = freshHash()
    dataOf(await put(await creation(holder, held)))
    expect((await put(await creation(by, held), NO_PAY)).body).toMatchObject({ details: { claimed: false } })
  })

  it('is asked for once a day, and when it is not enough', async () => {
    const by = await having({ records: FREE.consentRecords })
    const asked = vi.fn(standingOf('provenance'))
    for (let i = 0; i < 3; i++) dataOf(await put(await creation(by, freshHash()), paying(asked)))
    expect(asked).toHaveBeenCalledOnce()
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 24 * 3_600_000 + 1 })
    try {
      const ended = paying(standingOf('notes'))
      expectRefusal(await put(await creation(by, freshHash()), ended), 'budget_exhausted')
    } finally {
      vi.useRealTimers()
    }
  })
})

it('what is counted is what is there', async () => {
  const [holder, author, third] = [await owner(), await owner(), await owner()]
  const hashes = Array.from({ length: 6 }, freshHash)
  for (const hash of hashes) await put(await creation(holder, hash))
  for (const hash of hashes.slice(1)) await put(await creation(author, hash))
  for (const hash of hashes.slice(2)) await put(await creation(third, hash))
  const [a = '', b = '', c = '', d = '', e = ''] = hashes
  await put(await deletion(holder, a))
  await put(await creation(holder, a, { search: 'allow' }))
  await put(await update(holder, a, { ai_training: 'allow' }))
  await put(await deletion(holder, b))
  for (const hash of [b, c, d]) dataOf(await act(await settlement(hash, author.did)))
  for (const hash of [b, c]) dataOf(await put(await creation(author, hash)))
  await put(await withdrawal(third, e))
  dataOf(await act(await settlement(c, third.did)))
  expect(await usageOf(holder)).toEqual({ records: 3, claims: 0, acts: 10 })
  expect(await usageOf(author)).toEqual({ records: 1, claims: 2, acts: 2 })
  expect(await usageOf(third)).toEqual({ records: 0, claims: 2, acts: 0 })
})

/** A code of the operator, redeemed at core for the identity. */
async function redeem(by: Key, tier: string): Promise<void> {
  const code = `0000-${[1, 2, 3].map(() => String(Math.floor(Math.random() * 10_000)).padStart(4, '0')).join('-')}`
  const statement = {
    type: 'svc/operator-entitlement-code/v1' as const,
    realm: REALM,
    service: 'pay',
    codeHash: codeHash(code),
    tier,
    redeemableUntil: Date.now() + 3_600_000,
    days: 30,
    nonce: crypto.randomUUID(),
    issuedAt: Date.now(),
  }
  const signed = await signStatement(statement, signAsOperator)
  for (const [service, url, body] of [
    [TEST_PAY, 'https://pay.test/api/operator/acts', signed],
    [TEST_CORE, 'https://core.test/api/activation/redeem', { code, did: by.did }],
  ] as const) {
    const headers = { 'content-type': 'application/json' }
    const { status } = await service.fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
    expect(status).toBe(200)
  }
}
