import { makeKeyPackage, makePrekeys } from '@svc/client/functions'
import { signStatement } from '@svc/protocol/base/statement'
import { expectRefusal } from '@svc/service/testing'
import { callerOf, inceptionHeadOf, REALM, signerOf } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { call, caller, dataOf, deviceFor, ORIGIN, passOn } from '../harness.ts'
import { pathOf, publishedDevice, reserve, revocationOf, revoke } from './directory.fixture.ts'

describe('a revoked package', () => {
  it('gives nothing any more, also what was reserved before, and everybody sees why', async () => {
    const owner = await caller()
    const published = await publishedDevice(owner)
    const { deviceId } = published.device
    const sender = await caller()
    dataOf(await reserve(sender, published, 'before'))
    const revoked = await owner.client.keyDirectory.revoke(deviceId, 1)
    for (const key of ['before', 'after']) expectRefusal(await reserve(sender, published, key), 'package_revoked')
    expectRefusal(await call(sender, 'GET', pathOf(owner.identity.did, deviceId)), 'package_revoked')
    const { devices } = await sender.client.keyDirectory.list(owner.identity.did)
    expect(devices).toEqual([{ deviceId, packages: [], revocation: revoked }])
    const { stock, reservations } = await owner.client.keyDirectory.pool(deviceId)
    expect([stock, reservations.length]).toEqual([[], 1])
  })

  it('is revoked once: the same statement again is the same answer', async () => {
    const owner = await caller()
    const { device } = await publishedDevice(owner)
    const body = await revocationOf(owner, device.deviceId)
    const first = dataOf(await revoke(owner, device.deviceId, body))
    expect(dataOf(await revoke(owner, device.deviceId, body))).toEqual(first)
    const anew = await revocationOf(owner, device.deviceId, { issuedAt: Date.now() + 1 })
    expectRefusal(await revoke(owner, device.deviceId, anew), 'stale_package')
  })

  it('is followed by a newer version alone, without the prekeys of before', async () => {
    const owner = await caller()
    const { device, made } = await publishedDevice(owner)
    const keyPackage = await makeKeyPackage(device, { realm: REALM, now: Date.now() })
    const revoked = await owner.client.keyDirectory.revoke(device.deviceId, 1)
    await expect(owner.client.keyDirectory.publish(keyPackage, { version: 1 })).rejects.toThrow(/newer package/i)
    const { stock } = await owner.client.keyDirectory.publish(keyPackage, { version: 2, prekeys: [made.upload] })
    expect(stock).toMatchObject([{ oneTime: 0 }])
    const before = await makePrekeys(device, { realm: REALM, now: revoked.revocation.statement.issuedAt }, { count: 1 })
    await expect(owner.client.keyDirectory.addPrekeys(device.deviceId, [before.upload])).rejects.toMatchObject({
      error: 'statement_expired',
    })
    const after = await makePrekeys(
      device,
      { realm: REALM, now: revoked.revocation.statement.issuedAt + 1 },
      { count: 1 },
    )
    expect(await owner.client.keyDirectory.addPrekeys(device.deviceId, [after.upload])).toMatchObject([{ oneTime: 1 }])
  })

  it('is not revoked by a statement that names an event which the inception log does not have', async () => {
    const owner = await caller()
    const { device } = await publishedDevice(owner)
    const { hash } = await inceptionHeadOf(owner)
    for (const sequence of [2, Number.MAX_SAFE_INTEGER]) {
      const invented = await revocationOf(owner, device.deviceId, { inception: { sequence, hash } })
      expectRefusal(await revoke(owner, device.deviceId, invented), 'package_mismatch')
    }
    expect((await owner.client.keyDirectory.resolve(owner.identity.did, device.deviceId)).version).toBe(1)
    await owner.client.keyDirectory.revoke(device.deviceId, 1)
  })

  it('is not revoked by a statement of another version, device, epoch, time or key', async () => {
    const owner = await caller()
    const { device } = await publishedDevice(owner)
    const { deviceId } = device
    const refusals = [
      [{ version: 2 }, 'stale_package'],
      [{ deviceId: 'A'.repeat(32) }, 'package_mismatch'],
      [{ rootEpoch: 1 }, 'stale_epoch'],
      [{ issuedAt: Date.now() + 301_000 }, 'statement_expired'],
    ] as const
    for (const [members, name] of refusals) {
      expectRefusal(await revoke(owner, deviceId, await revocationOf(owner, deviceId, members)), name)
    }
    const forged = await signStatement((await revocationOf(owner, deviceId)).statement, signerOf(device))
    expectRefusal(await revoke(owner, deviceId, forged), 'invalid_signature')
    const stranger = await caller()
    const theirs = await revocationOf(owner, deviceId)
    expectRefusal(
      await call(stranger, 'POST', pathOf(owner.identity.did, deviceId, '/revoke'), { body: theirs }),
      'owner_mismatch',
    )
    const unknown = 'A'.repeat(32)
    expectRefusal(await revoke(owner, unknown, await revocationOf(owner, unknown)), 'not_found')
    expect((await owner.client.keyDirectory.resolve(owner.identity.did, deviceId)).version).toBe(1)
  })
})

describe('the updates of a device', () => {
  it('never go back to an older event, also from a client that has not read the log', async () => {
    const owner = await caller()
    const { device } = await publishedDevice(owner)
    const { deviceId } = device
    const unplaced = await revocationOf(owner, deviceId, { inception: null })
    expectRefusal(await revoke(owner, deviceId, unplaced), 'stale_package')
    const stranger = callerOf(owner.identity, { fetch: passOn, origin: ORIGIN })
    expect(await stranger.client.devices.known()).toBeNull()
    const { revocation } = await stranger.client.keyDirectory.revoke(deviceId, 1)
    expect(revocation.statement.inception).toEqual(device.membership?.inception)
    const another = callerOf(owner.identity, { fetch: passOn, origin: ORIGIN })
    const keyPackage = await makeKeyPackage(device, { realm: REALM, now: Date.now() })
    const { package: next } = await another.client.keyDirectory.publish(keyPackage, { version: 2 })
    expect(next.credential.statement.inception).toEqual(device.membership?.inception)
    expect((await owner.client.keyDirectory.list(owner.identity.did)).devices).toHaveLength(1)
  })
})

describe('a device that core has ended', () => {
  it('is shown as such to its owner, and as unknown to everybody else', async () => {
    const owner = await caller()
    const { device, client } = await publishedDevice(owner)
    const { did } = owner.identity
    const signersFor = async (reader: typeof client) =>
      (await reader.keyDirectory.list(did)).devices.flatMap(({ packages }) => packages.map(({ signer }) => signer))
    expect(await signersFor(owner.client)).toEqual(['active'])
    const reading = await deviceFor(owner, { capabilities: ['directory:read', 'account:read'] })
    await owner.client.devices.revoke(device.deviceId)
    expect(await signersFor(owner.client)).toEqual(['revoked'])
    expect(await signersFor(reading.client)).toEqual(['revoked'])
    const blind = await deviceFor(owner, { capabilities: ['directory:read'] })
    for (const { client: other } of [blind, await caller()]) expect(await signersFor(other)).toEqual([null])
  })

  it('is given no prekey from that moment on, and resolves no more', async () => {
    const owner = await caller()
    const published = await publishedDevice(owner)
    const sender = await caller()
    await owner.client.devices.suspend(published.device.deviceId)
    expectRefusal(await reserve(sender, published, 'a'), 'device_unattested')
    await owner.client.devices.resume(published.device.deviceId)
    dataOf(await reserve(sender, published, 'a'))
    await owner.client.devices.revoke(published.device.deviceId)
    expectRefusal(await reserve(sender, published, 'a'), 'device_revoked')
    expectRefusal(await call(sender, 'GET', pathOf(owner.identity.did, published.device.deviceId)), 'device_revoked')
  })

  it('is none of an identity that was deactivated', async () => {
    const owner = await caller()
    const published = await publishedDevice(owner)
    await owner.client.security.deactivate()
    expectRefusal(await reserve(await caller(), published, 'a'), 'did_deactivated')
  })
})
