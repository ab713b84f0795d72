import { makeKeyPackage, makePrekeys } from '@svc/client/functions'
import { labels } from '@svc/protocol/keys/account-labels.fixture'
import { leafIdParts } from '@svc/protocol/keys/account-updates'
import type { DevicePackage, ReservedPrekey } from '@svc/protocol/keys/directory'
import { expectRefusal } from '@svc/service/testing'
import { REALM } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { caller, dataOf, deviceFor } from '../harness.ts'
import { credentialOf, publish, publishedDevice, reserve } from './directory.fixture.ts'

const times = <T>(count: number, work: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, i) => work(i)))
const prekeyIdOf = (exchange: Parameters<typeof dataOf>[0]) => dataOf<ReservedPrekey>(exchange).prekey.prekeyId

describe('at the same moment', () => {
  it('one hundred reservations over fifty prekeys: fifty distinct, fifty refused', async () => {
    const device = await publishedDevice(await caller(), { count: 50 })
    const senders = await times(4, () => caller())
    const answers = await times(100, (i) => reserve(senders[i % 4]!, device, `k${i}`))
    const taken = answers.filter(({ status }) => status === 200)
    expect(taken).toHaveLength(50)
    expect(new Set(taken.map(prekeyIdOf)).size).toBe(50)
    expect(taken.map(prekeyIdOf).toSorted()).toEqual([...device.made.seeds.keys()].toSorted())
    for (const answer of answers) if (answer.status !== 200) expectRefusal(answer, 'prekeys_exhausted')
  }, 60_000)

  it('twenty of one key draw one prekey, and all get the same answer', async () => {
    const device = await publishedDevice(await caller(), { count: 20 })
    const sender = await caller()
    const answers = (await times(20, () => reserve(sender, device, 'same'))).map((answer) => dataOf(answer))
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    const { stock } = await device.owner.client.keyDirectory.pool(device.device.deviceId)
    expect(stock).toMatchObject([{ oneTime: 19 }])
  }, 30_000)

  it('twenty first updates of an account: one label, and one order', async () => {
    const owner = await caller()
    const devices = await times(20, () => deviceFor(owner))
    const answers = await Promise.all(
      devices.map(async ({ device }) => {
        const keyPackage = await makeKeyPackage(device, { realm: REALM, now: Date.now() })
        return publish(owner, { credential: await credentialOf(owner, keyPackage, {}), keyPackage })
      }),
    )
    const updates = answers.map((answer) => dataOf<{ package: DevicePackage }>(answer).package)
    const numbers = updates.map(({ seq }) => seq).toSorted((a, b) => a - b)
    expect(numbers).toEqual(Array.from({ length: 20 }, (_, i) => i + 1))
    const { did } = owner.identity
    expect(new Set(updates.map(({ leafId }) => leafIdParts(leafId).label))).toEqual(new Set([labels.labelOf(did)]))
    expect((await owner.client.keyDirectory.list(did)).seq).toBe(20)
  }, 60_000)

  it('twenty publications of one version: one stands, and the others are refused', async () => {
    const owner = await caller()
    const { device } = await deviceFor(owner)
    const keyPackage = await makeKeyPackage(device, { realm: REALM, now: Date.now() })
    const now = Date.now()
    const credentials = await times(20, (i) => credentialOf(owner, keyPackage, { issuedAt: now - i }))
    const answers = await Promise.all(credentials.map((credential) => publish(owner, { credential, keyPackage })))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const answer of answers) if (answer.status !== 200) expectRefusal(answer, 'stale_package')
  }, 30_000)

  it('twenty uploads of one batch add it once', async () => {
    const device = await publishedDevice(await caller(), { count: 1 })
    const { upload } = await makePrekeys(device.device, { realm: REALM, now: Date.now() }, { count: 7 })
    await times(20, () => device.client.keyDirectory.addPrekeys(device.device.deviceId, [upload]))
    const { stock } = await device.owner.client.keyDirectory.pool(device.device.deviceId)
    expect(stock).toMatchObject([{ oneTime: 8 }])
  }, 30_000)

  it('reservations and a revocation: what was given was given before it', async () => {
    const device = await publishedDevice(await caller(), { count: 20 })
    const sender = await caller()
    const [answers] = await Promise.all([
      times(20, (i) => reserve(sender, device, `k${i}`)),
      device.owner.client.keyDirectory.revoke(device.device.deviceId, 1),
    ])
    const taken = answers.filter(({ status }) => status === 200).map(prekeyIdOf)
    for (const answer of answers) if (answer.status !== 200) expectRefusal(answer, 'package_revoked')
    const { reservations } = await device.owner.client.keyDirectory.pool(device.device.deviceId)
    expect(reservations.map(({ prekeyId }) => prekeyId).toSorted()).toEqual(taken.toSorted())
    expectRefusal(await reserve(sender, device, 'k0'), 'package_revoked')
  }, 30_000)
})
