import { encodeBase64url } from '@svc/protocol/base/base64url'
import { checkRequestSchema } from '@svc/protocol/provenance/signature-check'
import { describe, expect, it } from 'vitest'
import { CheckRoom } from '../../src/verification/check-room.ts'

const filled = (length: number) => Uint8Array.from({ length }, (_, i) => (i * 7 + length) & 255)
const text = (length: number) => encodeBase64url(filled(length))
const request = {
  publicKeyB64u: text(1952),
  messageB64u: text(20),
  signatureB64u: text(3309),
  nonce: 'n-1',
  algorithm: 'ml-dsa-65',
}
const MAX_MESSAGE = 180 * 1024

describe('a request is read', () => {
  it.each([0, 1, 4095, 4096, 4097, MAX_MESSAGE])('to its bytes, with a message of %i', (length) => {
    const item = { ...request, messageB64u: text(length) }
    expect(new CheckRoom().read(item)).toEqual({
      publicKeyB64u: request.publicKeyB64u,
      nonce: 'n-1',
      publicKey: filled(1952),
      message: filled(length),
      signature: filled(3309),
    })
  })

  it('to its own bytes, whatever was read before it', () => {
    const room = new CheckRoom()
    const other = { ...request, publicKeyB64u: encodeBase64url(new Uint8Array(1952).fill(3)), messageB64u: text(21) }
    for (const item of [other, { ...request, messageB64u: text(4096) }, { ...request, signatureB64u: '' }, request])
      room.read(item)
    expect(room.read(request)?.publicKey).toEqual(filled(1952))
    expect(room.read(request)?.message).toEqual(filled(20))
  })
})

describe('whatever the schema takes is read, and nothing else', () => {
  const lengths = {
    publicKeyB64u: [0, 1951, 1953, 2000],
    signatureB64u: [0, 3308, 3310],
    messageB64u: [MAX_MESSAGE + 1],
  }
  const odd = [undefined, null, 5, '', ' ', 'A', '=', [], {}, filled(3), 'Zh', 'Zg==', '+_-_', 'é']
  const cases: [string, unknown][] = [
    ...[null, 5, 'text', [], [request], {}].map((item): [string, unknown] => [JSON.stringify(item), item]),
    ...Object.entries(lengths).flatMap(([field, all]) =>
      all.map((length): [string, unknown] => [`${field} of ${length}`, { ...request, [field]: text(length) }]),
    ),
    ...Object.keys(request).flatMap((field) =>
      odd.map((value): [string, unknown] => [`${field}: ${JSON.stringify(value)}`, { ...request, [field]: value }]),
    ),
    ['one field more', { ...request, more: 1 }],
    ['a nonce of 257', { ...request, nonce: 'n'.repeat(257) }],
    ['a nonce of 256', { ...request, nonce: 'n'.repeat(256) }],
  ]

  it.each(cases)('%s', (_, item) => {
    expect(new CheckRoom().read(item) !== null).toBe(checkRequestSchema.safeParse(item).success)
  })

  it('any character of it changed to any other', () => {
    const room = new CheckRoom()
    const alphabet = 'AQgwEIMUYckosZz09-_+/= \n\té\0'.split('')
    const answers = new Set<boolean>()
    for (const field of ['publicKeyB64u', 'messageB64u', 'signatureB64u'] as const) {
      const { length } = request[field]
      for (const at of [0, 1, Math.floor(length / 2), length - 4, length - 3, length - 2, length - 1]) {
        for (const character of alphabet) {
          const changed = request[field].slice(0, at) + character + request[field].slice(at + 1)
          const item = { ...request, [field]: changed }
          const isRead = room.read(item) !== null
          answers.add(isRead)
          expect(isRead, `${field} ${at} ${JSON.stringify(character)}`).toBe(checkRequestSchema.safeParse(item).success)
        }
      }
    }
    expect(answers.size).toBe(2)
  })
})
