import { listDurableObjectIds, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { makeKeyPackage, makePrekeys } from '@svc/client/functions'
import { signStatement } from '@svc/protocol/base/statement'
import { EMPTY_HEAD } from '@svc/protocol/keys/account-updates'
import type { DevicePackage, DirectoryPage, PublishPackage } from '@svc/protocol/keys/directory'
import { expectRefusal } from '@svc/service/testing'
import { inceptionHeadOf, REALM, signerOf } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { call, caller, dataOf, device, deviceFor } from '../harness.ts'
import { labelOf } from '../transparency/log.fixture.ts'
import { credentialOf, pathOf, publish, publishedDevice } from './directory.fixture.ts'

const NOW = () => Date.now()

describe('publishing a device package', () => {
  it('gives everybody with an identity what is needed to encrypt to the device', async () => {
    const owner = await caller()
    const published = await publishedDevice(owner)
    const reader = await caller()
    const found = await reader.client.keyDirectory.resolve(owner.identity.did, published.device.deviceId)
    expect(found).toEqual(published.package)
    expect(found.keyPackage.statement.kemPublicKeyB64u).toBe(published.device.kemPublicKeyB64u)
    expect(JSON.stringify(found)).not.toContain('prekey')
    const { devices, seq } = await reader.client.keyDirectory.list(owner.identity.did)
    expect({ devices, seq }).toEqual({
      devices: [{ deviceId: published.device.deviceId, packages: [{ ...found, signer: null }], revocation: null }],
      seq: 1,
    })
  })

  it('says of the same credential again the same, and adds the batches that it brings', async () => {
    const owner = await caller()
    const { device: keys } = await deviceFor(owner)
    const keyPackage = await makeKeyPackage(keys, { realm: REALM, now: NOW() })
    const credential = await credentialOf(owner, keyPackage)
    const { upload } = await makePrekeys(keys, { realm: REALM, now: NOW() }, { count: 2 })
    const first = dataOf<{ package: DevicePackage; stock: { oneTime: number }[] }>(
      await publish(owner, { credential, keyPackage }),
    )
    for (let i = 0; i < 2; i++) {
      const again = dataOf<typeof first>(await publish(owner, { credential, keyPackage, prekeys: [upload] }))
      expect(again).toEqual({ package: first.package, stock: [{ ...first.stock[0], oneTime: 2 }] })
    }
  })

  it('replaces older versions alone', async () => {
    const owner = await caller()
    const { device: keys } = await deviceFor(owner)
    const keyPackage = await makeKeyPackage(keys, { realm: REALM, now: NOW() })
    const [one, two] = [
      await credentialOf(owner, keyPackage, { version: 1 }),
      await credentialOf(owner, keyPackage, { version: 2 }),
    ]
    dataOf(await publish(owner, { credential: two, keyPackage }))
    expectRefusal(await publish(owner, { credential: one, keyPackage }), 'stale_package')
    const other = await credentialOf(owner, keyPackage, { version: 2, issuedAt: NOW() - 1 })
    expectRefusal(await publish(owner, { credential: other, keyPackage }), 'stale_package')
  })

  it('keeps the packages of two profiles side by side', async () => {
    const owner = await caller()
    const bound = await publishedDevice(owner)
    const open = await makeKeyPackage(bound.device, { realm: REALM, now: NOW() }, { profile: 'open-v4' })
    await owner.client.keyDirectory.publish(open, { version: 2 })
    for (const [profile, version] of [
      ['bound-v4', 1],
      ['open-v4', 2],
    ] as const) {
      const found = await owner.client.keyDirectory.resolve(owner.identity.did, bound.device.deviceId, profile)
      expect(found).toMatchObject({ profile, version })
    }
  })

  it('is for the root key of the account alone', async () => {
    const owner = await caller()
    const { device: keys, assertion } = await deviceFor(owner, { capabilities: ['prekeys:write'] })
    const keyPackage = await makeKeyPackage(keys, { realm: REALM, now: NOW() })
    const body = { credential: await credentialOf(owner, keyPackage), keyPackage }
    const at = pathOf(owner.identity.did, keys.deviceId)
    expectRefusal(await call({ assertion }, 'PUT', at, { body }), 'capability_required')
    expectRefusal(await call(await caller(), 'PUT', at, { body }), 'owner_mismatch')
  })
})

describe('a package that does not hold', () => {
  async function material() {
    const owner = await caller()
    const { device: keys } = await deviceFor(owner)
    const keyPackage = await makeKeyPackage(keys, { realm: REALM, now: NOW() })
    return { owner, keys, keyPackage, credential: await credentialOf(owner, keyPackage) }
  }

  it('is refused for another device, account, scope or hash than it names', async () => {
    const { owner, keys, keyPackage } = await material()
    const stranger = await caller()
    const at = pathOf(owner.identity.did, keys.deviceId)
    for (const members of [
      { deviceId: 'A'.repeat(32) },
      { did: stranger.identity.did },
      { scope: stranger.identity.scope },
      { keyPackageHash: '0'.repeat(96) },
      { profile: 'open-v4' as const },
    ]) {
      const credential = await credentialOf(owner, keyPackage, members)
      expectRefusal(await publish(owner, { credential, keyPackage }, { at }), 'package_mismatch')
    }
    const { credential } = await material()
    expectRefusal(await publish(owner, { credential, keyPackage }, { at }), 'package_mismatch')
  })

  it('is refused if its credential names an older event than it, or than an earlier update of the device', async () => {
    const { owner, keyPackage } = await material()
    const unplaced = await credentialOf(owner, keyPackage, { inception: null })
    expectRefusal(await publish(owner, { credential: unplaced, keyPackage }), 'package_mismatch')
    await deviceFor(owner)
    const later = await inceptionHeadOf(owner)
    const first = await credentialOf(owner, keyPackage, { inception: later })
    dataOf(await publish(owner, { credential: first, keyPackage }))
    const older = await credentialOf(owner, keyPackage, { version: 2 })
    expectRefusal(await publish(owner, { credential: older, keyPackage }), 'stale_package')
    dataOf(await publish(owner, { credential: first, keyPackage }))
    const next = await credentialOf(owner, keyPackage, { version: 2, inception: later })
    dataOf(await publish(owner, { credential: next, keyPackage }))
  })

  it('is refused if its credential names an event that the inception log does not have', async () => {
    const { owner, keyPackage, credential } = await material()
    const { hash } = await inceptionHeadOf(owner)
    for (const sequence of [2, Number.MAX_SAFE_INTEGER]) {
      const invented = await credentialOf(owner, keyPackage, { inception: { sequence, hash } })
      expectRefusal(await publish(owner, { credential: invented, keyPackage }), 'package_mismatch')
    }
    dataOf(await publish(owner, { credential, keyPackage }))
  })

  it('is refused without a signature of root and device each', async () => {
    const { owner, keyPackage, credential } = await material()
    const stranger = await caller()
    const forged = { ...credential, signatureB64u: (await credentialOf(stranger, keyPackage)).signatureB64u }
    expectRefusal(await publish(owner, { credential: forged, keyPackage }), 'invalid_signature')
    const unsigned = { ...keyPackage, signatureB64u: credential.signatureB64u }
    expectRefusal(await publish(owner, { credential, keyPackage: unsigned }), 'invalid_signature')
  })

  it('is refused under another root epoch, and from the future', async () => {
    const { owner, keyPackage } = await material()
    const stale = await credentialOf(owner, keyPackage, { rootEpoch: 1 })
    expectRefusal(await publish(owner, { credential: stale, keyPackage }), 'stale_epoch')
    const ahead = await credentialOf(owner, keyPackage, { issuedAt: NOW() + 301_000 })
    expectRefusal(await publish(owner, { credential: ahead, keyPackage }), 'statement_expired')
  })

  it('is refused with a version that is ahead of the clock, which no later one could exceed', async () => {
    const { owner, keyPackage } = await material()
    for (const version of [Number.MAX_SAFE_INTEGER, NOW() + 301_000]) {
      const credential = await credentialOf(owner, keyPackage, { version })
      expectRefusal(await publish(owner, { credential, keyPackage }), 'statement_expired')
    }
    dataOf(await publish(owner, { credential: await credentialOf(owner, keyPackage, { version: NOW() }), keyPackage }))
  })

  it('is refused for a device that core does not attest, or no longer', async () => {
    const owner = await caller()
    const known = await deviceFor(owner)
    const body = async (keys: Parameters<typeof makeKeyPackage>[0]): Promise<PublishPackage> => {
      const keyPackage = await makeKeyPackage(keys, { realm: REALM, now: NOW() })
      return { credential: await credentialOf(owner, keyPackage), keyPackage, prekeys: [] }
    }
    const theirs = await device()
    const keyPackage = await makeKeyPackage(theirs.device, { realm: REALM, now: NOW() })
    const { did } = owner.identity
    const claimed = { ...keyPackage.statement, did }
    const stolen = await signStatement(claimed, signerOf(theirs.device))
    expectRefusal(
      await publish(owner, { credential: await credentialOf(owner, stolen), keyPackage: stolen }),
      'device_unattested',
    )
    await owner.client.devices.suspend(known.device.deviceId)
    expectRefusal(await publish(owner, await body(known.device)), 'device_unattested')
    await owner.client.devices.resume(known.device.deviceId)
    dataOf(await publish(owner, await body(known.device)))
    await owner.client.devices.revoke(known.device.deviceId)
    expectRefusal(await publish(owner, await body(known.device)), 'device_revoked')
  })

  it('creates nothing when it is refused, and neither does a question about an unknown account', async () => {
    const { owner, keyPackage, credential } = await material()
    const count = async () => {
      let tables = 0
      for (const id of await listDurableObjectIds(env.ACCOUNT_DIRECTORIES)) {
        tables += await runInDurableObject(
          env.ACCOUNT_DIRECTORIES.get(id),
          (_, state) => state.storage.sql.exec(`SELECT 1 FROM sqlite_master WHERE name = 'devices'`).toArray().length,
        )
      }
      return tables
    }
    const before = await count()
    const { upload } = await makePrekeys((await deviceFor(owner)).device, { realm: REALM, now: NOW() }, { count: 1 })
    expectRefusal(await publish(owner, { credential, keyPackage, prekeys: [upload] }), 'package_mismatch')
    const page = dataOf<DirectoryPage>(await call(owner, 'GET', `/api/key-directory/${owner.identity.did}/devices`))
    expect(page).toEqual({
      accountDid: owner.identity.did,
      label: labelOf(owner.identity.did),
      ...EMPTY_HEAD,
      updates: [],
      cursor: null,
    })
    for (const deviceId of [keyPackage.statement.deviceId, 'laptop', 'B'.repeat(33)]) {
      expectRefusal(await call(owner, 'GET', pathOf(owner.identity.did, deviceId)), 'not_found')
    }
    expectRefusal(await call(owner, 'GET', pathOf('did:svc:short', 'laptop')), 'invalid_request')
    expect(await count()).toBe(before)
  })
})

describe('a list', () => {
  it('goes on where a page ends', async () => {
    const owner = await caller()
    const ids: string[] = []
    for (let i = 0; i < 21; i++) ids.push((await publishedDevice(owner, { count: 1 })).device.deviceId)
    const { client } = await caller()
    const { devices, updates, seq } = await client.keyDirectory.list(owner.identity.did)
    expect(devices.map(({ deviceId }) => deviceId)).toEqual(ids.toSorted())
    expect(updates.map((update) => update.seq)).toEqual(Array.from({ length: seq }, (_, i) => i + 1))
  }, 30_000)
})
