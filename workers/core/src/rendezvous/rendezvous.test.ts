import type { JoinRequest, OfferStatus } from '@svc/protocol/rendezvous'
import { describe, expect, it } from 'vitest'
import { checkConsumption, checkDelivery, checkJoin, closesOn, living, type OfferRow } from './rendezvous.ts'

const DID = `did:svc:${'PDw8'.repeat(8)}`
const EXPIRES_AT = 1_790_000_600_000
const statement = {
  type: 'svc/device-acceptance/v1' as const,
  did: DID,
  deviceId: 'Aaaa'.repeat(8),
  devicePublicKeyB64u: 'device key',
  kemPublicKeyB64u: 'kem key',
  origin: 'app:test',
  capabilities: ['chain:read' as const],
  issuedAt: 1_790_000_000_000,
}
const request: JoinRequest = { acceptance: { statement, signatureB64u: 'signature' } }
/** The same device with some members changed, and a signature of its own. */
const asking = (changes: Partial<typeof statement>, signatureB64u = 'another'): JoinRequest => ({
  acceptance: { statement: { ...statement, ...changes }, signatureB64u },
})

const row = (status: OfferStatus, changes: Partial<OfferRow> = {}): OfferRow => ({
  flow: 'pairing',
  did: DID,
  tokenHash: 'a7'.repeat(48),
  status,
  expiresAt: EXPIRES_AT,
  wrongTokens: 0,
  request: status === 'open' ? null : request,
  ...changes,
})
const refusal = (status: OfferStatus) => ({ ok: false, error: { reason: 'offer_state', status } })
const done = { ok: true, value: undefined }

describe('an offer lives', () => {
  const open = row('open')

  it('until its last millisecond and not in the next', () => {
    expect(living(open, 'pairing', EXPIRES_AT - 1)).toBe(open)
    expect(living(open, 'pairing', EXPIRES_AT)).toBeNull()
    expect(living(open, 'pairing', EXPIRES_AT + 1)).toBeNull()
  })

  it.each(['open', 'joined', 'delivered'] as const)('in its own flow alone, %s as it is', (status) => {
    expect(living(row(status), 'authorization', 0)).toBeNull()
    expect(living(row(status, { flow: 'authorization' }), 'pairing', 0)).toBeNull()
    expect(living(row(status, { flow: 'authorization' }), 'authorization', 0)).toMatchObject({ status })
  })

  it('nowhere when it was never opened', () => {
    expect(living(null, 'pairing', 0)).toBeNull()
  })
})

describe('joining', () => {
  it('takes the first device of an open offer', () => {
    expect(checkJoin(row('open'), request)).toEqual({ ok: true, value: 'join' })
  })

  it.each(['joined', 'delivered'] as const)('of a %s offer is for the device that has joined', (status) => {
    expect(checkJoin(row(status), request)).toEqual({ ok: true, value: 'again' })
    expect(checkJoin(row(status), asking({ issuedAt: statement.issuedAt + 1 }))).toEqual({ ok: true, value: 'again' })
    for (const changes of [
      { deviceId: 'Bbbb'.repeat(8) },
      { devicePublicKeyB64u: 'another key' },
      { kemPublicKeyB64u: 'another key' },
      { origin: 'app:other' },
      { capabilities: [] },
    ]) {
      expect(checkJoin(row(status), asking(changes)), JSON.stringify(changes)).toEqual(refusal(status))
    }
  })

  it.each(['open', 'joined', 'delivered'] as const)(
    'of a %s offer is refused to who joins another identity',
    (status) => {
      const elsewhere = asking({ did: `did:svc:${'QQQQ'.repeat(8)}` })
      expect(checkJoin(row(status), elsewhere)).toEqual({ ok: false, error: { reason: 'owner_mismatch' } })
    },
  )
})

describe('delivering', () => {
  it('follows joining, once', () => {
    expect(checkDelivery(row('open'))).toEqual(refusal('open'))
    expect(checkDelivery(row('joined'))).toEqual(done)
    expect(checkDelivery(row('delivered'))).toEqual(refusal('delivered'))
  })
})

describe('consuming', () => {
  it('follows delivering', () => {
    expect(checkConsumption(row('open'))).toEqual(refusal('open'))
    expect(checkConsumption(row('joined'))).toEqual(refusal('joined'))
    expect(checkConsumption(row('delivered'))).toEqual(done)
  })
})

describe('wrong tokens', () => {
  it('close an offer at the fifth', () => {
    expect([0, 1, 2, 3, 4, 5, 6].map(closesOn)).toEqual([false, false, false, false, false, true, true])
  })
})
