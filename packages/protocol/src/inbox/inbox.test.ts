import { describe, expect, it } from 'vitest'
import { encodeBase64url } from '../base/base64url.ts'
import {
  CONTACT_BUCKETS,
  type ContactMessage,
  contactAad,
  contactEnvelopeSchema,
  contactPurpose,
  contactRequestIdSchema,
  contactRequestSchema,
  padMessage,
  unpadMessage,
} from './inbox.ts'
import { contactReplySchema } from './reply.ts'

const ASSET = `asset:sha3-384:${'a7'.repeat(48)}`
const message: ContactMessage = {
  name: 'Ada',
  email: 'ada@example.org',
  subject: 'Your picture',
  message: 'May I print it? – Ünïcode 🖼',
  assetId: ASSET,
  sentAt: 1_790_000_000_000,
}
/** A message of exactly this many bytes in canonical JSON. */
function ofLength(bytes: number): ContactMessage {
  const short = { ...message, message: '' }
  const empty = new TextEncoder().encode(JSON.stringify(short)).length
  return { ...short, message: 'x'.repeat(bytes - empty) }
}

describe('a padded message', () => {
  it('round-trips', () => {
    expect(unpadMessage(padMessage(message) ?? new Uint8Array())).toEqual(message)
    const { sentAt: _, ...undated } = message
    expect(unpadMessage(padMessage(undated) ?? new Uint8Array())).toEqual(undated)
  })

  it.each([
    [400, 1024],
    [1023, 1024],
    [1024, 4096],
    [4095, 4096],
    [4096, 16_384],
    [16_384, 65_536],
    [65_535, 65_536],
  ])('of %i bytes is padded to %i', (bytes, bucket) => {
    const padded = padMessage(ofLength(bytes))
    expect(padded?.length).toBe(bucket)
    expect(padded?.[bytes]).toBe(0x80)
    expect(unpadMessage(padded ?? new Uint8Array())).toEqual(ofLength(bytes))
  })

  it('does not exist above the largest bucket', () => {
    expect(padMessage(ofLength(65_536))).toBeNull()
  })

  it('keeps a message that ends like padding', () => {
    for (const end of ['\u0000', '\u0080', '\u0080\u0000\u0000']) {
      const odd = { ...message, message: `x${end}` }
      expect(unpadMessage(padMessage(odd) ?? new Uint8Array())).toEqual(odd)
    }
  })

  it('is refused without its marker, empty, or with other content before it', () => {
    const padded = padMessage(message) ?? new Uint8Array()
    const marks = padded.map((byte) => (byte === 0x80 ? 0 : byte))
    const json = (value: unknown) => new Uint8Array([...new TextEncoder().encode(JSON.stringify(value)), 0x80, 0])
    const bad = [
      new Uint8Array(1024),
      new Uint8Array(),
      new Uint8Array([0x80]),
      marks,
      json({}),
      json([]),
      json({ ...message, name: 1 }),
    ]
    for (const bytes of bad) expect(unpadMessage(bytes)).toBeNull()
    expect(unpadMessage(new Uint8Array([0xff, 0x80]))).toBeNull()
    const later = { ...message, later: 1 }
    expect(unpadMessage(json(later))).toEqual(later)
  })
})

it('binds request, asset and key, also in the key that it is sealed with', () => {
  const context = { requestId: 'r', assetId: ASSET, kemKeyId: 'k' }
  expect(new TextDecoder().decode(contactAad(context))).toBe(
    `{"assetId":"${ASSET}","kemKeyId":"k","requestId":"r","type":"svc/contact/v1"}`,
  )
  expect(contactPurpose(context)).toEqual({ label: 'svc/contact/v1', info: contactAad(context) })
  const reply = 'svc/contact-reply/v1'
  expect(contactPurpose(context, reply)).toEqual({ label: reply, info: contactAad(context, reply) })
})

describe('the schemas', () => {
  const bytes = (length: number) => encodeBase64url(new Uint8Array(length).fill(7))
  const envelope = {
    kemKeyId: bytes(24),
    kemCiphertextB64u: bytes(1088),
    nonceB64u: bytes(12),
    ciphertextB64u: bytes(1040),
  }

  it('accept an envelope of each bucket and of no other length', () => {
    for (const bucket of CONTACT_BUCKETS) {
      const sized = { ...envelope, ciphertextB64u: bytes(bucket + 16) }
      expect(contactEnvelopeSchema.safeParse(sized).success).toBe(true)
      for (const length of [bucket, bucket + 15, bucket + 17]) {
        expect(contactEnvelopeSchema.safeParse({ ...envelope, ciphertextB64u: bytes(length) }).success).toBe(false)
      }
    }
  })

  it('accept an ephemeral key, and an envelope of ML-KEM-768 alone', () => {
    expect(contactEnvelopeSchema.safeParse({ ...envelope, ephemeralB64u: bytes(32) }).success).toBe(true)
    for (const bad of [bytes(31), bytes(33), 'A'.repeat(43), null]) {
      expect(contactEnvelopeSchema.safeParse({ ...envelope, ephemeralB64u: bad }).success).toBe(false)
    }
    const about = { format: 'svc/contact-reply/v1', requestId: bytes(60), assetId: ASSET }
    const isReply = (sealed: object) => contactReplySchema.safeParse({ ...about, envelope: sealed }).success
    expect([isReply({ ...envelope, ephemeralB64u: bytes(32) }), isReply(envelope)]).toEqual([true, false])
  })

  it('accept one address and nothing that could be two', () => {
    const request = (fromEmail: string) =>
      contactRequestSchema.safeParse({ assetId: ASSET, fromEmail, challengeToken: 't' })
    expect(request('ada.l+x@mail.example.org').success).toBe(true)
    for (const bad of [
      '',
      'ada',
      'a@b',
      'a@b.org\n',
      'a@b.org, c@d.org',
      '<a@b.org>',
      'a b@c.org',
      'a@b.org\r\nBcc: c@d.org',
    ]) {
      expect(request(bad).success, bad).toBe(false)
    }
  })

  it('accept an id of 60 bytes', () => {
    expect(contactRequestIdSchema.safeParse(bytes(60)).success).toBe(true)
    for (const length of [0, 59, 61]) expect(contactRequestIdSchema.safeParse(bytes(length)).success).toBe(false)
  })
})
