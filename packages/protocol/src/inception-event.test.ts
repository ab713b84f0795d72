import { describe, expect, it } from 'vitest'
import {
  attestDeviceSchema,
  deviceBatchSchema,
  eventHash,
  type InceptionEvent,
  inceptionEventSchema,
} from './inception.ts'
import { attestation, inception, OTHER_SIGNATURE, rotation, suspension } from './inception-events.fixture.ts'

describe('eventHash', () => {
  it('is SHA3-384 over canonical JSON, whatever the order of members', () => {
    // By hashlib of Python over json.dumps(event, sort_keys=True, separators=(',', ':')).
    const { statement, signatureB64u } = suspension
    const event = { signatureB64u, statement: { ...statement, deviceId: 'PDw9'.repeat(8) } }
    expect(eventHash(event)).toBe(
      '88e4541635f774730a8473770c272ee83d13a57f6080a48f325e25f2fc47b06b7ced739a2bacb8b1ce4997e33cfed55e',
    )
  })

  it.each<[string, InceptionEvent]>([
    ['the root key', { ...attestation, signatureB64u: OTHER_SIGNATURE }],
    ['the device', { ...attestation, acceptance: { ...attestation.acceptance, signatureB64u: OTHER_SIGNATURE } }],
  ])('covers the signature of %s', (_, other) => {
    expect(eventHash(other)).not.toBe(eventHash(attestation))
  })

  it('covers the signatures of officers, and that they are there', () => {
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
  it('take one to ten device events in a batch, and nothing about an organization', () => {
    const batchOf = (...events: InceptionEvent[]) => deviceBatchSchema.safeParse({ events }).success
    expect(batchOf(attestation, suspension)).toBe(true)
    expect(batchOf(...Array.from({ length: 10 }, () => attestation))).toBe(true)
    expect(batchOf(...Array.from({ length: 11 }, () => attestation))).toBe(false)
    expect(batchOf()).toBe(false)
    expect(batchOf(attestation, inception)).toBe(false)
    expect(batchOf(rotation)).toBe(false)
  })

  it('take no attestation without acceptance, and no sequence below 1', () => {
    const { acceptance: _, ...alone } = attestation
    expect(attestDeviceSchema.safeParse(alone).success).toBe(false)
    const first = { ...attestation, statement: { ...attestation.statement, sequence: 0 } }
    expect(attestDeviceSchema.safeParse(first).success).toBe(false)
  })

  it.each([
    ['a type of another event', { type: 'svc/org-inception/v1' }],
    ['a member that nobody checks', { note: 'x' }],
    ['no expiry, not even null', { expiresAt: undefined }],
    ['an epoch below 0', { rootEpoch: -1 }],
  ])('refuse %s', (_, members) => {
    const changed = { ...attestation, statement: { ...attestation.statement, ...members } }
    expect(inceptionEventSchema.safeParse(changed).success).toBe(false)
  })
})
