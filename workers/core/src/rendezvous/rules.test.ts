import { type JoinRequest, type OfferStatus, POLL_INTERVAL_MS } from '@svc/protocol/devices/rendezvous'
import { REALM } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { checkConsumption, checkDelivery, checkJoin, checkQuestion, closesOn, living, type OfferRow } from './rules.ts'

const DID = `did:svc:${'PDw8'.repeat(8)}`
const EXPIRES_AT = 1_790_000_600_000
const statement = {
  type: 'svc/device-acceptance/v1' as const,
  realm: REALM,
  did: DID,
  deviceId: 'Aaaa'.repeat(8),
  devicePublicKeyB64u: 'device key',
  kemPublicKeyB64u: 'kem key',
  x25519B64u: 'x25519 key',
  origin: 'app:test',
  capabilities: ['chain:read' as const],
  inception: null,
  issuedAt: 1_790_000_000_000,
}
const request: JoinRequest = { acceptance: { statement, signatureB64u: 'signature' }, proofB64u: 'proof' }
/** The same device with some members changed, signed again. */
const asking = (changes: Partial<typeof statement>, signatureB64u = 'another'): JoinRequest => ({
  acceptance: { statement: { ...statement, ...changes }, signatureB64u },
  proofB64u: 'another',
})

const row = (status: OfferStatus, changes: Partial<OfferRow> = {}): OfferRow => ({
  flow: 'pairing',
  did: DID,
  tokenHash: 'a7'.repeat(48),
  proof: null,
  status,
  expiresAt: EXPIRES_AT,
  wrongTokens: 0,
  request: status === 'open' ? null : request,
  ...changes,
})
const refusal = (status: OfferStatus) => ({ ok: false, error: { reason: 'offer_state', status } })
const done = { ok: true, value: undefined }

describe('an open offer', () => {
  const open = row('open')

  it('lives until its last millisecond', () => {
    expect(living(open, 'pairing', EXPIRES_AT - 1)).toBe(open)
    expect(living(open, 'pairing', EXPIRES_AT)).toBeNull()
    expect(living(open, 'pairing', EXPIRES_AT + 1)).toBeNull()
  })

  it.each(['open', 'joined', 'delivered'] as const)('is visible only to its own flow when %s', (status) => {
    expect(living(row(status), 'authorization', 0)).toBeNull()
    expect(living(row(status, { flow: 'authorization' }), 'pairing', 0)).toBeNull()
    expect(living(row(status, { flow: 'authorization' }), 'authorization', 0)).toMatchObject({ status })
  })

  it('does not exist unless it was opened', () => {
    expect(living(null, 'pairing', 0)).toBeNull()
  })
})

describe('joining', () => {
  it('accepts the first device of an open offer', () => {
    expect(checkJoin(row('open'), request)).toEqual({ ok: true, value: 'join' })
  })

  it.each(['joined', 'delivered'] as const)('a %s offer is possible only for the device that joined it', (status) => {
    expect(checkJoin(row(status), request)).toEqual({ ok: true, value: 'again' })
    expect(checkJoin(row(status), asking({ issuedAt: statement.issuedAt + 1 }))).toEqual({ ok: true, value: 'again' })
    for (const changes of [
      { deviceId: 'Bbbb'.repeat(8) },
      { devicePublicKeyB64u: 'another key' },
      { kemPublicKeyB64u: 'another key' },
      { x25519B64u: 'another key' },
      { origin: 'app:other' },
      { capabilities: [] },
    ]) {
      expect(checkJoin(row(status), asking(changes)), JSON.stringify(changes)).toEqual(refusal(status))
    }
  })

  it.each(['open', 'joined', 'delivered'] as const)('a %s offer is rejected for another identity', (status) => {
    const elsewhere = asking({ did: `did:svc:${'QQQQ'.repeat(8)}` })
    expect(checkJoin(row(status), elsewhere)).toEqual({ ok: false, error: { reason: 'owner_mismatch' } })
  })
})

describe('delivering', () => {
  it('is possible once, after joining', () => {
    expect(checkDelivery(row('open'))).toEqual(refusal('open'))
    expect(checkDelivery(row('joined'))).toEqual(done)
    expect(checkDelivery(row('delivered'))).toEqual(refusal('delivered'))
  })
})

describe('consuming', () => {
  it('is possible after delivery', () => {
    expect(checkConsumption(row('open'))).toEqual(refusal('open'))
    expect(checkConsumption(row('joined'))).toEqual(refusal('joined'))
    expect(checkConsumption(row('delivered'))).toEqual(done)
  })
})

describe('wrong tokens', () => {
  it('close an offer at the fifth attempt', () => {
    expect([0, 1, 2, 3, 4, 5, 6].map(closesOn)).toEqual([false, false, false, false, false, true, true])
  })
})

describe('the questions of one side', () => {
  const NOW = 1_790_000_000_000
  const asked = (count: number, stepMs: number) => Array.from({ length: count }, (_, i) => NOW + i * stepMs)

  it('are accepted at the interval for as long as an offer lives', () => {
    let times: readonly number[] = []
    for (let now = NOW; now < NOW + 600_000; now += POLL_INTERVAL_MS) {
      const checked = checkQuestion(times, now)
      if (!checked.ok) throw new Error('refused')
      times = checked.value
    }
    expect(times).toHaveLength(6)
  })

  it('are twenty in 60 seconds, and the next one when the first is 60 seconds old', () => {
    const times = asked(20, 1_000)
    expect(checkQuestion(times.slice(1), NOW + 20_000)).toEqual({ ok: true, value: [...times.slice(1), NOW + 20_000] })
    for (const [after, retryAfterSeconds] of [
      [19_000, 41],
      [19_001, 41],
      [20_000, 40],
      [59_999, 1],
    ] as const) {
      expect(checkQuestion(times, NOW + after)).toEqual({
        ok: false,
        error: { reason: 'rate_limited', retryAfterSeconds },
      })
    }
    expect(checkQuestion(times, NOW + 60_000)).toEqual({ ok: true, value: [...times.slice(1), NOW + 60_000] })
  })
})

it('two devices behind one address can ask at the interval, and do everything else, within its limit', () => {
  const questions = Math.floor(60_000 / POLL_INTERVAL_MS) + 1
  // Opening, joining, reading to approve and to seal, delivering.
  expect(2 * questions + 5).toBeLessThanOrEqual(20)
})
