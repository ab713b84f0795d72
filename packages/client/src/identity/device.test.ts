import { verifyAssertion } from '@svc/assertion'
import { bytesOf, encodeBase64url } from '@svc/protocol/base/base64url'
import { deviceIdOf, signedDeviceAcceptanceSchema } from '@svc/protocol/base/device'
import { hashHex } from '@svc/protocol/base/hash'
import { signStatement, verifyStatement } from '@svc/protocol/base/statement'
import type { EpochKey } from '@svc/protocol/chain/chain'
import type { AttestDevice } from '@svc/protocol/devices/inception'
import { describe, expect, it } from 'vitest'
import { REALM, REALMS } from '../../test/realm.ts'
import { signerOf } from '../../test/signer.ts'
import { Device } from './device.ts'
import { Identity } from './identity.ts'

const NOW = 1_790_000_000_000
const seedsOf = (byte: number) => ({ signing: new Uint8Array(32).fill(byte), kem: new Uint8Array(32).fill(byte) })
const OPTIONS = { origin: 'app:phone', capabilities: ['chain:read', 'account:read'] } as const

const alice = await Identity.fromSeeds(seedsOf(1))
const successor = await Identity.fromSeeds(seedsOf(2), { scope: alice.scope, epoch: 1 })
const mallory = await Identity.fromSeeds(seedsOf(3))
const phone = await Device.fromSeeds(seedsOf(4), OPTIONS)
const laptop = await Device.fromSeeds(seedsOf(5), OPTIONS)

const keyOf = ({ epoch, userId, publicKeyB64u }: Identity): EpochKey => ({ epoch, userId, publicKeyB64u })
const keys = [keyOf(alice)] as const
const rotatedKeys = [keyOf(alice), keyOf(successor)] as const

/** What `root` signs of a device; members override what a good attestation would say. */
async function attestationOf(root: Identity, device: Device, members: object = {}): Promise<AttestDevice> {
  const statement = {
    type: 'svc/device-attestation/v1' as const,
    realm: REALM,
    did: root.did,
    scope: root.scope,
    sequence: 1,
    previousHash: 'a7'.repeat(48),
    rootEpoch: root.epoch,
    deviceId: device.deviceId,
    devicePublicKeyB64u: device.devicePublicKeyB64u,
    origin: 'app:phone',
    capabilities: ['chain:read' as const],
    expiresAt: null,
    issuedAt: NOW,
    ...members,
  }
  const acceptance = await device.acceptance(statement.did, { realm: REALM, now: NOW })
  return { ...(await signStatement(statement, signerOf(root))), acceptance }
}
/** What a service makes of an assertion of the device. */
async function verified(device: Device) {
  const url = 'https://core.test/api/chain/head'
  const authorization = await device.assertion({ audience: 'chain', method: 'GET', url, now: NOW })
  const bodyHash = () => Promise.resolve(hashHex(new Uint8Array()))
  return verifyAssertion(
    { authorization, method: 'GET', target: '/api/chain/head', origin: undefined, bodyHash },
    {
      expectedAudiences: ['chain'],
      skewMs: 120_000,
      noncePattern: /^[!-~]{1,256}$/,
      expectedOrigins: ['https://core.test'],
      acceptsDevices: true,
      requiredCapability: 'chain:read',
    },
    NOW,
  )
}
const flipped = (text: string) => (text.startsWith('A') ? 'B' : 'A') + text.slice(1)
const good = await attestationOf(alice, phone)

describe('a device', () => {
  it('is named by its key, and the same from the same seeds', async () => {
    const again = await Device.fromSeeds(phone.revealSeeds(), OPTIONS)
    expect(again.deviceId).toBe(deviceIdOf(phone.devicePublicKeyB64u))
    expect(again).toMatchObject({ deviceId: phone.deviceId, kemPublicKeyB64u: phone.kemPublicKeyB64u })
    expect((await Device.create(OPTIONS)).deviceId).not.toBe((await Device.create(OPTIONS)).deviceId)
  })

  it('copies its seeds, and gives copies away', async () => {
    const seeds = seedsOf(6)
    const device = await Device.fromSeeds(seeds, OPTIONS)
    seeds.signing.fill(0)
    device.revealSeeds().kem.fill(0)
    expect(device.revealSeeds()).toEqual(seedsOf(6))
  })

  it.each([
    { signing: new Uint8Array(31), kem: new Uint8Array(32) },
    { signing: new Uint8Array(32), kem: new Uint8Array(64) },
  ])('is not made of seeds of another length', async (seeds) => {
    await expect(Device.fromSeeds(seeds, OPTIONS)).rejects.toThrow(TypeError)
  })

  it('belongs to nobody before it is attested', async () => {
    const unattested = new TypeError('The device has no identity yet: use the result of `attested`')
    expect(() => phone.did).toThrow(unattested)
    expect(() => phone.scope).toThrow(unattested)
    expect(() => phone.epoch).toThrow(unattested)
    const request = { audience: 'chain', method: 'GET', url: 'https://core.test/api/chain/head', now: NOW }
    await expect(async () => phone.assertion(request)).rejects.toThrow(unattested)
  })

  it('accepts an identity with what it asks for, signed by its own key', async () => {
    const acceptance = await phone.acceptance(alice.did, { realm: REALM, now: NOW })
    expect(signedDeviceAcceptanceSchema.parse(acceptance)).toEqual(acceptance)
    expect(acceptance.statement).toEqual({
      type: 'svc/device-acceptance/v1',
      realm: REALM,
      did: alice.did,
      deviceId: phone.deviceId,
      devicePublicKeyB64u: phone.devicePublicKeyB64u,
      kemPublicKeyB64u: phone.kemPublicKeyB64u,
      x25519B64u: phone.x25519B64u,
      origin: 'app:phone',
      capabilities: ['chain:read', 'account:read'],
      inception: null,
      issuedAt: NOW,
    })
    expect(await verifyStatement(acceptance, bytesOf(phone.devicePublicKeyB64u), REALMS)).toBe(true)
  })
})

describe('attested', () => {
  const refusal = 'The attestation does not match this device and identity'

  it('makes it a member with what the root key gave, and leaves the other as it was', async () => {
    const member = await phone.attested(good, keys, REALMS)
    expect(member).toMatchObject({ did: alice.did, scope: alice.scope, epoch: 0, deviceId: phone.deviceId })
    expect(() => phone.did).toThrow(TypeError)
    expect(await verified(member)).toMatchObject({
      ok: true,
      value: {
        userId: alice.userId,
        publicKeyB64u: phone.devicePublicKeyB64u,
        device: { deviceId: phone.deviceId, scope: alice.scope, rootEpoch: 0, capabilities: ['chain:read'] },
      },
    })
  })

  it('takes an attestation by a later root key, and none by one that was superseded', async () => {
    const member = await phone.attested(await attestationOf(successor, phone), rotatedKeys, REALMS)
    expect(member).toMatchObject({ did: alice.did, scope: alice.scope, epoch: 1 })
    await expect(phone.attested(good, rotatedKeys, REALMS)).rejects.toThrow(refusal)
    const renamed = await attestationOf(alice, phone, { rootEpoch: 1 })
    await expect(phone.attested(renamed, rotatedKeys, REALMS)).rejects.toThrow(refusal)
  })

  it('refuses the attestation of another device', async () => {
    await expect(phone.attested(await attestationOf(alice, laptop), keys, REALMS)).rejects.toThrow(refusal)
    for (const members of [{ deviceId: laptop.deviceId }, { devicePublicKeyB64u: laptop.devicePublicKeyB64u }]) {
      await expect(phone.attested(await attestationOf(alice, phone, members), keys, REALMS)).rejects.toThrow(refusal)
    }
  })

  it('refuses the attestation of another identity, and one in its name', async () => {
    await expect(phone.attested(await attestationOf(mallory, phone), keys, REALMS)).rejects.toThrow(refusal)
    await expect(phone.attested(good, [keyOf(mallory)], REALMS)).rejects.toThrow(refusal)
    const { did, scope } = alice
    const forged = await attestationOf(mallory, phone, { did, scope })
    await expect(phone.attested(forged, keys, REALMS)).rejects.toThrow(refusal)
    const { did: theirs, scope: foreign } = mallory
    for (const members of [{ did: theirs }, { scope: foreign }, { did: theirs, scope: foreign }]) {
      await expect(phone.attested(await attestationOf(alice, phone, members), keys, REALMS)).rejects.toThrow(refusal)
    }
  })

  it('refuses an epoch that has no key, and a key in another epoch', async () => {
    for (const rootEpoch of [1, 2]) {
      await expect(phone.attested(await attestationOf(alice, phone, { rootEpoch }), keys, REALMS)).rejects.toThrow(
        refusal,
      )
    }
    const late = await attestationOf(successor, phone)
    await expect(phone.attested(late, keys, REALMS)).rejects.toThrow(refusal)
    const early = await attestationOf(successor, phone, { rootEpoch: 0 })
    await expect(phone.attested(early, keys, REALMS)).rejects.toThrow(refusal)
  })

  it.each([
    ['capabilities', ['chain:append']],
    ['origin', 'https://evil.example'],
    ['expiresAt', 1],
    ['issuedAt', NOW + 1],
    ['sequence', 2],
  ])('refuses a changed %s', async (member, value) => {
    const changed = { ...good, statement: { ...good.statement, [member]: value } }
    await expect(phone.attested(changed, keys, REALMS)).rejects.toThrow(refusal)
  })

  it('refuses another signature, by root or device', async () => {
    const { acceptance, signatureB64u } = good
    const empty = encodeBase64url(await signerOf(alice)(new Uint8Array()))
    for (const other of [flipped(signatureB64u), empty, acceptance.signatureB64u]) {
      await expect(phone.attested({ ...good, signatureB64u: other }, keys, REALMS)).rejects.toThrow(refusal)
    }
    const unsigned = { ...acceptance, signatureB64u: flipped(acceptance.signatureB64u) }
    await expect(phone.attested({ ...good, acceptance: unsigned }, keys, REALMS)).rejects.toThrow(refusal)
  })

  it('refuses the acceptance of another device or for another identity', async () => {
    for (const acceptance of [
      await laptop.acceptance(alice.did, { realm: REALM, now: NOW }),
      await phone.acceptance(mallory.did, { realm: REALM, now: NOW }),
    ]) {
      await expect(phone.attested({ ...good, acceptance }, keys, REALMS)).rejects.toThrow(refusal)
    }
  })
})

describe('limitedTo', () => {
  it('claims fewer capabilities, and leaves the other as it was', async () => {
    const member = await phone.attested(
      await attestationOf(alice, phone, { capabilities: ['chain:read', 'account:read'] }),
      keys,
      REALMS,
    )
    const limited = member.limitedTo(['account:read'])
    expect(limited).toMatchObject({ did: alice.did, epoch: 0, deviceId: phone.deviceId })
    expect(await verified(limited)).toMatchObject({ value: { device: { capabilities: ['account:read'] } } })
    expect(await verified(member)).toMatchObject({
      value: { device: { capabilities: ['chain:read', 'account:read'] } },
    })
  })

  it('needs a device that belongs to an identity', () => {
    expect(() => phone.limitedTo([])).toThrow(
      new TypeError('The device has no identity yet: use the result of `attested`'),
    )
  })
})
