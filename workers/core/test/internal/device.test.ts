import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { deviceIdOf, deviceKeyDid } from '@svc/protocol/base/device'
import { userIdOfKey } from '@svc/protocol/base/identity'
import { INTERNAL_HEADER } from '@svc/service'
import { REALM } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { anonymous, freshCaller } from '../harness.ts'
import { rotated } from '../rotation/rotation.fixture.ts'
import { down, freshDevice, lookUp, PRIMARY, refusal, SECRET } from './device.fixture.ts'

describe('the record of a device', () => {
  it('contains what is in force for the device and its owner', async () => {
    const expiresAt = Date.now() + 60_000
    const { device, owner } = await freshDevice({ home: 'https://app.example', expiresAt })
    const { did, scope, userId, publicKeyB64u } = owner.identity
    expect(await lookUp(device.deviceId)).toEqual({
      status: 200,
      body: {
        deviceId: device.deviceId,
        did,
        scope,
        userId,
        publicKeyB64u: device.devicePublicKeyB64u,
        rootEpoch: 0,
        currentEpoch: 0,
        rootPublicKeyB64u: publicKeyB64u,
        origin: 'https://app.example',
        capabilities: ['chain:read'],
        expiresAt,
        status: 'active',
      },
    })
  })

  it('follows every event of its log', async () => {
    const { device, owner } = await freshDevice()
    const { devices } = owner.client
    const status = async () => (await lookUp(device.deviceId)).body['status']
    await devices.suspend(device.deviceId)
    expect(await status()).toBe('suspended')
    await devices.resume(device.deviceId)
    expect(await status()).toBe('active')
    await devices.change(device.deviceId, { event: 'capabilities', capabilities: ['account:read'] })
    expect((await lookUp(device.deviceId)).body['capabilities']).toEqual(['account:read'])
    await devices.revoke(device.deviceId)
    expect(await status()).toBe('revoked')
  })

  it('is available to every sibling that accepts assertions, and to no one else', async () => {
    const { device } = await freshDevice()
    for (const caller of ['provenance', 'did', 'keys', 'pay']) {
      expect((await lookUp(device.deviceId, PRIMARY, {}, caller)).status).toBe(200)
    }
    for (const caller of ['consent', 'auth', 'docs', 'core', null, 'constructor']) {
      expect(await lookUp(device.deviceId, PRIMARY, {}, caller)).toMatchObject(refusal(403, 'forbidden'))
    }
    const path = `/api/internal/device/${device.deviceId}`
    const outside = await anonymous('GET', path, undefined, { [INTERNAL_HEADER]: SECRET })
    expect(outside).toMatchObject(refusal(404, 'not_found'))
  })

  it.each(['laptop', 'A'.repeat(31), 'A'.repeat(33), `did:svc:${'A'.repeat(32)}`])(
    'is asked for by a deviceId, which %j is not',
    async (deviceId) => {
      expect(await lookUp(deviceId)).toMatchObject(refusal(404, 'not_found'))
    },
  )

  it.each(['?consistency=cache', '?consistency=', '?consistency=PRIMARY', '?fresh=1'])(
    'takes no query %j',
    async (query) => {
      expect((await lookUp('A'.repeat(32), query)).status).toBe(400)
    },
  )
})

describe('no device', () => {
  const missing = refusal(404, 'not_found')
  const missingBothWays = async (deviceId: string) => {
    expect(await lookUp(deviceId)).toMatchObject(missing)
    expect(await lookUp(deviceId, PRIMARY)).toMatchObject(missing)
  }

  it('is found before it is attested', async () => {
    const { device, owner } = await freshDevice({ attested: false })
    await missingBothWays(device.deviceId)
    await owner.client.devices.attest(await device.acceptance(owner.identity.did, { realm: REALM, now: Date.now() }))
    expect((await lookUp(device.deviceId)).status).toBe(200)
  })

  it('is found for a root key, by genesis or by rotation', async () => {
    const owner = await freshCaller()
    await missingBothWays(deviceIdOf(owner.identity.publicKeyB64u))
    const { successor } = await rotated(owner)
    await missingBothWays(deviceIdOf(successor.publicKeyB64u))
  })

  it('is found for a key that was reserved and never attested', async () => {
    const { device, owner } = await freshDevice({ attested: false })
    const { did, scope } = owner.identity
    const userId = userIdOfKey(device.devicePublicKeyB64u)
    const object = env.IDENTITIES.getByName(deviceKeyDid(device.deviceId))
    expect(await object.reserve({ kind: 'device', userId, did, scope })).toBe('reserved')
    await missingBothWays(device.deviceId)
  })
})

describe('an attestation', () => {
  const unverifiable = refusal(403, 'attestation_unverifiable')

  it('of an earlier epoch is not valid until the new key attests the device', async () => {
    const { device, owner } = await freshDevice()
    const { next, successor } = await rotated(owner)
    expect(await lookUp(device.deviceId, PRIMARY)).toMatchObject(unverifiable)
    await next.client.devices.attest(await device.acceptance(successor.did, { realm: REALM, now: Date.now() }))
    expect(await lookUp(device.deviceId, PRIMARY)).toMatchObject({
      status: 200,
      body: { rootEpoch: 1, currentEpoch: 1, userId: successor.userId, rootPublicKeyB64u: successor.publicKeyB64u },
    })
  })

  const other = 'A'.repeat(2603)
  it.each<[string, string, ...SqlStorageValue[]]>([
    ['other capabilities', "UPDATE inception_events SET event = replace(event, 'chain:read', 'chain:append')"],
    ['another origin', "UPDATE inception_events SET event = replace(event, 'app:testing', 'app:elsewhere')"],
    [
      'another signature',
      "UPDATE inception_events SET event = json_set(event, '$.signatureB64u', ?)",
      'A'.repeat(4412),
    ],
    [
      'another acceptance',
      "UPDATE inception_events SET event = json_set(event, '$.acceptance.signatureB64u', ?)",
      'A'.repeat(4412),
    ],
    ['another key', "UPDATE inception_events SET event = json_set(event, '$.statement.devicePublicKeyB64u', ?)", other],
    ['another key on its row', 'UPDATE devices SET public_key = zeroblob(1952)'],
    ['another origin on its row', "UPDATE devices SET origin = 'app:elsewhere'"],
    ['another expiry on its row', 'UPDATE devices SET expires_at = 9000000000000'],
    ['another root epoch on its row', 'UPDATE devices SET root_epoch = 1'],
  ])('does not hold with %s', async (_, statement, ...bindings) => {
    const { device, owner } = await freshDevice()
    expect((await lookUp(device.deviceId, PRIMARY)).status).toBe(200)
    const changed = await runInDurableObject(
      env.IDENTITIES.getByName(owner.identity.did),
      (_object, { storage }) => storage.sql.exec(statement, ...bindings).rowsWritten,
    )
    expect(changed).toBeGreaterThan(0)
    expect(await lookUp(device.deviceId, PRIMARY)).toMatchObject(unverifiable)
  })

  it('is not requested if the deployment has device keys off', async () => {
    const { device } = await freshDevice()
    await lookUp(device.deviceId)
    const disabled = refusal(403, 'device_keys_disabled')
    for (const query of ['', PRIMARY]) {
      expect(await lookUp(device.deviceId, query, { DEVICE_KEYS: 'off', IDENTITIES: down })).toMatchObject(disabled)
    }
  })

  it('cannot be looked up while the object of the device or of its owner is unavailable', async () => {
    const { device, owner } = await freshDevice()
    for (const name of [deviceKeyDid(device.deviceId), owner.identity.did]) {
      const getByName = (asked: string) => (asked === name ? down.getByName() : env.IDENTITIES.getByName(asked))
      const found = await lookUp(device.deviceId, PRIMARY, { IDENTITIES: { getByName } })
      expect(found).toMatchObject(refusal(503, 'device_index_unavailable'))
    }
  })
})
