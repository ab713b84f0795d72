import { describe, expect, it } from 'vitest'
import { bytesOf } from '#protocol/base/base64url'
import { Device } from '../identity/device.ts'
import { ConfigurationError } from '../transport/configuration-error.ts'
import { WatchToken } from './watch-token.ts'

const OPTIONS = { origin: 'app:phone', capabilities: [] }
const seedsOf = (fill: number) => ({ signing: new Uint8Array(32).fill(fill), kem: new Uint8Array(32).fill(fill) })

describe('a watch token', () => {
  it('has 256 bits, differs each time, and comes back from its text', () => {
    const token = WatchToken.create()
    expect(token.reveal()).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect(WatchToken.create().reveal()).not.toBe(token.reveal())
    expect(WatchToken.of(token.reveal()).tokenHash).toBe(token.tokenHash)
  })

  it('is in no text of it', () => {
    const token = WatchToken.create()
    expect(JSON.stringify({ token })).not.toContain(token.reveal())
    expect(Reflect.ownKeys(token)).toEqual(['tokenHash'])
  })

  it.each(['', 'short', `${'A'.repeat(42)}=`, 'A'.repeat(44)])('is not %j', (text) => {
    expect(() => WatchToken.of(text)).toThrow(ConfigurationError)
  })
})

describe('the watch token of a device', () => {
  it('follows from its keys, in whatever program they are', async () => {
    const [phone, restored] = [
      await Device.fromSeeds(seedsOf(14), OPTIONS),
      await Device.fromSeeds(seedsOf(14), OPTIONS),
    ]
    const token = await phone.watchToken()
    expect(token?.reveal()).toBe((await restored.watchToken())?.reveal())
    // From the published vectors. Core compares hashes: another derivation would blind every device that was revoked.
    expect(token?.reveal()).toBe('nW5a4lWxqbzkaoZuMD0DqrR7QXSxnjYE0o4w6UVkSjM')
    expect((await (await Device.fromSeeds(seedsOf(4), OPTIONS)).watchToken())?.tokenHash).not.toBe(token?.tokenHash)
  })

  it('is none where a signer keeps the keys', async () => {
    const { devicePublicKeyB64u } = await Device.create(OPTIONS)
    const signer = { publicKey: bytesOf(devicePublicKeyB64u), sign: async () => new Uint8Array(3_309) }
    const device = await Device.fromSigner(signer, OPTIONS)
    expect(await device.watchToken()).toBeNull()
  })
})
