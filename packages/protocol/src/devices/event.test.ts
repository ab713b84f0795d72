import { describe, expect, it } from 'vitest'
import { REALM } from '../../test/realm.fixture.ts'
import { attestation, inception, OTHER_SIGNATURE, rotation, suspension } from './events.fixture.ts'
import {
  attestDeviceSchema,
  deviceBatchSchema,
  eventHash,
  type InceptionEvent,
  inceptionEventSchema,
} from './inception.ts'

describe('eventHash', () => {
  it('is SHA3-384 over canonical JSON, independent of member order', () => {
    // From Python: hashlib over json.dumps(event, sort_keys=True, separators=(',', ':')).
    const { statement, signatureB64u } = suspension
    const event = { signatureB64u, statement: { ...statement, deviceId: 'PDw9'.repeat(8) } }
    expect(eventHash(event)).toBe(
      '4a7a8d2319f81721ffc8664b26455a8c589dce1a33ac39b16a7cf70ba7128c34118e3ef3a0385fc11034d833c3a37f88',
    )
  })

  it.each<[string, InceptionEvent]>([
    ['the root key', { ...attestation, signatureB64u: OTHER_SIGNATURE }],
    ['the device', { ...attestation, acceptance: { ...attestation.acceptance, signatureB64u: OTHER_SIGNATURE } }],
  ])('covers the signature of %s', (_, other) => {
    expect(eventHash(other)).not.toBe(eventHash(attestation))
  })

  it('covers the signatures of officers and their presence', () => {
    const [approval] = rotation.approvals
    const [acceptance] = inception.acceptances
    expect(eventHash({ ...rotation, approvals: [] })).not.toBe(eventHash(rotation))
    expect(eventHash({ ...inception, acceptances: [] })).not.toBe(eventHash(inception))
    expect(eventHash({ ...rotation, approvals: [{ ...approval!, signatureB64u: OTHER_SIGNATURE }] })).not.toBe(
      eventHash(rotation),
    )
    expect(eventHash({ ...inception, acceptances: [{ ...acceptance!, signatureB64u: OTHER_SIGNATURE }] })).not.toBe(
      eventHash(inception),
    )
  })
})

describe('schemas', () => {
  it('accept one to ten device events in a batch, and no organization events', () => {
    const batchOf = (...events: InceptionEvent[]) => deviceBatchSchema.safeParse({ events }).success
    expect(batchOf(attestation, suspension)).toBe(true)
    expect(batchOf(...Array.from({ length: 10 }, () => attestation))).toBe(true)
    expect(batchOf(...Array.from({ length: 11 }, () => attestation))).toBe(false)
    expect(batchOf()).toBe(false)
    expect(batchOf(attestation, inception)).toBe(false)
    expect(batchOf(rotation)).toBe(false)
  })

  it('require an acceptance for an attestation, and a sequence of at least 1', () => {
    const { acceptance: _, ...alone } = attestation
    expect(attestDeviceSchema.safeParse(alone).success).toBe(false)
    const first = { ...attestation, statement: { ...attestation.statement, sequence: 0 } }
    expect(attestDeviceSchema.safeParse(first).success).toBe(false)
  })

  it.each([
    ['a type of another event', { type: 'svc/org-inception/v1', realm: REALM }],
    ['an unknown member', { note: 'x' }],
    ['no expiry, not even null', { expiresAt: undefined }],
    ['an epoch below 0', { rootEpoch: -1 }],
  ])('refuse %s', (_, members) => {
    const changed = { ...attestation, statement: { ...attestation.statement, ...members } }
    expect(inceptionEventSchema.safeParse(changed).success).toBe(false)
  })
})
