import { ml_dsa65 } from '@noble/post-quantum/ml-dsa.js'
import { describe, expect, it } from 'vitest'
import { mlDsa65 } from './index.ts'
import { createNativeMlDsa65, nativeMlDsa65 } from './native.ts'
import { noMlDsa65 } from './no-fallback.fixture.ts'
import { nobleMlDsa65 } from './noble.ts'
import { ML_DSA_65 } from './sizes.ts'
import { modernSubtle } from './subtle.ts'
import { Z_OUT_OF_RANGE } from './z-out-of-range.fixture.ts'

const native = createNativeMlDsa65(modernSubtle, noMlDsa65)
const backends = [native, nobleMlDsa65]

const seed = Uint8Array.from({ length: 32 }, (_, i) => i)
const message = new TextEncoder().encode('svc/ml-dsa-65/test')
const { publicKey, secretKey } = ml_dsa65.keygen(seed)
const signature = ml_dsa65.sign(message, secretKey, { extraEntropy: false })

// FIPS 204 sigEncode: c̃ (48) ‖ z (5 × 640) ‖ hint indices (55) ‖ hint counts (6).
const Z = 48
const HINT = 3248
const COUNTS = 3303
const OMEGA = 55
const hintCounts = [...signature.subarray(COUNTS)]
const used = hintCounts.at(-1) ?? 0

function changed(bytes: Uint8Array, change: (copy: Uint8Array) => void): Uint8Array {
  const copy = new Uint8Array(bytes)
  change(copy)
  return copy
}

const flipped = (bytes: Uint8Array, at: number, mask = 1) =>
  changed(bytes, (copy) => copy.set([(copy[at] ?? 0) ^ mask], at))

async function verdicts(key: Uint8Array, text: Uint8Array, sig: Uint8Array): Promise<boolean[]> {
  return Promise.all(backends.map((backend) => backend.verify(key, text, sig)))
}

describe('choice', () => {
  it('is the native backend in this runtime', () => {
    expect(mlDsa65).toBe(nativeMlDsa65)
    expect(mlDsa65.backend).toBe('native')
    expect(nobleMlDsa65.backend).toBe('noble')
  })
})

describe.each(backends)('ML-DSA-65, $backend', (backend) => {
  it('derives the same public key from a seed every time', async () => {
    expect(await backend.publicKeyOf(seed)).toEqual(publicKey)
    expect(await backend.publicKeyOf(new Uint8Array(32))).not.toEqual(publicKey)
  })

  it.each(backends)('signs what $backend verifies', async (verifier) => {
    for (const text of [message, new Uint8Array(), new Uint8Array(100_000).fill(7)]) {
      const own = await backend.sign(seed, text)
      expect(own.length).toBe(ML_DSA_65.signatureBytes)
      expect(await verifier.verify(publicKey, text, own)).toBe(true)
      expect(await verifier.verify(publicKey, new Uint8Array([...text, 0]), own)).toBe(false)
    }
  })

  it('keeps signing with a signer after the seed is overwritten', async () => {
    const own = new Uint8Array(seed)
    const sign = await backend.signerOf(own)
    own.fill(0)
    const [first, again, other] = await Promise.all([sign(message), sign(message), sign(new Uint8Array(3))])
    expect(first).not.toEqual(again)
    for (const made of [first, again]) expect(await nobleMlDsa65.verify(publicKey, message, made)).toBe(true)
    expect(await nobleMlDsa65.verify(publicKey, new Uint8Array(3), other)).toBe(true)
  })

  it('hedges: two signatures over one message differ', async () => {
    expect(await backend.sign(seed, message)).not.toEqual(await backend.sign(seed, message))
  })

  it.each([0, 31, 33, 64])('refuses a seed of %i bytes', async (length) => {
    const error = new TypeError(`ml-dsa-65 seed: expected 32 bytes, got ${length}`)
    await expect(backend.publicKeyOf(new Uint8Array(length))).rejects.toThrow(error)
    await expect(backend.sign(new Uint8Array(length), message)).rejects.toThrow(error)
    await expect(backend.signerOf(new Uint8Array(length))).rejects.toThrow(error)
  })

  it('refuses to sign text', async () => {
    const error = new TypeError('ml-dsa-65 message: expected a Uint8Array, got string')
    await expect(backend.sign(seed, 'text' as never)).rejects.toThrow(error)
    const sign = await backend.signerOf(seed)
    await expect(sign('text' as never)).rejects.toThrow(error)
  })

  it('refuses a signature made under a context', async () => {
    const other = ml_dsa65.sign(message, secretKey, { context: new Uint8Array([1]) })
    expect(await backend.verify(publicKey, message, other)).toBe(false)
  })

  it('uses the bytes it was called with, even if the caller changes them immediately', async () => {
    const [key, text, sig] = [publicKey, message, signature].map((bytes) => new Uint8Array(bytes)) as [
      Uint8Array,
      Uint8Array,
      Uint8Array,
    ]
    const verdict = backend.verify(key, text, sig)
    const signing = backend.sign(seed, text)
    for (const bytes of [key, text, sig]) bytes.fill(0)
    expect(await verdict).toBe(true)
    expect(await nobleMlDsa65.verify(publicKey, message, await signing)).toBe(true)
  })

  it('keeps verifying with a verifier after the key is overwritten', async () => {
    const [key, text, sig] = [publicKey, message, signature].map((bytes) => new Uint8Array(bytes)) as [
      Uint8Array,
      Uint8Array,
      Uint8Array,
    ]
    const verify = await backend.verifierOf(key)
    key.fill(0)
    expect(
      await Promise.all([verify(text, sig), verify(text, flipped(sig, 0)), verify(new Uint8Array(), sig)]),
    ).toEqual([true, false, false])
    const verdict = verify(text, sig)
    for (const bytes of [text, sig]) bytes.fill(0)
    expect(await verdict).toBe(true)
    for (const [odd, other] of [[text, sig.subarray(1)], ['text', sig], [text, null], []] as never[][])
      expect(await verify(odd as never, other as never)).toBe(false)
  })

  it.each([0, 1951, 1953])('refuses to make a verifier from %i bytes', async (length) => {
    const error = new TypeError(`ml-dsa-65 publicKey: expected 1952 bytes, got ${length}`)
    await expect(backend.verifierOf(new Uint8Array(length))).rejects.toThrow(error)
  })

  it('reads a view into a longer buffer', async () => {
    const [key, text, sig] = [publicKey, message, signature].map((bytes) =>
      new Uint8Array([9, ...bytes, 9]).subarray(1, -1),
    ) as [Uint8Array, Uint8Array, Uint8Array]
    expect(await backend.verify(key, text, sig)).toBe(true)
  })
})

describe('both backends agree', () => {
  it('on a valid signature', async () => {
    expect(await verdicts(publicKey, message, signature)).toEqual([true, true])
  })

  it.each([0, 47, Z, 1000, HINT - 1, HINT, HINT + 1, HINT + OMEGA - 1, COUNTS, COUNTS + 5])(
    'that a signature changed at byte %i is not valid',
    async (at) => {
      expect(await verdicts(publicKey, message, flipped(signature, at))).toEqual([false, false])
    },
  )

  it('that a signature or key changed at every 211th byte is not valid', async () => {
    for (let at = 0; at < signature.length; at += 211) {
      expect(await verdicts(publicKey, message, flipped(signature, at, 0x80))).toEqual([false, false])
    }
    for (let at = 0; at < publicKey.length; at += 211) {
      expect(await verdicts(flipped(publicKey, at, 0x80), message, signature)).toEqual([false, false])
    }
  })

  it('that a key changed in ρ or t1 is another key', async () => {
    for (const at of [0, 31, 32, 1951]) {
      expect(await verdicts(flipped(publicKey, at), message, signature)).toEqual([false, false])
    }
  })

  it('that a message changed, cut, lengthened or emptied is another message', async () => {
    for (const other of [
      flipped(message, 0),
      flipped(message, message.length - 1),
      message.subarray(1),
      new Uint8Array([...message, 0]),
      new Uint8Array(),
    ]) {
      expect(await verdicts(publicKey, other, signature)).toEqual([false, false])
    }
  })

  it('that a wrong length or type is false, never a throw', async () => {
    for (const wrong of [
      new Uint8Array(),
      signature.subarray(1),
      new Uint8Array([...signature, 0]),
      undefined,
      null,
      'x',
      [...signature],
      signature.buffer,
    ]) {
      expect(await verdicts(publicKey, message, wrong as never)).toEqual([false, false])
    }
    for (const wrong of [
      new Uint8Array(),
      publicKey.subarray(1),
      new Uint8Array([...publicKey, 0]),
      undefined,
      null,
      'x',
    ]) {
      expect(await verdicts(wrong as never, message, signature)).toEqual([false, false])
    }
    for (const wrong of [undefined, null, 'x', [1], message.buffer]) {
      expect(await verdicts(publicKey, wrong as never, signature)).toEqual([false, false])
    }
  })

  it('on random bytes', async () => {
    for (const fill of [0, 255]) {
      expect(await verdicts(publicKey, message, new Uint8Array(3309).fill(fill))).toEqual([false, false])
      expect(await verdicts(new Uint8Array(1952).fill(fill), message, signature)).toEqual([false, false])
    }
  })
})

/** FIPS 204 algorithm 21: a lax decoder reads each of these as the valid hint, and the signature would verify. */
describe('both backends refuse a hint that', () => {
  it('has a nonzero byte after the last index', async () => {
    expect(used).toBeLessThan(OMEGA)
    expect(await verdicts(publicKey, message, flipped(signature, COUNTS - 1))).toEqual([false, false])
    expect(await verdicts(publicKey, message, flipped(signature, HINT + used))).toEqual([false, false])
  })

  it('lists the indices of a polynomial in another order', async () => {
    expect(hintCounts[0]).toBeGreaterThan(1)
    const swapped = changed(signature, (copy) => copy.set([copy[HINT + 1] ?? 0, copy[HINT] ?? 0], HINT))
    expect(swapped).not.toEqual(signature)
    expect(await verdicts(publicKey, message, swapped)).toEqual([false, false])
  })

  it('lists one index twice', async () => {
    const twice = changed(signature, (copy) => {
      copy.copyWithin(HINT + 1, HINT, HINT + used)
      for (const [i, count] of hintCounts.entries()) copy[COUNTS + i] = count + 1
    })
    expect(await verdicts(publicKey, message, twice)).toEqual([false, false])
  })

  it('counts beyond ω, or backwards', async () => {
    for (const count of [OMEGA + 1, 255, 0]) {
      expect(
        await verdicts(
          publicKey,
          message,
          changed(signature, (copy) => copy.set([count], COUNTS + 5)),
        ),
      ).toEqual([false, false])
    }
    expect(
      await verdicts(
        publicKey,
        message,
        changed(signature, (copy) => copy.set([used, 0], COUNTS)),
      ),
    ).toEqual([false, false])
  })
})

it('both backends refuse a signature that is valid except for the norm of z', async () => {
  const outOfRange = Uint8Array.from(atob(Z_OUT_OF_RANGE.signatureBase64), (char) => char.charCodeAt(0))
  expect(outOfRange.length).toBe(ML_DSA_65.signatureBytes)
  expect(await verdicts(publicKey, new TextEncoder().encode(Z_OUT_OF_RANGE.message), outOfRange)).toEqual([
    false,
    false,
  ])
})
