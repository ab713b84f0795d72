import { evictDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { CORE, call, freshCaller, sendWith } from '../harness.ts'
import { approvalOf, cosignBy, cosignerOf, freezeBy, interposed, opened, submit } from './rotation.fixture.ts'

const ACTIVATE = '/api/chain/rotation/v2/activate'
const dies = () => {
  throw new Error('the Worker dies here')
}
const UNAVAILABLE = { status: 503, body: { success: false, error: 'dependency_unavailable' } }

afterEach(() => {
  vi.useRealTimers()
})

describe('a step before the activation that dies', () => {
  it.each([
    ['before', 'read'],
    ['before', 'standingOf'],
    ['before', 'requestRotation'],
    ['after', 'requestRotation'],
  ] as const)('a request %s %s is made again and opened once', async (where, step) => {
    const caller = await freshCaller()
    const signed = await caller.client.rotation.makeRequest(await caller.identity.successor(), { version: 2 })
    expect((await submit(signed, interposed({ [where]: { [step]: dies } }))).status).toBe(503)
    const isOpen = (await caller.client.rotation.current()).latest !== null
    expect(isOpen).toBe(where === 'after')
    await evictDurableObject(env.IDENTITIES.getByName(caller.identity.did))
    const { status, body } = await submit(signed)
    expect(status).toBe(200)
    expect((await caller.client.rotation.current()).latest).toEqual(body)
  })

  it.each([
    ['freeze', 'before', 'prepareVeto'],
    ['freeze', 'before', 'veto'],
    ['freeze', 'after', 'veto'],
    ['cosign', 'before', 'cosign'],
    ['cosign', 'after', 'cosign'],
  ] as const)('a %s %s %s is made again and recorded once', async (kind, where, step) => {
    const caller = await freshCaller()
    const { device } = await cosignerOf(caller)
    const { rotationId } = (await opened(caller, 2)).rotation
    const sign = kind === 'freeze' ? freezeBy : cosignBy
    const signed = await sign(device, device.deviceId, caller.identity, rotationId)
    const path = `/api/chain/rotation/${kind}`
    const dying = sendWith(interposed({ [where]: { [step]: dies } }))
    expect(await call(caller, 'POST', path, signed, dying)).toMatchObject(UNAVAILABLE)
    await evictDurableObject(env.IDENTITIES.getByName(caller.identity.did))
    const { latest } = await caller.client.rotation.current()
    expect(latest?.[kind === 'freeze' ? 'freezes' : 'cosignatures']).toBe(where === 'after' ? 1 : 0)
    const again = await call(caller, 'POST', path, signed)
    expect(again).toMatchObject({
      status: 200,
      body: { data: kind === 'freeze' ? { vetoes: [signed] } : { cosigned: [signed] } },
    })
  })

  it.each(['before', 'after'])(
    'an approval that dies %s the rotation is approved is repeated and stands once',
    async (where) => {
      const caller = await freshCaller()
      const { rotationId } = (await opened(caller, 1)).rotation
      const act = await approvalOf(caller.identity.did, rotationId)
      const request = () =>
        new Request(`${CORE}/api/operator/acts`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'cf-connecting-ip': caller.address },
          body: JSON.stringify(act),
        })
      const dying = sendWith(interposed({ [where]: { approveRotation: dies } }))
      expect((await dying(request())).status).toBe(503)
      expect((await sendWith({})(request())).status).toBe(200)
      expect((await sendWith({})(request())).status).toBe(409)
      const { latest } = await caller.client.rotation.current()
      expect(latest?.approval?.nonce).toBe(act.statement.nonce)
      expect((await caller.client.rotation.activate({ rotationId, version: 1 })).status).toBe('active')
    },
  )

  it('an operator’s act that cannot be recorded approves nothing', async () => {
    const caller = await freshCaller()
    const { rotationId } = (await opened(caller, 1)).rotation
    const act = await approvalOf(caller.identity.did, rotationId)
    const broken = { prepare: () => ({ bind: () => ({}) }), batch: () => Promise.reject(new Error('D1 is down')) }
    const response = await sendWith({ CONTROL_DB: broken })(
      new Request(`${CORE}/api/operator/acts`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'cf-connecting-ip': caller.address },
        body: JSON.stringify(act),
      }),
    )
    expect(response.status).toBe(503)
    expect((await caller.client.rotation.current()).latest?.approval).toBeNull()
  })
})

describe('when the identity cannot be reached', () => {
  it('every rotation route refuses, and none lets through', async () => {
    const caller = await freshCaller()
    const { rotation, signed } = await opened(caller, 2)
    const { rotationId } = rotation
    const unreachable = { getByName: () => new Proxy({}, { get: () => () => Promise.reject(new Error('gone')) }) }
    const down = sendWith({ IDENTITIES: unreachable })
    const freeze = await freezeBy(caller.identity, 'root', caller.identity, rotationId)
    for (const [path, body] of [
      [ACTIVATE, { rotationId }],
      ['/api/chain/rotation/activate', { rotationId }],
      ['/api/chain/rotation/freeze', freeze],
    ] as const) {
      expect(await call(caller, 'POST', path, body, down), path).toMatchObject(UNAVAILABLE)
    }
    const history = `/api/chain/root/${caller.identity.did}/history`
    for (const path of ['/api/chain/rotation/current', history]) {
      expect(await call(caller, 'GET', path, undefined, down), path).toMatchObject(UNAVAILABLE)
    }
    expect((await submit(signed, { IDENTITIES: unreachable })).status).toBe(503)
    expect((await caller.client.rotation.current()).latest).toEqual(rotation)
  })
})
