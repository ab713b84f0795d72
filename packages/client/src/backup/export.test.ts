import { scryptAsync } from '@noble/hashes/scrypt.js'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { jcsBytes } from '@svc/protocol/base/jcs'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { REALM } from '../../test/realm.ts'
import { exportKeys, importKeys } from '../backup.ts'
import { Device } from '../identity/device.ts'
import { Identity } from '../identity/identity.ts'
import { recordOfSheet } from '../recovery/sheet-record.ts'
import { SuccessorSheet } from '../recovery/successor-sheet.ts'
import { memorySigner } from '../signers/memory-signer.ts'
import type { ExportedKeys } from './exported-keys.ts'
import { formerAfter } from './key-set.ts'

const PASSPHRASE = 'correct horse battery staple é'
const seeds = { signing: new Uint8Array(32).fill(1), kem: new Uint8Array(32).fill(2) }
const alice = await Identity.fromSeeds(seeds)
const bob = await Identity.fromSeeds({ signing: new Uint8Array(32).fill(3), kem: new Uint8Array(32).fill(4) })
const { kept, successor } = await alice.prepareRecovery({ realm: REALM })
const options = { origin: 'app:phone', capabilities: ['notes:read', 'rotation:cosign'] as const }
const membership = {
  did: alice.did,
  scope: alice.scope,
  userId: alice.userId,
  rootEpoch: 0,
  origin: 'app:phone',
  capabilities: ['notes:read'] as const,
  inception: { sequence: 1, hash: 'ab'.repeat(48) },
}
const phone = await Device.fromSeeds({ signing: new Uint8Array(32).fill(5), kem: new Uint8Array(32).fill(6) }, options)
const member = await Device.fromSeeds(phone.revealSeeds(), options, membership)
const exported = await exportKeys({ identity: alice, devices: [member, phone], recovery: kept }, PASSPHRASE)
const NOT_OPENED = { name: 'KeyExportError', reason: 'not_opened' }
const MALFORMED = { name: 'KeyExportError', reason: 'malformed' }

const flipped = (text: string) => (text.startsWith('A') ? 'B' : 'A') + text.slice(1)

const SECRET = {
  identity: {
    signingSeedB64u: encodeBase64url(seeds.signing),
    kemSeedB64u: encodeBase64url(seeds.kem),
    lineage: null as object | null,
  },
  devices: [] as object[],
  recovery: null as object | null,
}

/** The format put together by hand, at the lowest cost unless told. */
async function sealedByHand(secret: unknown, did: string | null = alice.did, N = 2 ** 14): Promise<ExportedKeys> {
  const [salt, nonce] = [new Uint8Array(16).fill(5), new Uint8Array(12).fill(6)]
  const password = new TextEncoder().encode(PASSPHRASE.normalize('NFKC'))
  const raw = new Uint8Array(await scryptAsync(password, salt, { N, r: 8, p: 1, dkLen: 32 }))
  const key = await crypto.subtle.importKey('raw', raw, 'AES-GCM', false, ['encrypt'])
  const open =
    `{"cipher":{"name":"aes-256-gcm","nonceB64u":"${encodeBase64url(nonce)}"},"did":${JSON.stringify(did)},` +
    `"format":"svc/identity-export/v1",` +
    `"kdf":{"N":${N},"name":"scrypt","p":1,"r":8,"saltB64u":"${encodeBase64url(salt)}"}}`
  const additionalData = new TextEncoder().encode(open)
  const bytes = new Uint8Array(jcsBytes(secret as never))
  const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv: nonce, additionalData }, key, bytes)
  return { ...(JSON.parse(open) as ExportedKeys), ciphertextB64u: encodeBase64url(new Uint8Array(sealed)) }
}

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

// Each passphrase is stretched for half a second, and for longer beside other work.
describe('exportKeys and importKeys', () => {
  it('refuse an empty passphrase, which would protect nothing', async () => {
    const refused = { name: 'ConfigurationError', option: 'passphrase' }
    await expect(exportKeys({ identity: alice }, '')).rejects.toMatchObject(refused)
    await expect(importKeys(exported, '')).rejects.toMatchObject(NOT_OPENED)
  })

  it('give everything back, through JSON in any order, by a passphrase that another keyboard composed', async () => {
    const file = Object.fromEntries(Object.entries(JSON.parse(JSON.stringify(exported)) as object).toReversed())
    const { identity, devices, recovery } = await importKeys(file, PASSPHRASE.normalize('NFD'))
    expect(identity?.revealSeeds()).toEqual(seeds)
    expect(identity?.did).toBe(alice.did)
    expect(recovery).toEqual(kept)
    expect(devices.map((device) => device.revealSeeds())).toEqual([phone.revealSeeds(), phone.revealSeeds()])
    expect(devices.map((device) => device.options)).toEqual([options, options])
    expect(devices.map((device) => device.membership)).toEqual([membership, null])
    expect(devices[0]?.did).toBe(alice.did)
  })

  it('open a file that was put together by hand', async () => {
    const { identity, devices, recovery } = await importKeys(await sealedByHand(SECRET), PASSPHRASE)
    expect([identity?.did, devices, recovery]).toEqual([alice.did, [], null])
  })

  it('write 128 MiB of memory for each guess, and open up to 1 GiB', async () => {
    expect(exported.kdf).toMatchObject({ name: 'scrypt', N: 2 ** 17, r: 8, p: 1 })
    const { identity } = await importKeys(await sealedByHand(SECRET, alice.did, 2 ** 18), PASSPHRASE)
    expect(identity?.did).toBe(alice.did)
    // Derived, and not refused for its cost.
    const dear = { ...exported, kdf: { ...exported.kdf, N: 2 ** 20 } }
    await expect(importKeys(dear, PASSPHRASE)).rejects.toMatchObject(NOT_OPENED)
  })

  it('are the same where the runtime has no scrypt of its own', async () => {
    const native = vi.spyOn(process, 'getBuiltinModule')
    expect((await importKeys(exported, PASSPHRASE)).identity?.did).toBe(alice.did)
    expect(native).toHaveBeenCalledWith('node:crypto')
    vi.stubGlobal('process', undefined)
    expect((await importKeys(exported, PASSPHRASE)).identity?.did).toBe(alice.did)
  })

  it('say how much memory they take where the device has too little', async () => {
    vi.stubGlobal('process', undefined)
    vi.doMock('@noble/hashes/scrypt.js', () => ({
      scryptAsync: () => Promise.reject(new RangeError('Array buffer allocation failed')),
    }))
    await expect(importKeys(exported, PASSPHRASE)).rejects.toMatchObject({
      ...NOT_OPENED,
      message: expect.stringContaining('128 MiB'),
    })
    vi.doUnmock('@noble/hashes/scrypt.js')
  })

  it('show no seed, and another file each time', async () => {
    const again = await exportKeys({ identity: alice }, PASSPHRASE)
    expect(again.kdf.saltB64u).not.toBe(exported.kdf.saltB64u)
    expect(again.cipher.nonceB64u).not.toBe(exported.cipher.nonceB64u)
    for (const seed of Object.values(seeds))
      expect(JSON.stringify(exported)).not.toContain(encodeBase64url(seed).slice(0, 20))
  })

  it('keep where a key of a rotation belongs, which its seeds do not tell', async () => {
    const file = await exportKeys({ identity: successor }, PASSPHRASE)
    const { identity } = await importKeys(file, PASSPHRASE)
    expect([identity?.did, identity?.epoch, identity?.userId]).toEqual([alice.did, 1, successor.userId])
  })

  it('keep former keys, which open what was encrypted before a rotation', async () => {
    const file = await exportKeys({ identity: successor, former: [alice] }, PASSPHRASE)
    const { identity, former } = await importKeys(file, PASSPHRASE)
    expect([identity?.epoch, ...former.map(({ epoch }) => epoch)]).toEqual([1, 0])
    expect(former[0]?.revealSeeds()).toEqual(seeds)
  })

  it('have room for many former keys, and let the oldest go', () => {
    const former = Array.from({ length: 64 }, () => alice)
    expect(formerAfter({ identity: successor, former })).toEqual([successor, ...former.slice(1)])
    expect(formerAfter({ identity: null, former: [alice] })).toEqual([alice])
  })

  it('keep devices without the root key', async () => {
    const file = await exportKeys({ devices: [phone] }, PASSPHRASE)
    expect(file.did).toBeNull()
    const keys = await importKeys(file, PASSPHRASE)
    expect([keys.identity, keys.devices[0]?.deviceId]).toEqual([null, phone.deviceId])
  })
})

describe('with a passkey', () => {
  const lock = { credentialIdB64u: 'Y3JlZA', prf: new Uint8Array(32).fill(9) }
  it('opens by the same output of the same passkey only', async () => {
    const file = await exportKeys({ identity: alice }, lock)
    expect(file.kdf).toMatchObject({ name: 'passkey-prf', credentialIdB64u: 'Y3JlZA' })
    expect((await importKeys(file, lock)).identity?.did).toBe(alice.did)
    for (const wrong of [{ ...lock, prf: new Uint8Array(32) }, { ...lock, credentialIdB64u: 'b3RoZXI' }, PASSPHRASE])
      await expect(importKeys(file, wrong)).rejects.toMatchObject(NOT_OPENED)
    await expect(importKeys(exported, lock)).rejects.toMatchObject(NOT_OPENED)
    await expect(exportKeys({ identity: alice }, { ...lock, prf: new Uint8Array(31) })).rejects.toThrow(TypeError)
  })
})

describe('exportKeys refuses', () => {
  const wrong = { name: 'ConfigurationError', option: 'keys' }
  it('nothing, and two identities in one', async () => {
    await expect(exportKeys({ recovery: kept }, PASSPHRASE)).rejects.toMatchObject(wrong)
    await expect(exportKeys({ identity: bob, recovery: kept }, PASSPHRASE)).rejects.toMatchObject(wrong)
    await expect(exportKeys({ identity: bob, devices: [member] }, PASSPHRASE)).rejects.toMatchObject(wrong)
    await expect(exportKeys({ identity: alice, former: [bob] }, PASSPHRASE)).rejects.toMatchObject(wrong)
  })

  it('what importKeys would not take, instead of writing over an export that opens', async () => {
    const record = await recordOfSheet(SuccessorSheet.create(), { scope: alice.scope, epoch: 1 })
    const keysWith = (count: number) => ({ identity: alice, sheets: Array.from({ length: count }, () => record) })
    await expect(exportKeys(keysWith(4), PASSPHRASE)).rejects.toMatchObject({
      name: 'ConfigurationError',
      message: 'An export cannot hold these sheets: there may be too many',
    })
    expect((await importKeys(await exportKeys(keysWith(3), PASSPHRASE), PASSPHRASE)).sheets).toHaveLength(3)
  })

  it('keys that a signer keeps', async () => {
    const identity = await Identity.fromSigner(await memorySigner(seeds.signing))
    await expect(exportKeys({ identity }, PASSPHRASE)).rejects.toMatchObject({ option: 'signer' })
  })
})

const cheap = await sealedByHand(SECRET)

describe('importKeys refuses', () => {
  it.each(['', 'correct horse battery staple e', ` ${PASSPHRASE}`])('the passphrase %j', async (passphrase) => {
    await expect(importKeys(cheap, passphrase)).rejects.toMatchObject(NOT_OPENED)
  })

  it.each<[string, object]>([
    ['another DID', { did: bob.did }],
    ['no DID', { did: null }],
    ['another salt', { kdf: { ...cheap.kdf, saltB64u: flipped(cheap.kdf.saltB64u) } }],
    ['a higher cost', { kdf: { ...cheap.kdf, N: 2 ** 15 } }],
    ['another nonce', { cipher: { ...cheap.cipher, nonceB64u: flipped(cheap.cipher.nonceB64u) } }],
    ['a changed ciphertext', { ciphertextB64u: flipped(cheap.ciphertextB64u) }],
    ['no ciphertext', { ciphertextB64u: '' }],
  ])('%s', async (_, members) => {
    await expect(importKeys({ ...cheap, ...members }, PASSPHRASE)).rejects.toMatchObject(NOT_OPENED)
  })

  it('a lower cost than it was made with', async () => {
    const weakened = { ...exported, kdf: { ...exported.kdf, N: 2 ** 15 } }
    await expect(importKeys(weakened, PASSPHRASE)).rejects.toMatchObject(NOT_OPENED)
  })

  it.each<[string, object]>([
    ['another format', { format: 'svc/identity-export/v2' }],
    ['no DID of this platform', { did: 'did:web:example.com' }],
    ['2 GiB of memory', { kdf: { ...cheap.kdf, N: 2 ** 21 } }],
    ['1 GiB of memory', { kdf: { ...cheap.kdf, r: 128 } }],
    ['16 times the work', { kdf: { ...cheap.kdf, p: 16 } }],
    ['hardly any work', { kdf: { ...cheap.kdf, N: 2 } }],
    ['a cost between two powers of two', { kdf: { ...cheap.kdf, N: 65_537 } }],
    ['another derivation', { kdf: { ...cheap.kdf, name: 'pbkdf2' } }],
    ['no salt', { kdf: { ...cheap.kdf, saltB64u: '' } }],
    ['more in the derivation', { kdf: { ...cheap.kdf, pepper: 'x' } }],
    ['another cipher', { cipher: { ...cheap.cipher, name: 'none' } }],
    ['no nonce', { cipher: { ...cheap.cipher, nonceB64u: '' } }],
    ['a ciphertext of a megabyte', { ciphertextB64u: 'A'.repeat(1024 * 1024) }],
    ['an extra member', { note: 'x' }],
  ])('at once: %s', async (_, members) => {
    await expect(importKeys({ ...cheap, ...members }, PASSPHRASE)).rejects.toMatchObject(MALFORMED)
  })

  it.each([null, undefined, 'text', [], 5])('%j', async (file) => {
    await expect(importKeys(file, PASSPHRASE)).rejects.toMatchObject(MALFORMED)
  })

  it('what opens but belongs to another identity', async () => {
    const device = {
      signingSeedB64u: SECRET.identity.signingSeedB64u,
      kemSeedB64u: SECRET.identity.kemSeedB64u,
      origin: 'app:phone',
      capabilities: [],
    }
    const secrets = [
      [SECRET, bob.did],
      [SECRET, null],
      [{ ...SECRET, identity: null, recovery: kept }, bob.did],
      [{ ...SECRET, former: [{ ...SECRET.identity, lineage: { scope: bob.scope, epoch: 1 } }] }, alice.did],
      [{ ...SECRET, devices: [{ ...device, membership: { ...membership, did: bob.did } }] }, alice.did],
      [{ ...SECRET, devices: [{ ...device, membership: { ...membership, scope: bob.scope } }] }, alice.did],
    ] as const
    for (const [secret, did] of secrets)
      await expect(importKeys(await sealedByHand(secret, did), PASSPHRASE)).rejects.toMatchObject({
        reason: 'mismatch',
      })
  })

  it('what opens but contains something else, without showing it', async () => {
    for (const secret of [5, {}, { ...SECRET, more: 1 }, { ...SECRET, identity: { seed: 'zzz' } }]) {
      const error = await importKeys(await sealedByHand(secret), PASSPHRASE).catch((thrown: unknown) => thrown)
      expect(error).toMatchObject(MALFORMED)
      expect((error as Error).cause).toBeUndefined()
    }
  })
})
