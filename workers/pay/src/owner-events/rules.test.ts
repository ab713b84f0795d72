import { describe, expect, it } from 'vitest'
import type { StoredGrant } from '../entitlements/rules.ts'
import { endOf, eventsOfGrant, eventsOfReversal } from './rules.ts'

const did = `did:svc:${'A'.repeat(32)}`
const grant = { id: 'pass:i', did, status: 'active', periodStart: 1_000 } as StoredGrant
const paid = { id: 'pass:i 1000', did, kind: 'payment.paid', ref: 'pass:i' }
const ended = { id: 'pass:i', did, kind: 'payment.ended', ref: 'pass:i' }

describe('a change of a grant', () => {
  it.each<[string, Partial<StoredGrant> | null, Partial<StoredGrant> | null, object[]]>([
    ['the first period', null, {}, [paid]],
    ['the same period again', {}, {}, []],
    ['the next period', { periodStart: 1 }, {}, [paid]],
    ['a late payment', { status: 'past_due' }, {}, [paid]],
    ['a failed payment', {}, { status: 'past_due' }, []],
    ['a payment that is due', { periodStart: 1 }, { status: 'past_due' }, []],
    ['an end', {}, { status: 'ended' }, [ended]],
    ['an end that comes first', null, { status: 'ended' }, [ended]],
    ['an end again', { status: 'ended' }, { status: 'ended' }, []],
    ['nothing', {}, null, []],
  ])('tells of %s', (_, before, after, events) => {
    const of = (changed: Partial<StoredGrant> | null) => (changed ? { ...grant, ...changed } : null)
    expect(eventsOfGrant(of(before), of(after))).toEqual(events)
  })

  it('has an end that is told once', () => {
    expect(endOf(grant)).toEqual(ended)
  })
})

describe('a reversal', () => {
  const reversal = { paymentId: 'pay_1', reversed: 'refunded', grantId: 'pass:i' } as NonNullable<
    Parameters<typeof eventsOfReversal>[1]
  >

  it('tells of money that went back', () => {
    expect(eventsOfReversal(did, reversal)).toEqual([
      { id: 'pay_1 refunded', did, kind: 'payment.refunded', ref: 'pass:i' },
    ])
  })

  it('tells of nothing that stands, is unknown, or has no owner', () => {
    expect(eventsOfReversal(did, { ...reversal, reversed: null })).toEqual([])
    expect(eventsOfReversal(did, null)).toEqual([])
    expect(eventsOfReversal(null, reversal)).toEqual([])
  })
})
