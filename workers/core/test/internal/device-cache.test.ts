import { env } from 'cloudflare:workers'
import { deviceOf } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { freshCaller, send, sendWith } from '../harness.ts'
import { rotated } from '../rotation/rotation.fixture.ts'
import { down, freshDevice, lookUp, PRIMARY, refusal } from './device.fixture.ts'

const keyOf = (deviceId: string) => `device:${deviceId}`
const gone = () => Promise.reject(new Error('KV is down'))
const brokenCache = { get: gone, put: gone, delete: gone }

describe('the cache', () => {
  it('can be stale for a minute after a missed change, but never for the primary', async () => {
    const { device, owner } = await freshDevice()
    const { body: active } = await lookUp(device.deviceId)
    await owner.client.devices.revoke(device.deviceId)
    await env.CACHE.put(keyOf(device.deviceId), JSON.stringify(active))
    expect((await lookUp(device.deviceId)).body).toEqual(active)
    expect((await lookUp(device.deviceId, PRIMARY)).body['status']).toBe('revoked')
  })

  it('is filled for sixty seconds, and only with records that it can return', async () => {
    const { device, owner } = await freshDevice()
    const { device: unknown } = await freshDevice({ attested: false })
    await lookUp(device.deviceId, PRIMARY)
    expect(await env.CACHE.get(keyOf(device.deviceId))).toBeNull()
    await lookUp(device.deviceId)
    await lookUp(unknown.deviceId)
    const { keys } = await env.CACHE.list({ prefix: keyOf('') })
    const expiration = keys.find(({ name }) => name === keyOf(device.deviceId))?.expiration ?? 0
    expect(Math.abs(expiration - Date.now() / 1000 - 60)).toBeLessThan(5)
    expect(keys.map(({ name }) => name)).not.toContain(keyOf(unknown.deviceId))
    await owner.client.devices.suspend(device.deviceId)
    expect(await env.CACHE.get(keyOf(device.deviceId))).toBeNull()
  })

  it('answers while the identity is unavailable, but not for the primary', async () => {
    const { device } = await freshDevice()
    const unavailable = refusal(503, 'device_index_unavailable')
    expect(await lookUp(device.deviceId, '', { IDENTITIES: down })).toMatchObject(unavailable)
    await lookUp(device.deviceId)
    expect((await lookUp(device.deviceId, '', { IDENTITIES: down })).status).toBe(200)
    expect(await lookUp(device.deviceId, PRIMARY, { IDENTITIES: down })).toMatchObject(unavailable)
  })

  it.each<[string, (record: object) => string]>([
    ['text', () => 'active'],
    ['null', () => 'null'],
    ['another shape', () => '{"status":"active"}'],
    ['a member too many', (record) => JSON.stringify({ ...record, status: 'suspended', verified: true })],
    ['another device', (record) => JSON.stringify({ ...record, status: 'suspended', deviceId: 'A'.repeat(32) })],
    ['a capability that nobody has', (record) => JSON.stringify({ ...record, capabilities: ['admin'] })],
  ])('is passed over when it holds %s', async (_, nonsense) => {
    const { device } = await freshDevice()
    const { body: record } = await lookUp(device.deviceId, PRIMARY)
    await env.CACHE.put(keyOf(device.deviceId), nonsense(record))
    expect(await lookUp(device.deviceId)).toEqual({ status: 200, body: record })
  })

  it('can be unavailable for lookups and revocations', async () => {
    const owner = await freshCaller({ fetch: sendWith({ CACHE: brokenCache }) })
    const { device } = await deviceOf(owner, { fetch: send, capabilities: ['chain:read'] })
    for (const query of ['', PRIMARY]) {
      const found = await lookUp(device.deviceId, query, { CACHE: brokenCache })
      expect(found).toMatchObject({ status: 200, body: { status: 'active' } })
    }
    await owner.client.devices.revoke(device.deviceId)
    const after = await lookUp(device.deviceId, '', { CACHE: brokenCache })
    expect(after).toMatchObject({ status: 200, body: { status: 'revoked' } })
  })

  it('is invalidated by a deactivation or a rotation', async () => {
    const [ended, handed] = [await freshDevice(), await freshDevice()]
    for (const { device } of [ended, handed]) await lookUp(device.deviceId)
    await ended.owner.client.security.deactivate()
    await rotated(handed.owner)
    for (const query of ['', PRIMARY]) {
      expect(await lookUp(ended.device.deviceId, query)).toMatchObject(refusal(409, 'did_deactivated'))
      expect(await lookUp(handed.device.deviceId, query)).toMatchObject(refusal(403, 'attestation_unverifiable'))
    }
  })
})
