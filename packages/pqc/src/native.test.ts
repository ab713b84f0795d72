import { describe, expect, it } from 'vitest'
import type { MlKem768 } from './interface.ts'
import { createNativeMlDsa65, createNativeMlKem768 } from './native.ts'
import { noMlDsa65, refuses } from './no-fallback.fixture.ts'
import { nobleMlDsa65, nobleMlKem768 } from './noble.ts'
import { type ModernSubtle, modernSubtle } from './subtle.ts'

const throwing = () => Promise.reject(new Error('operational'))
const noMlKem768: MlKem768 = {
  backend: 'noble',
  publicKeyOf: refuses,
  encapsulate: refuses,
  decapsulate: refuses,
  decapsulatorOf: refuses,
}

const seed = new Uint8Array(32).fill(5)
const kemSeed = new Uint8Array(64).fill(6)
const message = new TextEncoder().encode('a message')
const publicKey = await nobleMlDsa65.publicKeyOf(seed)
const signature = await nobleMlDsa65.sign(seed, message)

/** The runtime with the given operations replaced. */
function runtime(faults: Partial<ModernSubtle>): ModernSubtle {
  return {
    importKey: modernSubtle.importKey.bind(modernSubtle),
    exportKey: modernSubtle.exportKey.bind(modernSubtle),
    sign: modernSubtle.sign.bind(modernSubtle),
    verify: modernSubtle.verify.bind(modernSubtle),
    encapsulateBits: modernSubtle.encapsulateBits.bind(modernSubtle),
    decapsulateBits: modernSubtle.decapsulateBits.bind(modernSubtle),
    digest: modernSubtle.digest.bind(modernSubtle),
    ...faults,
  }
}

describe.each(['importKey', 'verify'] as const)('a runtime whose %s throws during verification', (operation) => {
  const subtle = runtime({ [operation]: throwing })

  it('leaves the verdict to noble, valid or not', async () => {
    const native = createNativeMlDsa65(subtle)
    expect(await native.verify(publicKey, message, signature)).toBe(true)
    expect(await native.verify(publicKey, new Uint8Array(), signature)).toBe(false)
  })

  it('leaves the verdict of a verifier to noble, too', async () => {
    const key = new Uint8Array(publicKey)
    const verify = await createNativeMlDsa65(subtle).verifierOf(key)
    key.fill(0)
    const own = { message: new Uint8Array(message), signature: new Uint8Array(signature) }
    const verdict = verify(own.message, own.signature)
    own.message.fill(0)
    own.signature.fill(0)
    expect(await verdict).toBe(true)
    expect(await verify(new Uint8Array(), signature)).toBe(false)
    const without = await createNativeMlDsa65(subtle, noMlDsa65).verifierOf(publicKey)
    await expect(without(message, signature)).rejects.toThrow('noble was called')
  })

  it('returns no verdict if noble throws, too', async () => {
    const native = createNativeMlDsa65(subtle, noMlDsa65)
    await expect(native.verify(publicKey, message, signature)).rejects.toThrow('noble was called')
    expect(await native.verify(publicKey, message, signature.subarray(1))).toBe(false)
  })
})

it('retries a runtime that failed to import the key of a verifier', async () => {
  let isBroken = true
  const importKey: ModernSubtle['importKey'] = (...given) => (isBroken ? throwing() : modernSubtle.importKey(...given))
  const verify = await createNativeMlDsa65(runtime({ importKey }), noMlDsa65).verifierOf(publicKey)
  isBroken = false
  expect(await verify(message, signature)).toBe(true)
})

it('treats any result of verify other than true as false', async () => {
  const native = createNativeMlDsa65(runtime({ verify: () => Promise.resolve('true') }), noMlDsa65)
  expect(await native.verify(publicKey, message, signature)).toBe(false)
})

it('rethrows a fault while signing, encapsulating or decapsulating', async () => {
  const dsa = createNativeMlDsa65(runtime({ sign: throwing }))
  await expect(dsa.sign(seed, message)).rejects.toThrow('operational')
  const kem = createNativeMlKem768(runtime({ encapsulateBits: throwing, decapsulateBits: throwing }))
  await expect(kem.encapsulate(await nobleMlKem768.publicKeyOf(kemSeed))).rejects.toThrow('operational')
  await expect(kem.decapsulate(kemSeed, new Uint8Array(1088))).rejects.toThrow('operational')
})

it('lets noble derive the public key if the runtime has no getPublicKey', async () => {
  const subtle = runtime({})
  expect(await createNativeMlDsa65(subtle).publicKeyOf(seed)).toEqual(publicKey)
  await expect(createNativeMlDsa65(subtle, noMlDsa65).publicKeyOf(seed)).rejects.toThrow('noble was called')
  expect(await createNativeMlKem768(subtle).publicKeyOf(kemSeed)).toEqual(await nobleMlKem768.publicKeyOf(kemSeed))
  await expect(createNativeMlKem768(subtle, noMlKem768).publicKeyOf(kemSeed)).rejects.toThrow('noble was called')
})

it('passes noble the bytes it was called with, even if the caller changes them immediately', async () => {
  const [key, text, sig, own] = [publicKey, message, signature, seed].map((bytes) => new Uint8Array(bytes)) as [
    Uint8Array,
    Uint8Array,
    Uint8Array,
    Uint8Array,
  ]
  const verdict = createNativeMlDsa65(runtime({ verify: throwing })).verify(key, text, sig)
  const derived = createNativeMlDsa65(runtime({})).publicKeyOf(own)
  const kemOwn = new Uint8Array(kemSeed)
  const kemDerived = createNativeMlKem768(runtime({})).publicKeyOf(kemOwn)
  for (const bytes of [key, text, sig, own, kemOwn]) bytes.fill(0)
  expect(await verdict).toBe(true)
  expect(await derived).toEqual(publicKey)
  expect(await kemDerived).toEqual(await nobleMlKem768.publicKeyOf(kemSeed))
})

describe.each([
  ['as it is', runtime({})],
  ['that throws', runtime({ verify: throwing })],
])('a runtime %s', (_, subtle) => {
  const native = createNativeMlDsa65(subtle)
  const messages = [0, 1, 4095, 4096, 4097, 9000].map((length) => new Uint8Array(length).fill(length))

  it('keeps concurrent verifications apart, by one key or many, short or long', async () => {
    const seeds = [seed, new Uint8Array(32).fill(8)]
    const asked = await Promise.all(
      seeds.flatMap((by) =>
        messages.map(async (text) => {
          const [key, sig] = [await nobleMlDsa65.publicKeyOf(by), await nobleMlDsa65.sign(by, text)]
          return { key, text, sig, verify: await native.verifierOf(key) }
        }),
      ),
    )
    const bent = (sig: Uint8Array) => sig.map((byte, i) => (i === 40 ? byte ^ 1 : byte))
    const verdicts = asked.flatMap(({ key, text, sig, verify }) => {
      const given = [new Uint8Array(key), new Uint8Array(text), new Uint8Array(sig)] as const
      const both = [native.verify(...given), verify(given[1], given[2])]
      for (const bytes of given) bytes.fill(0)
      return [...both, native.verify(key, text, bent(sig)), verify(text, bent(sig)), verify(message, sig)]
    })
    expect(await Promise.all(verdicts)).toEqual(asked.flatMap(() => [true, true, false, false, false]))
  })
})
