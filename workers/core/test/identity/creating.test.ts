/** An identity with a device and the requests of a recovery, made by the SDK in one call. */
import { Client, type ClientOptions, type CreatedKeys, Device } from '@svc/client'
import { exportKeys, importKeys } from '@svc/client/backup'
import { keptKeys } from '@svc/client/functions'
import { fetchOf } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { send } from '../harness.ts'

const newDevice = () => Device.create({ origin: 'app:phone', capabilities: ['chain:read', 'rotation:cosign'] })

let strangers = 0
/** A client at an address of its own. */
function stranger(options: Partial<ClientOptions> = {}): Client {
  strangers += 1
  const headers = { 'cf-connecting-ip': `2001:db8:ffff:${strangers}::1` }
  const fetch = fetchOf(send)
  return new Client({ core: 'https://core.test', did: 'https://did.test', fetch, headers, retries: false, ...options })
}

const LOCK = { credentialIdB64u: 'Y3JlZA', prf: new Uint8Array(32).fill(9) }

describe('an identity that is created with a device', () => {
  it('exists, has its device, and can be recovered by what was kept', async () => {
    let stored: CreatedKeys | undefined
    const created = await stranger().createIdentity({
      device: await newDevice(),
      keep: async (keys) => {
        stored = keys
        await expect(stranger().recovery(keys.kept).status()).rejects.toMatchObject({ error: 'not_found' })
      },
    })
    const { client, identity, kept, successor } = created
    expect([stored?.identity, stored?.kept, stored?.successor]).toEqual([identity, kept, successor])
    expect((await client.chain.verify()).index).toBe('0')
    expect((await client.devices.verify()).devices).toMatchObject([{ deviceId: created.device.deviceId }])
    expect(await stranger().recovery(kept).status()).toMatchObject({ stage: 'ready', next: { act: 'start' } })
    expect(keptKeys(kept)).toEqual([successor.publicKeyB64u])
  })

  it('acts with the device at once, also after its keys were exported', async () => {
    const created = await stranger().createIdentity({ device: await newDevice(), keep: () => null })
    const file = await exportKeys({ devices: [created.device], recovery: created.kept }, LOCK)
    const { devices } = await importKeys(file, LOCK)
    const phone = stranger({ device: devices[0]! })
    expect((await phone.chain.head()).index).toBe('0')
  })

  it('does not exist if nothing was kept', async () => {
    let stored: CreatedKeys | undefined
    const keep = (keys: CreatedKeys) => {
      stored = keys
      throw new Error('the disk is full')
    }
    await expect(stranger().createIdentity({ device: await newDevice(), keep })).rejects.toThrow('the disk is full')
    const root = await stranger()
      .keyHistory.of(stored!.identity.did)
      .then(
        () => 'found',
        (error: Error) => error.name,
      )
    expect(root).toBe('ServiceError')
  })

  it('is completed by a second call with the same keys', async () => {
    let stored: CreatedKeys | undefined
    const keep = (keys: CreatedKeys) => {
      stored = keys
    }
    const honest = fetchOf(send)
    const client = stranger({
      fetch: (url, init) => (url.includes('/inception/') ? Promise.reject(new TypeError('cable')) : honest(url, init)),
    })
    await expect(client.createIdentity({ device: await newDevice(), keep })).rejects.toMatchObject({
      name: 'ConnectionError',
    })
    const { identity, device: phone } = stored!
    const created = await stranger().createIdentity({ identity, device: phone, keep })
    const again = await stranger().createIdentity({ identity, device: phone, keep })
    expect([created.device.did, again.device.did]).toEqual([identity.did, identity.did])
    expect((await again.client.devices.verify()).devices).toHaveLength(1)
  })
})
