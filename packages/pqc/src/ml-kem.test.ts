import { shake256 } from '@noble/hashes/sha3.js'
import { describe, expect, it } from 'vitest'
import { mlKem768 } from './index.ts'
import type { MlKem768 } from './interface.ts'
import { createNativeMlKem768, nativeMlKem768 } from './native.ts'
import { nobleMlKem768 } from './noble.ts'
import { modernSubtle } from './subtle.ts'

const refuses = () => Promise.reject(new Error('noble was called'))
const native = createNativeMlKem768(modernSubtle, {
  backend: 'noble',
  publicKeyOf: refuses,
  encapsulate: refuses,
  decapsulate: refuses,
  decapsulatorOf: refuses,
})
const backends: MlKem768[] = [native, nobleMlKem768]

const Q = 3329
const seed = Uint8Array.from({ length: 64 }, (_, i) => i)
const publicKey = await nobleMlKem768.publicKeyOf(seed)

function coefficient(key: Uint8Array, index: number): number {
  const at = Math.floor(index / 2) * 3
  const [low = 0, middle = 0, high = 0] = key.subarray(at, at + 3)
  return index % 2 === 0 ? low | ((middle & 15) << 8) : (middle >> 4) | (high << 4)
}

function withCoefficient(index: number, value: number): Uint8Array {
  const key = new Uint8Array(publicKey)
  const at = Math.floor(index / 2) * 3
  const [even, odd] = index % 2 === 0 ? [value, coefficient(key, index + 1)] : [coefficient(key, index - 1), value]
  key.set([even & 255, (even >> 8) | ((odd & 15) << 4), odd >> 4], at)
  return key
}

it('chooses the native backend in this runtime', () => {
  expect(mlKem768).toBe(nativeMlKem768)
  expect(mlKem768.backend).toBe('native')
})

describe.each(backends)('ML-KEM-768, $backend', (backend) => {
  it('derives the same public key from a seed every time', async () => {
    expect(await backend.publicKeyOf(seed)).toEqual(publicKey)
    expect(publicKey.length).toBe(1184)
  })

  it.each(backends)('encapsulates what $backend decapsulates', async (receiver) => {
    const { ciphertext, sharedSecret } = await backend.encapsulate(publicKey)
    expect([ciphertext.length, sharedSecret.length, sharedSecret.buffer.byteLength]).toEqual([1088, 32, 32])
    expect(await receiver.decapsulate(seed, ciphertext)).toEqual(sharedSecret)
    expect((await backend.encapsulate(publicKey)).sharedSecret).not.toEqual(sharedSecret)
  })

  it.each([0, 500, 960, 1087])(
    'rejects a ciphertext changed at byte %i with FIPS 203’s secret, not an error',
    async (at) => {
      const { ciphertext, sharedSecret } = await backend.encapsulate(publicKey)
      const tampered = new Uint8Array(ciphertext)
      tampered[at] = (tampered[at] ?? 0) ^ 1
      const rejection = shake256(new Uint8Array([...seed.subarray(32), ...tampered]), { dkLen: 32 })
      expect(rejection).not.toEqual(sharedSecret)
      for (const receiver of backends) expect(await receiver.decapsulate(seed, tampered)).toEqual(rejection)
    },
  )

  it('decapsulates the bytes it was called with, even if the caller changes them immediately', async () => {
    const { ciphertext, sharedSecret } = await nobleMlKem768.encapsulate(publicKey)
    const decapsulating = backend.decapsulate(seed, ciphertext)
    ciphertext.fill(0)
    expect(await decapsulating).toEqual(sharedSecret)
  })

  it('keeps decapsulating with a prepared key after the seed is overwritten', async () => {
    const { ciphertext, sharedSecret } = await nobleMlKem768.encapsulate(publicKey)
    const own = new Uint8Array(seed)
    const decapsulate = await backend.decapsulatorOf(own)
    own.fill(0)
    expect(await Promise.all([decapsulate(ciphertext), decapsulate(ciphertext)])).toEqual([sharedSecret, sharedSecret])
    await expect(decapsulate(new Uint8Array(1087))).rejects.toThrow(
      new TypeError('ml-kem-768 ciphertext: expected 1088 bytes, got 1087'),
    )
  })

  it.each([0, 1, 766, 767])('refuses a public key whose coefficient %i is q or more', async (index) => {
    const error = new TypeError('ml-kem-768 publicKey: a coefficient is not reduced modulo 3329')
    for (const value of [Q, Q + 1, 4095]) {
      await expect(backend.encapsulate(withCoefficient(index, value))).rejects.toThrow(error)
    }
    const edge = withCoefficient(index, Q - 1)
    expect(coefficient(edge, index)).toBe(Q - 1)
    expect((await backend.encapsulate(edge)).ciphertext.length).toBe(1088)
  })

  it('refuses a valid public key with q added to one coefficient', async () => {
    const index = Array.from({ length: 768 }, (_, i) => i).findIndex((i) => coefficient(publicKey, i) < 4096 - Q)
    const congruent = withCoefficient(index, coefficient(publicKey, index) + Q)
    await expect(backend.encapsulate(congruent)).rejects.toThrow(TypeError)
  })

  it('does not apply the modulus to ρ', async () => {
    const key = new Uint8Array(publicKey)
    key.fill(255, 1152)
    expect((await backend.encapsulate(key)).sharedSecret.length).toBe(32)
  })

  it('refuses wrong lengths and types by name', async () => {
    for (const n of [0, 1183, 1185]) {
      await expect(backend.encapsulate(new Uint8Array(n))).rejects.toThrow(
        new TypeError(`ml-kem-768 publicKey: expected 1184 bytes, got ${n}`),
      )
    }
    for (const n of [0, 32, 63, 65]) {
      const error = new TypeError(`ml-kem-768 seed: expected 64 bytes, got ${n}`)
      await expect(backend.publicKeyOf(new Uint8Array(n))).rejects.toThrow(error)
      await expect(backend.decapsulate(new Uint8Array(n), new Uint8Array(1088))).rejects.toThrow(error)
      await expect(backend.decapsulatorOf(new Uint8Array(n))).rejects.toThrow(error)
    }
    for (const n of [0, 1087, 1089]) {
      await expect(backend.decapsulate(seed, new Uint8Array(n))).rejects.toThrow(
        new TypeError(`ml-kem-768 ciphertext: expected 1088 bytes, got ${n}`),
      )
    }
    await expect(backend.encapsulate('x' as never)).rejects.toThrow(
      new TypeError('ml-kem-768 publicKey: expected a Uint8Array, got string'),
    )
  })
})

it('both backends refuse a non-canonical public key without the common check', async () => {
  const { ml_kem768 } = await import('@noble/post-quantum/ml-kem.js')
  const key = withCoefficient(0, Q)
  expect(() => ml_kem768.encapsulate(key)).toThrow('modulus')
  await expect(modernSubtle.importKey('raw-public', key, 'ML-KEM-768', false, ['encapsulateBits'])).rejects.toThrow()
})
