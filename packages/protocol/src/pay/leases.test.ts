import { beforeAll, describe, expect, it } from 'vitest'
import { REALM, REALMS } from '../../test/realm.fixture.ts'
import { signStatement } from '../base/statement.ts'
import { signerOf } from '../chain/chain.fixture.ts'
import { type LeaseUse, MAX_LEASE_MS, type QuotaLease, quotaLeaseSchema, verifyLeaseUse } from './leases.ts'

const NOW = 1_790_000_000_000
const [pay, other] = [await signerOf(1), await signerOf(2)]
const DID = `did:svc:${'A'.repeat(32)}`
const use: LeaseUse = { did: DID, holder: 'provenance', kind: 'capsule', amount: 1, usedBefore: 0 }

async function lease(members: object = {}, by = pay): Promise<QuotaLease> {
  const statement = {
    type: 'svc/quota-lease/v1' as const,
    realm: REALM,
    leaseId: 'L'.repeat(22),
    did: DID,
    holder: 'provenance' as const,
    key: 'lease-1',
    kind: 'capsule' as const,
    amount: 10,
    tier: 'provenance' as const,
    period: '2026-09',
    issuedAt: NOW,
    expiresAt: NOW + 3_600_000,
    ...members,
  }
  return { ...(await signStatement(statement, by.sign)), publicKeyB64u: by.ownerPublicKey }
}

let good: QuotaLease
beforeAll(async () => {
  good = await lease()
})
const outcome = async (one: QuotaLease, members: Partial<LeaseUse> = {}, now = NOW, realms = REALMS) => {
  const verified = await verifyLeaseUse(one, { ...use, ...members }, { keyB64u: pay.ownerPublicKey, realms }, now)
  return verified.ok ? verified.value.left : verified.error.reason
}

describe('a lease', () => {
  it('covers uses up to its amount, until it expires', async () => {
    expect(quotaLeaseSchema.parse(good)).toEqual(good)
    expect(await outcome(good)).toBe(9)
    expect(await outcome(good, { usedBefore: 9 })).toBe(0)
    expect(await outcome(good, { usedBefore: 3, amount: 7 }, NOW + 3_599_999)).toBe(0)
    expect(await outcome(good, { usedBefore: 10 })).toBe('exhausted')
    expect(await outcome(good, { usedBefore: 3, amount: 8 })).toBe('exhausted')
    expect(await outcome(good, {}, NOW + 3_600_000)).toBe('expired')
  })

  it('gives back nothing by a use of no units', async () => {
    expect(await outcome(good, { amount: 0 })).toBe('exhausted')
    expect(await outcome(good, { amount: -5, usedBefore: 10 })).toBe('exhausted')
  })

  it('serves one identity, one meter and one deployment', async () => {
    expect(await outcome(good, { did: `did:svc:${'B'.repeat(32)}` })).toBe('wrong_subject')
    expect(await outcome(good, { kind: 'search' })).toBe('wrong_subject')
    expect(await outcome(good, {}, NOW, ['https://core.example'])).toBe('invalid_signature')
  })

  it('lasts a day at most, whatever it says', async () => {
    expect(await outcome(await lease({ expiresAt: NOW + MAX_LEASE_MS }))).toBe(9)
    expect(await outcome(await lease({ expiresAt: NOW + MAX_LEASE_MS + 1 }))).toBe('expired')
  })

  it('is signed by pay, as it is', async () => {
    expect(await outcome(await lease({}, other))).toBe('wrong_key')
    expect(await outcome({ ...(await lease({}, other)), publicKeyB64u: pay.ownerPublicKey })).toBe('invalid_signature')
    for (const change of [{ amount: 1_000 }, { expiresAt: NOW + 7_200_000 }, { leaseId: 'M'.repeat(22) }]) {
      expect(await outcome({ ...good, statement: { ...good.statement, ...change } })).toBe('invalid_signature')
    }
  })

  it.each([
    { amount: 0 },
    { amount: 2_147_483_648 },
    { leaseId: 'short' },
    { holder: 'core' },
    { period: '2026-13' },
    { x: 1 },
  ])('has no %o', (change) => {
    expect(quotaLeaseSchema.safeParse({ ...good, statement: { ...good.statement, ...change } }).success).toBe(false)
  })
})
