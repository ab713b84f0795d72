import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { describe, expect, it } from 'vitest'
import { mlKem768, mlKem768SeedOf, xWing } from '../index.ts'
import type { XWing } from '../interface.ts'
import { type ModernSubtle, modernSubtle } from '../subtle.ts'
import vectors from './draft-vectors.json'
import { createNativeXWing, nativeXWing } from './native.ts'
import { nobleXWing } from './noble.ts'
import { hybrid } from './noble-hybrid.ts'
import { isX25519PublicKey } from './x25519-keys.ts'

const refuses = () => Promise.reject(new Error('noble was called'))
const noXWing: XWing = {
  backend: 'noble',
  publicKeyOf: refuses,
  encapsulate: refuses,
  decapsulate: refuses,
  decapsulatorOf: refuses,
}
const backends: XWing[] = [createNativeXWing(modernSubtle, noXWing), nobleXWing]

const seed = Uint8Array.from({ length: 32 }, (_, i) => i)
const publicKey = await nobleXWing.publicKeyOf(seed)

/** Every encoding of a point of small order, those that are not reduced included; the last has the ignored bit set. */
const SMALL_ORDER = [
  '00'.repeat(32),
  `01${'00'.repeat(31)}`,
  'e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800',
  '5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157',
  `ec${'ff'.repeat(30)}7f`,
  `ed${'ff'.repeat(30)}7f`,
  `ee${'ff'.repeat(30)}7f`,
  `ed${'ff'.repeat(31)}`,
]

function withTail(bytes: Uint8Array, tail: Uint8Array): Uint8Array {
  const changed = new Uint8Array(bytes)
  changed.set(tail, bytes.length - tail.length)
  return changed
}

it('chooses the native backend in this runtime', () => {
  expect(xWing).toBe(nativeXWing)
  expect(xWing.backend).toBe('native')
})

describe.each(backends)('X-Wing, $backend', (backend) => {
  it.each(vectors)('derives and opens as in the vector of the draft for seed $seed', async (vector) => {
    const own = hexToBytes(vector.seed)
    const ciphertext = hexToBytes(vector.ct)
    expect(bytesToHex(await backend.publicKeyOf(own))).toBe(vector.pk)
    expect(bytesToHex(await backend.decapsulate(own, ciphertext))).toBe(vector.ss)
    expect(bytesToHex(await (await backend.decapsulatorOf(own))(ciphertext))).toBe(vector.ss)
  })

  it.each(backends)('encapsulates what $backend decapsulates', async (receiver) => {
    const { ciphertext, sharedSecret } = await backend.encapsulate(publicKey)
    expect([publicKey.length, ciphertext.length, sharedSecret.length, sharedSecret.buffer.byteLength]).toEqual([
      1216, 1120, 32, 32,
    ])
    expect(await receiver.decapsulate(seed, ciphertext)).toEqual(sharedSecret)
    expect((await backend.encapsulate(publicKey)).sharedSecret).not.toEqual(sharedSecret)
  })

  it.each([0, 1087, 1088, 1118])(
    'gives every backend another secret for a ciphertext changed at byte %i',
    async (at) => {
      const { ciphertext, sharedSecret } = await backend.encapsulate(publicKey)
      ciphertext[at] = (ciphertext[at] ?? 0) ^ 1
      const [one, two] = await Promise.all(backends.map((receiver) => receiver.decapsulate(seed, ciphertext)))
      expect(one).toEqual(two)
      expect(one).not.toEqual(sharedSecret)
    },
  )

  it('uses the bytes it was called with, even if the caller changes them immediately', async () => {
    const { ciphertext, sharedSecret } = await nobleXWing.encapsulate(publicKey)
    const [own, to] = [new Uint8Array(seed), new Uint8Array(publicKey)]
    const [decapsulating, deriving] = [backend.decapsulate(own, ciphertext), backend.publicKeyOf(own)]
    const encapsulating = backend.encapsulate(to)
    for (const bytes of [own, to, ciphertext]) bytes.fill(0)
    expect(await decapsulating).toEqual(sharedSecret)
    expect(await deriving).toEqual(publicKey)
    const made = await encapsulating
    expect(await backend.decapsulate(seed, made.ciphertext)).toEqual(made.sharedSecret)
  })

  it('keeps decapsulating with a prepared key after the seed is overwritten', async () => {
    const { ciphertext, sharedSecret } = await nobleXWing.encapsulate(publicKey)
    const own = new Uint8Array(seed)
    const decapsulate = await backend.decapsulatorOf(own)
    own.fill(0)
    expect(await Promise.all([decapsulate(ciphertext), decapsulate(ciphertext)])).toEqual([sharedSecret, sharedSecret])
    await expect(decapsulate(new Uint8Array(1119))).rejects.toThrow(
      new TypeError('x-wing ciphertext: expected 1120 bytes, got 1119'),
    )
  })

  it.each(SMALL_ORDER)('refuses a point of small order, %s', async (hex) => {
    const point = hexToBytes(hex)
    expect(isX25519PublicKey(point)).toBe(false)
    await expect(backend.encapsulate(withTail(publicKey, point))).rejects.toThrow(
      new TypeError('x25519 publicKey: a point of small order'),
    )
    const { ciphertext } = await backend.encapsulate(publicKey)
    await expect(backend.decapsulate(seed, withTail(ciphertext, point))).rejects.toThrow(
      new TypeError('x25519 ephemeral: a point of small order'),
    )
  })

  it('refuses wrong lengths, types and ML-KEM keys by name', async () => {
    for (const n of [0, 1184, 1215, 1217]) {
      await expect(backend.encapsulate(new Uint8Array(n))).rejects.toThrow(
        new TypeError(`x-wing publicKey: expected 1216 bytes, got ${n}`),
      )
    }
    for (const n of [0, 31, 64]) {
      const error = new TypeError(`x-wing seed: expected 32 bytes, got ${n}`)
      await expect(backend.publicKeyOf(new Uint8Array(n))).rejects.toThrow(error)
      await expect(backend.decapsulate(new Uint8Array(n), new Uint8Array(1120))).rejects.toThrow(error)
      await expect(backend.decapsulatorOf(new Uint8Array(n))).rejects.toThrow(error)
    }
    for (const n of [0, 1088, 1121]) {
      await expect(backend.decapsulate(seed, new Uint8Array(n))).rejects.toThrow(
        new TypeError(`x-wing ciphertext: expected 1120 bytes, got ${n}`),
      )
    }
    await expect(backend.encapsulate('x' as never)).rejects.toThrow(
      new TypeError('x-wing publicKey: expected a Uint8Array, got string'),
    )
    const unreduced = new Uint8Array(publicKey).fill(255, 0, 3)
    await expect(backend.encapsulate(unreduced)).rejects.toThrow(
      new TypeError('ml-kem-768 publicKey: a coefficient is not reduced modulo 3329'),
    )
  })
})

it.each(vectors)('noble encapsulates as in the vector of the draft for seed $seed', (vector) => {
  const { cipherText, sharedSecret } = hybrid.encapsulate(hexToBytes(vector.pk), hexToBytes(vector.eseed))
  expect(bytesToHex(cipherText)).toBe(vector.ct)
  expect(bytesToHex(sharedSecret)).toBe(vector.ss)
})

it('both backends refuse points of small order without the common check', async () => {
  for (const point of SMALL_ORDER.map(hexToBytes)) {
    const key = withTail(publicKey, point)
    expect(() => hybrid.encapsulate(key)).toThrow('invalid')
    const encapsulating = modernSubtle
      .importKey('raw-public', key, 'MLKEM768-X25519', false, ['encapsulateBits'])
      .then((imported) => modernSubtle.encapsulateBits('MLKEM768-X25519', imported))
    await expect(encapsulating).rejects.toThrow()
  }
})

it('takes other keys as they are, also with the bit that X25519 ignores', () => {
  expect(isX25519PublicKey(publicKey.slice(1184))).toBe(true)
  expect(isX25519PublicKey(new Uint8Array(32).fill(255))).toBe(true)
  expect(isX25519PublicKey(new Uint8Array(31).fill(9))).toBe(false)
  expect(isX25519PublicKey('x')).toBe(false)
})

it('gives the seed of its ML-KEM-768 part', async () => {
  expect(await mlKem768.publicKeyOf(mlKem768SeedOf(seed))).toEqual(publicKey.slice(0, 1184))
  expect(() => mlKem768SeedOf(new Uint8Array(64))).toThrow(new TypeError('x-wing seed: expected 32 bytes, got 64'))
})

describe('a runtime with faults', () => {
  const throwing = () => Promise.reject(new Error('operational'))
  /** The runtime without `getPublicKey`, and with the given operations replaced. */
  const runtime = (faults: Partial<ModernSubtle>) =>
    ({
      importKey: modernSubtle.importKey.bind(modernSubtle),
      encapsulateBits: modernSubtle.encapsulateBits.bind(modernSubtle),
      decapsulateBits: modernSubtle.decapsulateBits.bind(modernSubtle),
      ...faults,
    }) as ModernSubtle

  it('has its faults rethrown', async () => {
    const native = createNativeXWing(runtime({ encapsulateBits: throwing, decapsulateBits: throwing }))
    await expect(native.encapsulate(publicKey)).rejects.toThrow('operational')
    const { ciphertext } = await nobleXWing.encapsulate(publicKey)
    await expect(native.decapsulate(seed, ciphertext)).rejects.toThrow('operational')
  })

  it('lets noble derive the public key if it has no getPublicKey', async () => {
    const own = new Uint8Array(seed)
    const deriving = createNativeXWing(runtime({})).publicKeyOf(own)
    own.fill(0)
    expect(await deriving).toEqual(publicKey)
    await expect(createNativeXWing(runtime({}), noXWing).publicKeyOf(seed)).rejects.toThrow('noble was called')
  })
})
