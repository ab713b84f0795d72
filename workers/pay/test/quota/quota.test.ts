import { listDurableObjectIds, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { verifyQuotaReceipt } from '@svc/protocol/pay/quota'
import { expectRefusal } from '@svc/service/testing'
import { REALM, REALMS } from '@svc/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { call, caller, dataOf } from '../harness.ts'
import {
  adjust,
  consume,
  DAY_MS,
  issued,
  meter,
  meterObject,
  quota,
  receiptOf,
  redeem,
  refund,
  unitKey,
} from './quota.fixture.ts'

afterEach(() => vi.useRealTimers())
const period = new Date().toISOString().slice(0, 7)

describe('the meters', () => {
  it('are read without making anything', async () => {
    const by = await caller()
    const before = await listDurableObjectIds(env.QUOTA_METERS)
    expect(dataOf(await call(by, 'GET', '/quota'))).toEqual({
      stored: expect.objectContaining({ tier: 'notes' }),
      meters: [
        { kind: 'capsule', used: 0, reserved: 0, limit: 20, period, tier: 'notes' },
        { kind: 'video', used: 0, reserved: 0, limit: 5, period, tier: 'notes' },
        { kind: 'text', used: 0, reserved: 0, limit: 20, period, tier: 'notes' },
        { kind: 'search', used: 0, reserved: 0, limit: 100, period, tier: 'notes' },
      ],
    })
    const stored = await runInDurableObject(meterObject(by), (_, { storage }) =>
      storage.sql.exec(`SELECT count(*) AS n FROM sqlite_master WHERE name IN ('uses', 'meters')`).one(),
    )
    expect(stored).toEqual({ n: 0 })
    expect((await listDurableObjectIds(env.QUOTA_METERS)).length).toBeLessThanOrEqual(before.length + 1)
  })
})

describe('a consumption', () => {
  it('is counted and answered with a receipt that the published key has signed', async () => {
    const by = await caller()
    const receipt = dataOf<Parameters<typeof verifyQuotaReceipt>[0]>(await consume(by, 'search', 'first', 3))
    const banner = dataOf<{ receiptKeyB64u: string }>(await call(by, 'GET', '/'))
    expect(receipt.statement).toEqual({
      type: 'svc/quota-receipt/v1',
      realm: REALM,
      did: by.identity.did,
      operation: 'consume',
      key: 'first',
      kind: 'search',
      amount: 3,
      used: 3,
      limit: 100,
      tier: 'notes',
      period,
      issuedAt: expect.any(Number),
    })
    expect(await verifyQuotaReceipt(receipt, banner.receiptKeyB64u, REALMS)).toBe(true)
    const forged = { ...receipt, statement: { ...receipt.statement, used: 2 } }
    expect(await verifyQuotaReceipt(forged, banner.receiptKeyB64u, REALMS)).toBe(false)
  })

  it('is one unit unless it says more, and counts once under one key', async () => {
    const by = await caller()
    const first = receiptOf(await consume(by, 'text', 'k'))
    expect(first.amount).toBe(1)
    await consume(by, 'text', 'other')
    expect(receiptOf(await consume(by, 'text', 'k'))).toEqual(first)
    expect((await meter(by, 'text')).used).toBe(2)
    expectRefusal(await consume(by, 'text', 'k', 2), 'idempotency_conflict')
    expectRefusal(await consume(by, 'search', 'k'), 'idempotency_conflict')
    expect(receiptOf(await consume(await caller(), 'text', 'k')).used).toBe(1)
  })

  it('beyond the limit is refused with the body of the documents, and counts nothing', async () => {
    const by = await caller()
    expect((await consume(by, 'video', 'five', 5)).status).toBe(200)
    const refused = await consume(by, 'video', 'sixth')
    expect({ status: refused.status, body: refused.body }).toEqual({
      status: 402,
      body: {
        success: false,
        error: 'quota_exhausted',
        message: 'The tier’s monthly quota for this meter is used up',
        kind: 'video',
        used: 5,
        limit: 5,
        tier: 'notes',
        requestId: refused.headers.get('x-request-id'),
        timestamp: expect.any(Number),
      },
    })
    expect((await consume(by, 'text', 'x', 21)).status).toBe(402)
    expect((await meter(by, 'text')).used).toBe(0)
    expect((await consume(by, 'video', 'five', 5)).status).toBe(200)
  })

  it.each([
    { kind: 'search', key: 'k', amount: 0 },
    { kind: 'search', key: 'k', amount: -1 },
    { kind: 'search', key: 'k', amount: 1.5 },
    { kind: 'search', key: 'k', amount: 2_147_483_648 },
    { kind: 'search', key: 'k', amount: 1e300 },
    { kind: 'image', key: 'k' },
    { kind: 'search' },
    { kind: 'search', key: '' },
    { kind: 'search', key: 'two words' },
    { kind: 'search', key: 'k', did: 'did:svc:other' },
  ])('refuses %j', async (body) => {
    expectRefusal(await call(await caller(), 'POST', '/quota/consume', { body }), 'invalid_request')
  })

  it.each([101, 1_001, 100_000, 2_147_483_647])('of %i units is weighed against what is left', async (amount) => {
    const by = await caller()
    await consume(by, 'search', 'before')
    const refused = await consume(by, 'search', 'k', amount)
    expect(refused).toMatchObject({ status: 402, body: { error: 'quota_exhausted', used: 1, limit: 100 } })
    expect((await meter(by, 'search')).used).toBe(1)
    expect(receiptOf(await consume(by, 'search', 'k', 99))).toMatchObject({ amount: 99, used: 100 })
  })

  it('of more than a thousand units counts where the tier has them, and is given back', async () => {
    const by = await caller()
    await redeem(by, await issued({ days: 1 }))
    expect(receiptOf(await consume(by, 'search', 'k', 4_000))).toMatchObject({ amount: 4_000, used: 4_000 })
    expectRefusal(await adjust(by, 'search', 'k', -2_147_483_647), 'idempotency_conflict')
    expect(receiptOf(await adjust(by, 'search', 'k', -3_999))).toMatchObject({ amount: 3_999, used: 1 })
  })

  it('is made only where it can be signed for', async () => {
    const by = await caller()
    const replaced = { QUOTA_RECEIPT_SEED: '' }
    expectRefusal(await consume(by, 'text', 'k', 1, { replaced }), 'receipts_unavailable')
    expect((await meter(by, 'text')).used).toBe(0)
    await consume(by, 'text', 'k')
    expectRefusal(await refund(by, 'k', { replaced }), 'receipts_unavailable')
    expect((await meter(by, 'text')).used).toBe(1)
  })

  it('follows the tier: a redeemed code is in force at once, its end too', async () => {
    const by = await caller()
    await consume(by, 'video', 'all', 5)
    expect((await consume(by, 'video', 'more')).status).toBe(402)
    await redeem(by, await issued({ days: 1 }))
    expect(receiptOf(await consume(by, 'video', 'more'))).toMatchObject({ used: 6, limit: 50, tier: 'provenance' })
    vi.setSystemTime(Date.now() + DAY_MS)
    expect(await meter(by, 'text')).toMatchObject({ tier: 'notes', limit: 20 })
  })

  it('of a new month begins at zero, and a retry over its end is still a retry', async () => {
    const by = await caller()
    const end = Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() + 1, 1)
    vi.setSystemTime(end - 1000)
    const late = receiptOf(await consume(by, 'video', 'late', 5))
    vi.setSystemTime(end + 1000)
    expect(receiptOf(await consume(by, 'video', 'late', 5))).toEqual(late)
    const early = receiptOf(await consume(by, 'video', 'early'))
    expect(early).toMatchObject({ used: 1, period: new Date(end).toISOString().slice(0, 7) })
    expect(receiptOf(await refund(by, 'late'))).toMatchObject({ used: 0, period: late.period })
    expect((await meter(by, 'video')).used).toBe(1)
    vi.setSystemTime(end + DAY_MS)
    expect(await runDurableObjectAlarm(meterObject(by))).toBe(true)
    expectRefusal(await refund(by, 'late'), 'not_found')
    expect((await meter(by, 'video')).used).toBe(1)
  })

  it('is forgotten with everything else of its object when its month is long over', async () => {
    const by = await caller()
    await consume(by, 'text', 'k')
    vi.setSystemTime(Date.now() + 62 * DAY_MS)
    expect(await runDurableObjectAlarm(meterObject(by))).toBe(true)
    const stored = await runInDurableObject(meterObject(by), (_, { storage }) =>
      storage.sql.exec(`SELECT count(*) AS n FROM sqlite_master WHERE name IN ('uses', 'meters')`).one(),
    )
    expect(stored).toEqual({ n: 0 })
    expect(receiptOf(await consume(by, 'text', 'k')).used).toBe(1)
  })
})

describe('a reversal', () => {
  it('gives a consumption of one’s own back, once', async () => {
    const by = await caller()
    await consume(by, 'text', 'a', 4)
    await consume(by, 'text', 'b', 2)
    const receipt = receiptOf(await refund(by, 'a'))
    expect(receipt).toMatchObject({ operation: 'refund', key: 'a', kind: 'text', amount: 4, used: 2 })
    expect(receiptOf(await refund(by, 'a'))).toEqual(receipt)
    expect((await meter(by, 'text')).used).toBe(2)
    expectRefusal(await refund(by, 'never'), 'not_found')
    expectRefusal(await refund(await caller(), 'b'), 'not_found')
  })

  it('in part gives so many units back, and is not followed by another', async () => {
    const by = await caller()
    await consume(by, 'text', 'a', 4)
    const receipt = receiptOf(await adjust(by, 'text', 'a', -3))
    expect(receipt).toMatchObject({ operation: 'delta', amount: 3, used: 1 })
    expect(receiptOf(await adjust(by, 'text', 'a', -3))).toEqual(receipt)
    expectRefusal(await adjust(by, 'text', 'a', -1), 'quota_reversed')
    expectRefusal(await refund(by, 'a'), 'quota_reversed')
    expectRefusal(await adjust(by, 'search', 'a', -3), 'idempotency_conflict')
    expect((await meter(by, 'text')).used).toBe(1)
  })

  it('is the end of a consumption: its key serves for no other, and no receipt is given for it again', async () => {
    const by = await caller()
    await consume(by, 'text', 'whole', 4)
    await consume(by, 'text', 'part', 4)
    await refund(by, 'whole')
    await adjust(by, 'text', 'part', -4)
    for (const key of ['whole', 'part']) {
      expectRefusal(await consume(by, 'text', key, 4), 'quota_reversed')
      expectRefusal(await consume(by, 'text', key, 1), 'idempotency_conflict')
    }
    expect((await meter(by, 'text')).used).toBe(0)
    expect(receiptOf(await consume(by, 'text', 'another', 4)).used).toBe(4)
  })

  it('of more than was consumed, or of what adds, is refused', async () => {
    const by = await caller()
    await consume(by, 'text', 'a', 4)
    expectRefusal(await adjust(by, 'text', 'a', -5), 'idempotency_conflict')
    for (const delta of [0, 1, 4]) expectRefusal(await adjust(by, 'text', 'a', delta), 'invalid_request')
    expect((await meter(by, 'text')).used).toBe(4)
  })
})

describe('the meter of capsules', () => {
  it('is moved by no public call', async () => {
    const by = await caller()
    const { did } = by.identity
    await quota('reserve', did, 'asset')
    await quota('finalize', did, 'asset')
    expectRefusal(await consume(by, 'capsule', 'k'), 'meter_internal')
    expectRefusal(await adjust(by, 'capsule', 'asset', -1), 'meter_internal')
    expectRefusal(await refund(by, unitKey('asset')), 'meter_internal')
    expect(await meter(by, 'capsule')).toMatchObject({ used: 1, reserved: 0 })
  })
})
