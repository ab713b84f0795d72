import type { QuotaReceipt } from '@svc/protocol/pay/quota'
import { describe, expect, it, vi } from 'vitest'
import { type Lessor, QuotaLease } from './lease.ts'

const NOW = Date.UTC(2026, 8, 20)
const END = Date.UTC(2026, 9, 1)
const TERMS = { kind: 'search', amount: 10, key: 'k' } as const
const receipt = (operation: string) => ({ statement: { operation, period: '2026-09' } }) as unknown as QuotaReceipt

function lessor() {
  return {
    consume: vi.fn<Lessor['consume']>(async () => receipt('consume')),
    refund: vi.fn<Lessor['refund']>(async () => receipt('refund')),
    reduce: vi.fn<Lessor['reduce']>(async () => receipt('delta')),
  }
}

describe('a lease', () => {
  it('counts its units once, and spends them without a request', async () => {
    const by = lessor()
    const lease = await QuotaLease.take(by, TERMS, () => NOW)
    expect(by.consume).toHaveBeenCalledExactlyOnceWith('search', TERMS)
    expect(Array.from({ length: 12 }, () => lease.spend())).toEqual([...Array(10).fill(true), false, false])
    expect(await lease.settle()).toBeNull()
    expect([by.refund.mock.calls, by.reduce.mock.calls]).toEqual([[], []])
  })

  it('spends no part of what is too much', async () => {
    const lease = await QuotaLease.take(lessor(), TERMS, () => NOW)
    expect([lease.spend(11), lease.left, lease.spend(10), lease.left]).toEqual([false, 10, true, 0])
  })

  it.each([0, -1, 0.5, Number.NaN, Infinity])('does not spend %s', async (amount) => {
    const lease = await QuotaLease.take(lessor(), TERMS, () => NOW)
    expect(() => lease.spend(amount)).toThrow(RangeError)
    expect(lease.left).toBe(10)
  })

  it('gives back what was not spent, and spends nothing afterwards', async () => {
    const by = lessor()
    const lease = await QuotaLease.take(by, TERMS, () => NOW)
    lease.spend(4)
    const settling = lease.settle()
    expect(lease.spend()).toBe(false)
    expect(await settling).toEqual(receipt('delta'))
    expect(await lease.settle()).toBe(await settling)
    expect(by.reduce).toHaveBeenCalledExactlyOnceWith('search', 'k', 6)
  })

  it('is refunded as a whole if nothing was spent', async () => {
    const by = lessor()
    await (await QuotaLease.take(by, TERMS, () => NOW)).settle()
    expect(by.refund).toHaveBeenCalledExactlyOnceWith('k')
    expect(by.reduce).not.toHaveBeenCalled()
  })

  it('is settled again with the same request after a failure, and spends nothing between', async () => {
    const by = lessor()
    by.reduce.mockRejectedValueOnce(new Error('no answer'))
    const lease = await QuotaLease.take(by, TERMS, () => NOW)
    lease.spend(4)
    await expect(lease.settle()).rejects.toThrow('no answer')
    expect(lease.spend()).toBe(false)
    expect(await lease.settle()).toEqual(receipt('delta'))
    expect(by.reduce.mock.calls).toEqual([
      ['search', 'k', 6],
      ['search', 'k', 6],
    ])
  })

  it('ends with its month, and is settled afterwards', async () => {
    let now = END - 1
    const by = lessor()
    const lease = await QuotaLease.take(by, TERMS, () => now)
    expect([lease.endsAt, lease.spend()]).toEqual([END, true])
    now = END
    expect([lease.spend(), lease.left]).toEqual([false, 9])
    await lease.settle()
    expect(by.reduce).toHaveBeenCalledExactlyOnceWith('search', 'k', 9)
  })
})
