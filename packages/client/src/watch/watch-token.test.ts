import { describe, expect, it } from 'vitest'
import { bytesOf } from '#protocol/base/base64url'
import { Device } from '../identity/device.ts'
import { ConfigurationError } from '../transport/configuration-error.ts'
import { WatchToken } from './watch-token.ts'

const OPTIONS = { origin: 'app:phone', capabilities: [] }
const seedsOf = (fill: number) => ({ signing: new Uint8Array(32).fill(fill), kem: new Uint8Array(32).fill(fill) })

describe('a watch token', () => {
  it('has 256 random bits, and is restored from its text', () => {
    const token = WatchToken.create()
    expect(token.reveal()).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect(WatchToken.create().reveal()).not.toBe(token.reveal())
    expect(WatchToken.of(token.reveal()).tokenHash).toBe(token.tokenHash)
  })

  it('does not appear in its JSON or properties', () => {
    const token = WatchToken.create()
    expect(JSON.stringify({ token })).not.toContain(token.reveal())
    expect(Reflect.ownKeys(token)).toEqual(['tokenHash'])
  })

  it.each(['', 'short', `${'A'.repeat(42)}=`, 'A'.repeat(44)])('is not %j', (text) => {
    expect(() => WatchToken.of(text)).toThrow(ConfigurationError)
  })
})

describe('the watch token of a device', () => {
  it('depends only on its keys', async () => {
    const [phone, restored] = [
      await Device.fromSeeds(seedsOf(14), OPTIONS),
      await Device.fromSeeds(seedsOf(14), OPTIONS),
    ]
    const token = await phone.watchToken()
    expect(token?.reveal()).toBe((await restored.watchToken())?.reveal())
    // From the published vectors. Core compares hashes: with another derivation, revoked devices could not watch.
    expect(token?.reveal()).toBe('nW5a4lWxqbzkaoZuMD0DqrR7QXSxnjYE0o4w6UVkSjM')
    expect((await (await Device.fromSeeds(seedsOf(4), OPTIONS)).watchToken())?.tokenHash).not.toBe(token?.tokenHash)
  })

  it('is null if a signer holds the keys', async () => {
    const { devicePublicKeyB64u } = await Device.create(OPTIONS)
    const signer = { publicKey: bytesOf(devicePublicKeyB64u), sign: async () => new Uint8Array(3_309) }
    const device = await Device.fromSigner(signer, OPTIONS)
    expect(await device.watchToken()).toBeNull()
  })
})
