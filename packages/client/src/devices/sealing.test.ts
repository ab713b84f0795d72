import { bytesOf, encodeBase64url } from '@svc/protocol/base/base64url'
import { hybridCiphertextOf, type KeyPurpose } from '@svc/protocol/base/key-agreement'
import { MAX_SEALED_BYTES, type Sealed, sealedSchema } from '@svc/protocol/devices/rendezvous'
import { describe, expect, it } from 'vitest'
import { derivedKey } from '../identity/derived-key.ts'
import { Device } from '../identity/device.ts'
import { open, type SealContext, seal } from './sealing.ts'

const deviceOf = (byte: number) =>
  Device.fromSeeds(
    { signing: new Uint8Array(32).fill(byte), kem: new Uint8Array(32).fill(byte) },
    { origin: 'app:test', capabilities: [] },
  )
const tablet = await deviceOf(1)
const stranger = await deviceOf(2)
const sealKey = new Uint8Array(32).fill(9)
const context: SealContext = { code: '7Q3K-9ZXN-0V4T', deviceId: tablet.deviceId, sealKey }
const message = new TextEncoder().encode('a sealed message')
const sealed = await seal(message, tablet, context)
const REFUSED = 'This was encrypted for another device or offer, or it was modified'

/** The text with one bit of one of its bytes changed. */
function flipped(text: string, position: number): string {
  const bytes = bytesOf(text)
  bytes.set([(bytes.at(position) ?? 0) ^ 1], position < 0 ? bytes.length + position : position)
  return encodeBase64url(bytes)
}

describe('what is sealed for a device', () => {
  it.each([0, 1, 16, 16_384, MAX_SEALED_BYTES - 16])('is opened by it, %i bytes', async (length) => {
    const plaintext = new Uint8Array(length).fill(7)
    const one = await seal(plaintext, tablet, context)
    expect(sealedSchema.safeParse(one).success).toBe(true)
    expect(await open(one, tablet, context)).toEqual(plaintext)
  })

  it('is another text each time', async () => {
    const again = await seal(message, tablet, context)
    for (const member of ['kemCiphertextB64u', 'ephemeralB64u', 'nonceB64u', 'ciphertextB64u'] as const) {
      expect(again[member]).not.toBe(sealed[member])
    }
    expect(await open(again, tablet, context)).toEqual(message)
  })

  it('is not opened by another device', async () => {
    await expect(open(sealed, stranger, context)).rejects.toThrow(REFUSED)
    await expect(open(sealed, stranger, { ...context, deviceId: stranger.deviceId })).rejects.toThrow(REFUSED)
  })

  it.each([
    ['code', { code: '7Q3K-9ZXN-0V4S' }],
    ['device', { deviceId: stranger.deviceId }],
    ['invitation', { sealKey: new Uint8Array(32).fill(8) }],
  ])('is not opened for another %s', async (_, changed) => {
    await expect(open(sealed, tablet, { ...context, ...changed })).rejects.toThrow(REFUSED)
  })

  it.each<[keyof Sealed, number]>([
    ['kemCiphertextB64u', 0],
    ['kemCiphertextB64u', 700],
    ['kemCiphertextB64u', -1],
    ['ephemeralB64u', 0],
    ['nonceB64u', 0],
    ['nonceB64u', -1],
    ['ciphertextB64u', 0],
    ['ciphertextB64u', -1],
  ])('is not opened with a bit of %s changed at %i', async (member, position) => {
    const changed = { ...sealed, [member]: flipped(sealed[member], position) }
    await expect(open(changed, tablet, context)).rejects.toThrow(REFUSED)
  })

  it.each<keyof Sealed>(['kemCiphertextB64u', 'ephemeralB64u', 'nonceB64u', 'ciphertextB64u'])(
    'is not opened with the %s of another message',
    async (member) => {
      const other = await seal(message, tablet, context)
      await expect(open({ ...sealed, [member]: other[member] }, tablet, context)).rejects.toThrow(REFUSED)
    },
  )

  it('is not opened when it was cut short or made longer', async () => {
    const bytes = bytesOf(sealed.ciphertextB64u)
    for (const other of [new Uint8Array(), bytes.slice(0, -1), bytes.slice(1), new Uint8Array([...bytes, 0])]) {
      const changed = { ...sealed, ciphertextB64u: encodeBase64url(other) }
      await expect(open(changed, tablet, context)).rejects.toThrow(REFUSED)
    }
  })

  it('is what another implementation of the page seals', async () => {
    const secret = Uint8Array.from({ length: 32 }, (_, i) => i)
    const theirs = {
      ...hybridCiphertextOf(Uint8Array.from({ length: 1120 }, (_, i) => (i * 3) & 255)),
      nonceB64u: 'AAECAwQFBgcICQoL',
      ciphertextB64u: 'nkp8VJ_zuFMeygMtVv8uNVQpgNcWtzFzsbRul4LJ7R0',
    }
    const holder = { unwrap: async (given: Uint8Array, purpose: KeyPurpose) => derivedKey(secret, given, purpose) }
    const about = { code: '7Q3K-9ZXN-0V4T', deviceId: 'PDw8'.repeat(8), sealKey: new Uint8Array(32).fill(9) }
    const opened = await open(theirs, holder, about)
    expect(new TextDecoder().decode(opened)).toBe('a sealed message')
  })
})
