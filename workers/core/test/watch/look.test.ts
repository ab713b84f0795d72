import { WATCH_HEADER } from '@svc/protocol/chain/watch'
import { deviceOf, type TestCaller } from '@svc/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { CORE, freshCaller, send } from '../harness.ts'
import { at, cosignerOf, DAY_MS, opened } from '../rotation/rotation.fixture.ts'
import { act, look, lookWith, register, seen } from './watch.fixture.ts'

const NOW = Date.UTC(2027, 3, 1)
const HOUR_MS = 3_600_000

afterEach(() => {
  vi.useRealTimers()
})

async function attested(alice: TestCaller, capabilities: readonly ['rotation:cosign'] | [] = ['rotation:cosign']) {
  const { device } = await deviceOf(alice, { fetch: send, capabilities })
  return device
}

describe('a watch token shows', () => {
  it('no devices if there are none', async () => {
    at(NOW)
    const { identity } = await freshCaller()
    const token = await register(identity)
    const answer = await lookWith(identity.did, token)
    expect(answer['devices']).toEqual({ active: 0, standing: 0, newest: null })
    expect(answer['changes']).toEqual([])
    const { devices: _, changes: __, ...rest } = answer
    expect(rest).toEqual(await look(identity.did))
  })

  it('a new device at once, with the time at which it gains standing', async () => {
    at(NOW)
    const alice = await freshCaller()
    const { did } = alice.identity
    const token = await register(alice.identity)
    const { deviceId } = await attested(alice)
    const { hash } = await alice.client.devices.head()
    const shown = await lookWith(did, token)
    expect(shown['devices']).toEqual({ active: 1, standing: 0, newest: { hash, time: NOW } })
    expect(shown['changes']).toEqual([
      { kind: 'device_added', deviceId, cosigns: true, at: NOW, countsAt: NOW + DAY_MS, countsUntil: null },
    ])
    at(NOW + DAY_MS)
    const later = await lookWith(did, token)
    expect(later['devices']).toMatchObject({ active: 1, standing: 1 })
    expect(later['changes']).toEqual([])
  })

  it('a revocation and a lost right to co-sign for one window, with the time at which their standing ends', async () => {
    at(NOW)
    const alice = await freshCaller()
    const { did } = alice.identity
    const token = await register(alice.identity)
    const [phone, laptop] = [await attested(alice), await attested(alice)]
    const lostAt = NOW + 3 * DAY_MS
    at(lostAt)
    await alice.client.devices.revoke(phone.deviceId)
    await alice.client.devices.change(laptop.deviceId, { event: 'capabilities', capabilities: [] })
    const lost = { at: lostAt, countsAt: null, countsUntil: lostAt + 30 * DAY_MS }
    const expected = [
      { kind: 'device_lost', deviceId: phone.deviceId, cosigns: true, ...lost },
      { kind: 'cosign_lost', deviceId: laptop.deviceId, cosigns: false, ...lost },
    ]
    at(lostAt + DAY_MS - 1)
    const shown = await lookWith(did, token)
    expect(shown['devices']).toMatchObject({ active: 1, standing: 2 })
    expect(shown['changes']).toHaveLength(2)
    expect(shown['changes']).toEqual(expect.arrayContaining(expected))
    at(lostAt + DAY_MS)
    expect(await lookWith(did, token)).toMatchObject({ changes: [], devices: { active: 1, standing: 2 } })
    at(lostAt + 30 * DAY_MS)
    expect(await lookWith(did, token)).toMatchObject({ devices: { active: 1, standing: 1 } })
  })

  it('a pending rotation as well', async () => {
    const alice = await freshCaller()
    const token = await register(alice.identity)
    const { rotation } = await opened(alice, 2)
    const shown = await lookWith(alice.identity.did, token)
    expect(shown['rotation']).toMatchObject({ rotationId: rotation.rotationId, status: 'pending' })
  })
})

describe('without a token', () => {
  const asserted = async (signer: Pick<TestCaller['identity'], 'assertion'>, did: string) => {
    const request = { audience: 'chain', method: 'GET', url: `${CORE}/api/chain/root/${did}`, now: Date.now() }
    return { authorization: await signer.assertion(request) }
  }

  it('the same to the root key and to every active device, with any capabilities', async () => {
    const alice = await freshCaller()
    const { did } = alice.identity
    const phone = await attested(alice, [])
    for (const signer of [alice.identity, phone]) {
      const shown = await look(did, await asserted(signer, did))
      expect(shown).toMatchObject({ devices: { active: 1, standing: 0 }, changes: [{ kind: 'device_added' }] })
    }
  })

  it('the devices to a revoked device, which sees only public data without its token', async () => {
    const alice = await freshCaller()
    const { did } = alice.identity
    const phone = await cosignerOf(alice)
    const token = await register(phone.device)
    await alice.client.devices.revoke(phone.device.deviceId)
    expect(await look(did, await asserted(phone.device, did))).toEqual(await look(did))
    expect(await lookWith(did, token)).toMatchObject({
      devices: { active: 0, standing: 1 },
      changes: [{ kind: 'device_lost', deviceId: phone.device.deviceId }],
    })
  })

  it('no devices for an assertion that was used before', async () => {
    const { identity } = await freshCaller()
    const headers = await asserted(identity, identity.did)
    expect(await look(identity.did, headers)).toHaveProperty('devices')
    expect(await look(identity.did, headers)).not.toHaveProperty('devices')
  })
})

describe('responses to the owner', () => {
  it.each([
    ['GET', '/api/chain/head'],
    ['GET', '/api/sync/status'],
    ['GET', '/api/security/hold'],
  ])('%s %s report changes of standing for one window', async (method, path) => {
    at(NOW)
    const alice = await freshCaller()
    expect((await act(alice.identity, method, path)).data).not.toHaveProperty('changes')
    const { deviceId } = await attested(alice)
    const { data } = await act(alice.identity, method, path)
    expect(data['changes']).toEqual([
      { kind: 'device_added', deviceId, cosigns: true, at: NOW, countsAt: NOW + DAY_MS, countsUntil: null },
    ])
    at(NOW + DAY_MS + HOUR_MS)
    expect((await act(alice.identity, method, path)).data).not.toHaveProperty('changes')
  })
})

describe('caches and browsers', () => {
  it('store no response, and distinguish callers by their credentials', async () => {
    const { identity } = await freshCaller()
    const token = await register(identity)
    for (const headers of [{}, { [WATCH_HEADER]: token }]) {
      const answer = await seen(identity.did, headers)
      expect(answer.headers).toMatchObject({ 'cache-control': 'no-store' })
      expect(answer.headers['vary']).toBe('Authorization, X-Watch-Token, Origin')
    }
  })

  it('may send the header from a page', async () => {
    const preflight = await send(
      new Request(`${CORE}/api/chain/root/did:svc:${'A'.repeat(32)}`, {
        method: 'OPTIONS',
        headers: {
          origin: 'http://localhost:3000',
          'access-control-request-method': 'GET',
          'access-control-request-headers': 'x-watch-token',
        },
      }),
    )
    expect(preflight.headers.get('access-control-allow-headers')).toContain('X-Watch-Token')
  })
})
