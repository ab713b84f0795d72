import { makeKeyPackage, makePrekeys, mlKem768 } from '@svc/client/functions'
import { bytesOf } from '@svc/protocol/base/base64url'
import { signStatement } from '@svc/protocol/base/statement'
import type { PrekeyPool, ReservedPrekey } from '@svc/protocol/keys/directory'
import { prekeyTree, verifyPrekey } from '@svc/protocol/keys/packages'
import { expectRefusal } from '@svc/service/testing'
import { REALM, REALMS, signerOf } from '@svc/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { pathOf, publishedDevice, reserve } from '../directory/directory.fixture.ts'
import { call, caller, dataOf, deviceFor } from '../harness.ts'

const DAY = 86_400_000
afterEach(() => {
  vi.useRealTimers()
})
const poolOf = async (device: Awaited<ReturnType<typeof publishedDevice>>) =>
  dataOf<PrekeyPool>(
    await call(device.owner, 'GET', pathOf(device.owner.identity.did, device.device.deviceId, '/prekeys')),
  )

describe('a reserved prekey', () => {
  it('is one that the device has signed and can open what was sent to it', async () => {
    const device = await publishedDevice(await caller())
    const sender = await caller()
    const { did } = device.owner.identity
    const reserved = await sender.client.keyDirectory.reserve(did, device.device.deviceId)
    const { ciphertext, sharedSecret } = await mlKem768.encapsulate(bytesOf(reserved.prekey.publicKeyB64u))
    const seed = device.made.seeds.get(reserved.prekey.prekeyId)
    expect(seed && (await mlKem768.decapsulate(seed, ciphertext))).toEqual(sharedSecret)
    expect(reserved.usedFallback).toBe(false)
    expect(reserved.receipt.statement).toMatchObject({
      directory: 'https://keys.test',
      accountDid: did,
      deviceId: device.device.deviceId,
      requesterDid: sender.identity.did,
      kind: 'one-time',
      leafId: device.package.leafId,
    })
    expect(reserved.receipt.statement.expiresAt - reserved.receipt.statement.issuedAt).toBe(DAY)
  })

  it('is the same to the same key, byte for byte, and another to another', async () => {
    const device = await publishedDevice(await caller())
    const sender = await caller()
    const first = dataOf<ReservedPrekey>(await reserve(sender, device, 'one'))
    expect(dataOf(await reserve(sender, device, 'one'))).toEqual(first)
    const second = dataOf<ReservedPrekey>(await reserve(sender, device, 'two'))
    expect(second.prekey.prekeyId).not.toBe(first.prekey.prekeyId)
    const other = dataOf<ReservedPrekey>(await reserve(await caller(), device, 'one'))
    expect([first, second].map(({ prekey }) => prekey.prekeyId)).not.toContain(other.prekey.prekeyId)
  })

  it('is refused to the same key with another body', async () => {
    const device = await publishedDevice(await caller(), { profile: 'open-v4' })
    const sender = await caller()
    dataOf(await reserve(sender, device, 'k', { profile: 'open-v4' }))
    const other = { profile: 'open-v4', fallbackPolicy: 'last-resort-allowed' } as const
    expectRefusal(await reserve(sender, device, 'k', other), 'idempotency_conflict')
  })

  it('ends after a day and is never given to another', async () => {
    const device = await publishedDevice(await caller(), { count: 1 })
    const sender = await caller()
    dataOf(await reserve(sender, device, 'k'))
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + DAY + 1_000 })
    expectRefusal(await reserve(sender, device, 'k'), 'reservation_ended')
    expectRefusal(await reserve(sender, device, 'again'), 'prekeys_exhausted')
  })

  it('needs the Idempotency-Key', async () => {
    const device = await publishedDevice(await caller())
    const at = pathOf(device.owner.identity.did, device.device.deviceId, '/prekeys/reserve')
    const body = { profile: 'bound-v4', suiteId: 'mlkem768-mldsa65-sha3384', fallbackPolicy: 'one-time-required' }
    expectRefusal(await call(await caller(), 'POST', at, { body }), 'invalid_request')
  })
})

describe('an empty pool', () => {
  it('refuses bound v4, whatever else the device has published', async () => {
    const device = await publishedDevice(await caller(), { count: 1, lastResort: true })
    const sender = await caller()
    dataOf(await reserve(sender, device, 'a'))
    expectRefusal(await reserve(sender, device, 'b'), 'prekeys_exhausted')
    expectRefusal(await reserve(sender, device, 'c', { fallbackPolicy: 'last-resort-allowed' }), 'one_time_required')
  })

  it('comes to the last resort only where the caller has asked for it, and says so', async () => {
    const device = await publishedDevice(await caller(), { profile: 'open-v4', count: 1, lastResort: true })
    const sender = await caller()
    const asked = { profile: 'open-v4', fallbackPolicy: 'last-resort-allowed' } as const
    expect(dataOf<ReservedPrekey>(await reserve(sender, device, 'a', asked)).usedFallback).toBe(false)
    expectRefusal(await reserve(sender, device, 'b', { profile: 'open-v4' }), 'prekeys_exhausted')
    const [one, two] = [
      dataOf<ReservedPrekey>(await reserve(sender, device, 'c', asked)),
      dataOf<ReservedPrekey>(await reserve(sender, device, 'd', asked)),
    ]
    expect([one.usedFallback, one.receipt.statement.kind]).toEqual([true, 'last-resort'])
    expect(two.prekey).toEqual(one.prekey)
    expect(await verifyPrekey(one.prekey, device.package.keyPackage, REALMS)).toBe(true)
  })

  it('is seen coming: the owner is told that stock is low, and who has drained it', async () => {
    const device = await publishedDevice(await caller(), { count: 20 })
    const sender = await caller()
    expect((await poolOf(device)).stock).toMatchObject([{ oneTime: 20, low: false }])
    dataOf(await reserve(sender, device, 'a'))
    const { stock, reservations, cursor } = await poolOf(device)
    expect(stock).toMatchObject([{ oneTime: 19, low: true, lastResort: false }])
    expect(reservations).toMatchObject([{ requesterDid: sender.identity.did, requesterDevice: null, kind: 'one-time' }])
    expect(cursor).toBeNull()
    expect(JSON.stringify(reservations)).not.toContain('"a"')
  })
})

describe('limits of reserving', () => {
  it('let one requester take 64 prekeys of an account in a day', async () => {
    const device = await publishedDevice(await caller(), { count: 70 })
    const sender = await caller()
    for (let i = 0; i < 64; i++) dataOf(await reserve(sender, device, `k${i}`))
    expectRefusal(await reserve(sender, device, 'k64'), 'reservation_limit')
    dataOf(await reserve(sender, device, 'k0'))
    dataOf(await reserve(await caller(), device, 'k64'))
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + DAY + 1_000 })
    dataOf(await reserve(sender, device, 'k64'))
  }, 30_000)
})

describe('more prekeys', () => {
  it('are added by the device itself, once for each batch', async () => {
    const device = await publishedDevice(await caller(), { count: 1 })
    const { upload } = await makePrekeys(device.device, { realm: REALM, now: Date.now() }, { count: 5 })
    for (let i = 0; i < 2; i++) {
      expect(await device.client.keyDirectory.addPrekeys(device.device.deviceId, [upload])).toMatchObject([
        { oneTime: 6, low: true },
      ])
    }
  })

  it('are refused from another device of the owner, and of another account', async () => {
    const owner = await caller()
    const [mine, other] = [await publishedDevice(owner), await publishedDevice(owner)]
    const { upload } = await makePrekeys(mine.device, { realm: REALM, now: Date.now() }, { count: 1 })
    const body = { prekeys: [upload] }
    const at = pathOf(owner.identity.did, mine.device.deviceId, '/prekeys')
    expectRefusal(await call(other, 'POST', at, { body }), 'owner_mismatch')
    expectRefusal(await call(await caller(), 'POST', at, { body }), 'owner_mismatch')
    expectRefusal(await call(await caller(), 'GET', at), 'owner_mismatch')
  })

  it('are refused when the device has not signed exactly these', async () => {
    const owner = await caller()
    const device = await publishedDevice(owner)
    const [a, b] = [
      (await makePrekeys(device.device, { realm: REALM, now: Date.now() }, { count: 2 })).upload,
      (await makePrekeys(device.device, { realm: REALM, now: Date.now() }, { count: 2 })).upload,
    ]
    const at = pathOf(owner.identity.did, device.device.deviceId, '/prekeys')
    const add = (upload: unknown) => call(owner, 'POST', at, { body: { prekeys: [upload] } })
    expectRefusal(await add({ ...a, publicKeysB64u: b.publicKeysB64u }), 'package_mismatch')
    expectRefusal(await add({ ...a, publicKeysB64u: a.publicKeysB64u.toReversed() }), 'package_mismatch')
    expectRefusal(await add({ ...a, publicKeysB64u: a.publicKeysB64u.slice(1) }), 'package_mismatch')
    expectRefusal(await add({ ...a, batch: { ...a.batch, signatureB64u: b.batch.signatureB64u } }), 'invalid_signature')
    const theirs = await publishedDevice(await caller())
    expectRefusal(await add(theirs.made.upload), 'package_mismatch')
  })

  it('are refused when one was there before, when the pool is full, and when they are old', async () => {
    const owner = await caller()
    const device = await publishedDevice(owner, { count: 2 })
    const again = await makePrekeys(device.device, { realm: REALM, now: Date.now() }, { count: 1 })
    const [key = ''] = device.made.upload.publicKeysB64u
    const { root } = prekeyTree([key])
    const batch = await signStatement({ ...again.upload.batch.statement, root }, signerOf(device.device))
    const at = pathOf(owner.identity.did, device.device.deviceId, '/prekeys')
    const add = (uploads: unknown[]) => call(owner, 'POST', at, { body: { prekeys: uploads } })
    expectRefusal(await add([{ batch, publicKeysB64u: [key] }]), 'prekey_reused')
    const old = await makePrekeys(device.device, { realm: REALM, now: Date.now() - 31 * DAY }, { count: 1 })
    expectRefusal(await add([old.upload]), 'statement_expired')
    // A batch that is refused takes the one before it along.
    expectRefusal(await add([again.upload, old.upload]), 'statement_expired')
    expect((await poolOf(device)).stock).toMatchObject([{ oneTime: 2 }])
    for (let i = 0; i < 4; i++) {
      await owner.client.keyDirectory.addPrekeys(device.device.deviceId, [
        (await makePrekeys(device.device, { realm: REALM, now: Date.now() })).upload,
      ])
    }
    const full = await makePrekeys(device.device, { realm: REALM, now: Date.now() }, { count: 99 })
    expectRefusal(await add([full.upload]), 'prekey_limit')
  }, 30_000)

  it('are for a package that was published', async () => {
    const owner = await caller()
    const fresh = await deviceFor(owner)
    const { upload } = await makePrekeys(fresh.device, { realm: REALM, now: Date.now() }, { count: 1 })
    const at = pathOf(owner.identity.did, fresh.device.deviceId, '/prekeys')
    expectRefusal(await call(owner, 'POST', at, { body: { prekeys: [upload] } }), 'not_found')
    expectRefusal(await call(owner, 'GET', at), 'not_found')
    const open = await makePrekeys(fresh.device, { realm: REALM, now: Date.now() }, { count: 1, profile: 'open-v4' })
    await owner.client.keyDirectory.publish(await makeKeyPackage(fresh.device, { realm: REALM, now: Date.now() }))
    expectRefusal(await call(owner, 'POST', at, { body: { prekeys: [open.upload] } }), 'not_found')
  })
})
