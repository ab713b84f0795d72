/** Watch tokens of the SDK at the real service. */
import { Client, type ClientOptions, Device, type PendingChange, type StandingChange, WatchToken } from '@svc/client'
import { callerOf, deviceOf, fetchOf } from '@svc/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { CORE, freshAddress, freshCaller, send } from '../harness.ts'
import { at, DAY_MS, opened } from '../rotation/rotation.fixture.ts'
import { tokensOf } from './watch.fixture.ts'

const NOW = Date.UTC(2027, 3, 1)
const newDevice = () => Device.create({ origin: 'app:phone', capabilities: ['chain:read', 'rotation:cosign'] })

/** Returns a client without an identity, with an address of its own. */
function stranger(options: Partial<ClientOptions> = {}): Client {
  const headers = { 'cf-connecting-ip': freshAddress() }
  return new Client({ core: CORE, did: 'https://did.test', fetch: fetchOf(send), headers, retries: false, ...options })
}

afterEach(() => {
  vi.useRealTimers()
})

describe('an identity that is created', () => {
  it('has a token to keep apart from its keys, and a token of its device', async () => {
    let kept: string | undefined
    const created = await stranger().createIdentity({
      device: await newDevice(),
      keep: ({ watchToken }) => {
        kept = watchToken.reveal()
      },
    })
    const { identity, device } = created
    expect((await tokensOf(identity)).map(({ madeBy }) => madeBy)).toEqual(['root', device.deviceId])
    const ofDevice = (await device.watchToken())!
    for (const token of [WatchToken.of(kept!), created.watchToken, ofDevice]) {
      expect(await stranger().watch.look(identity.did, token)).toMatchObject({ devices: { active: 1 } })
    }
  })

  it('gets no other token from a second call with the same keys', async () => {
    const device = await newDevice()
    const { identity, watchToken } = await stranger().createIdentity({ device, keep: () => null })
    await stranger().createIdentity({ identity, device, watchToken, keep: () => null })
    expect(await tokensOf(identity)).toHaveLength(2)
  })
})

describe('a device that confirms', () => {
  it('watches with its own token after it was revoked', async () => {
    const alice = await freshCaller()
    const { device, client } = await deviceOf(alice, { fetch: send, capabilities: ['rotation:cosign'] })
    await client.devices.confirm()
    await alice.client.devices.revoke(device.deviceId)
    const token = (await device.watchToken())!
    const { changes } = await stranger().watch.look(alice.identity.did, token)
    expect(changes.map(({ kind }) => kind)).toEqual(['device_added', 'device_lost'])
    await expect(client.watch.look(alice.identity.did)).rejects.toMatchObject({ reason: 'left_out' })
  })
})

describe('client.watch', () => {
  it('makes, lists and withdraws tokens', async () => {
    at(NOW)
    const { client, identity } = await freshCaller()
    const token = await client.watch.make()
    expect(await client.watch.make(token)).toBe(token)
    const { tokenHash } = token
    expect(await client.watch.tokens()).toEqual([
      { tokenHash, madeBy: 'root', epoch: 0, madeAt: NOW, worksUntil: null },
    ])
    expect(await client.watch.withdraw(tokenHash)).toMatchObject({ worksUntil: NOW + 30 * DAY_MS })
    expect(await stranger().watch.look(identity.did, token)).toHaveProperty('devices')
    at(NOW + 30 * DAY_MS)
    await expect(stranger().watch.look(identity.did, token)).rejects.toMatchObject({ reason: 'left_out' })
    await expect(client.watch.withdraw(tokenHash)).rejects.toMatchObject({ error: 'not_found' })
  })

  it('needs an identity for everything except looking with a token', async () => {
    const { identity } = await freshCaller()
    const { watch } = stranger()
    for (const call of [watch.make(), watch.tokens(), watch.look(identity.did)]) {
      await expect(call).rejects.toMatchObject({ name: 'ConfigurationError', option: 'identity' })
    }
    await expect(watch.look(identity.did, WatchToken.create())).rejects.toMatchObject({ reason: 'left_out' })
  })

  it('shows its own identity to the root key and to a device', async () => {
    const alice = await freshCaller()
    const { client } = await deviceOf(alice, { fetch: send, capabilities: [] })
    for (const own of [client, alice.client]) {
      expect(await own.watch.look(alice.identity.did)).toMatchObject({ devices: { active: 1, standing: 0 } })
    }
  })
})

describe('onPending', () => {
  const kinds = (told: readonly (PendingChange | StandingChange)[]) => told.map(({ kind }) => kind)

  it('reports each change of devices once', async () => {
    const alice = await freshCaller()
    const told: (PendingChange | StandingChange)[] = []
    const { client } = callerOf(alice.identity, { fetch: send, onPending: (one) => void told.push(one) })
    await client.chain.head()
    expect(told).toEqual([])
    const { device } = await deviceOf(alice, { fetch: send, capabilities: [] })
    await client.chain.head()
    await client.devices.head()
    await client.security.hold()
    await client.watch.look(alice.identity.did)
    expect(told).toMatchObject([{ kind: 'device_added', deviceId: device.deviceId }])
    expect(client.changes).toEqual(told)
    await alice.client.devices.revoke(device.deviceId)
    await client.chain.head()
    await client.chain.syncStatus()
    expect(kinds(told)).toEqual(['device_added', 'device_lost'])
  })

  it('reports to a friend who has a token and no key', async () => {
    const alice = await freshCaller()
    const token = await alice.client.watch.make()
    const told: (PendingChange | StandingChange)[] = []
    const friend = stranger({ onPending: (one) => void told.push(one) })
    await deviceOf(alice, { fetch: send, capabilities: [] })
    await opened(alice, 2)
    for (let looks = 0; looks < 2; looks++) await friend.watch.look(alice.identity.did, token)
    expect(kinds(told).toSorted()).toEqual(['device_added', 'rotation'])
  })
})
