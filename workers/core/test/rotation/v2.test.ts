import { rotationRecordSchema } from '@svc/protocol/chain/rotation'
import { callerOf } from '@svc/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { anonymous, call, freshCaller, send, sendWith } from '../harness.ts'
import { approve, at, cosignBy, cosignerOf, DAY_MS, internal, memberOf, opened, submit } from './rotation.fixture.ts'

const activate = '/api/chain/rotation/v2/activate'

afterEach(() => {
  vi.useRealTimers()
})

describe('the window of a version-2 rotation', () => {
  it('is a day, and everybody can count it down', async () => {
    const caller = await freshCaller()
    const { rotation } = await opened(caller, 2)
    expect(rotation.deadline).toBe(rotation.requestedAt + DAY_MS)
    const { body } = await anonymous('GET', `/api/chain/root/${caller.identity.did}`)
    expect(body).toMatchObject({
      data: {
        epoch: 0,
        rotation: { status: 'pending', version: 2, deadline: rotation.deadline, cosignatures: 0, freezes: 0 },
      },
    })
  })

  it('is open until the deadline, and over at it', async () => {
    const caller = await freshCaller()
    const { rotation, next } = await opened(caller, 2)
    const deadline = rotation.deadline ?? 0
    for (const time of [rotation.requestedAt, deadline - 1]) {
      at(time)
      await expect(caller.client.rotation.activate(rotation)).rejects.toMatchObject({
        status: 409,
        error: 'rotation_window_open',
        details: { deadline },
      })
      expect((await caller.client.chain.root(caller.identity.did)).epoch).toBe(0)
    }
    at(deadline)
    expect(await caller.client.rotation.activate(rotation)).toMatchObject({ status: 'active', activatedAt: deadline })
    expect((await next.client.chain.root(caller.identity.did)).epoch).toBe(1)
  })

  it('is not shortened by an operator', async () => {
    const caller = await freshCaller()
    const { rotation } = await opened(caller, 2)
    expect((await approve(caller.identity.did, rotation.rotationId)).status).toBe(404)
    for (const path of [activate, '/api/chain/rotation/activate']) {
      const { status, body } = await call(caller, 'POST', path, { rotationId: rotation.rotationId })
      expect([status, body['error']]).toEqual(path === activate ? [409, 'rotation_window_open'] : [404, 'not_found'])
    }
  })

  it('never expires: a rotation without vetoes can be activated weeks later, idempotently', async () => {
    const caller = await freshCaller()
    const { rotation, next } = await opened(caller, 2)
    at((rotation.deadline ?? 0) + 60 * DAY_MS)
    const active = await caller.client.rotation.activate(rotation)
    at(Date.now() + DAY_MS)
    expect(await next.client.rotation.activate(rotation)).toEqual(active)
  })
})

describe('a request', () => {
  it('repeated, returns the rotation that it opened, in any state', async () => {
    const caller = await freshCaller()
    const { rotation, signed, next } = await opened(caller, 2)
    expect(await submit(signed)).toEqual({ status: 200, body: rotation })
    const cancelled = await caller.client.rotation.cancel(rotation.rotationId)
    expect(await submit(signed)).toEqual({ status: 200, body: cancelled })
    const second = await opened(caller, 2)
    at(second.rotation.deadline ?? 0)
    const active = await caller.client.rotation.activate(second.rotation)
    expect(await submit(second.signed)).toEqual({ status: 200, body: active })
    expect(await submit(signed)).toEqual({ status: 200, body: cancelled })
    expect((await next.client.chain.root(caller.identity.did)).epoch).toBe(1)
  })

  it('is one at a time, of whichever version', async () => {
    const caller = await freshCaller()
    const { rotation } = await opened(caller, 2)
    for (const version of [1, 2] as const) {
      const another = await caller.client.rotation.makeRequest(await caller.identity.successor(), { version })
      expect(await submit(another)).toMatchObject({
        status: 409,
        body: { error: 'rotation_pending', details: { rotationId: rotation.rotationId } },
      })
    }
    await caller.client.rotation.cancel(rotation.rotationId)
    expect((await opened(caller, 1)).rotation.status).toBe('pending')
  })

  it('is kept for the day when the root key is lost: a device sends it, co-signs and activates', async () => {
    const caller = await freshCaller()
    const { did } = caller.identity
    const phone = await memberOf(caller, 'rotation:request', 'rotation:cosign')
    const successor = await caller.identity.successor()
    const kept = await caller.client.rotation.makeRequest(successor, { version: 2 })
    at(Date.now() + 200 * DAY_MS)
    const rotation = rotationRecordSchema.parse((await submit(kept)).body)
    await phone.client.rotation.cosign(rotation)
    at(rotation.deadline ?? 0)
    const active = await phone.client.rotation.activate(rotation)
    expect(active).toMatchObject({ status: 'active', cosignatures: 1, newUserId: successor.userId })
    const next = callerOf(successor, { fetch: send })
    expect((await next.client.chain.root(did)).userId).toBe(successor.userId)
  })

  it('is not activated by a device that was not given it', async () => {
    const caller = await freshCaller()
    const phone = await memberOf(caller, 'account:read')
    const { rotation } = await opened(caller, 2)
    at(rotation.deadline ?? 0)
    await expect(phone.client.rotation.activate(rotation)).rejects.toMatchObject({
      status: 403,
      error: 'capability_required',
    })
    expect((await phone.client.rotation.current()).latest?.status).toBe('pending')
  })

  it('of an identity that has ended, or never was, is not found', async () => {
    const [ended, never] = [await freshCaller(), await freshCaller({ genesis: false })]
    const signed = await ended.client.rotation.makeRequest(await ended.identity.successor(), { version: 2 })
    await ended.client.security.deactivate()
    const unborn = await never.client.rotation.makeRequest(await never.identity.successor(), { version: 2 })
    for (const one of [signed, unborn]) {
      expect(await submit(one)).toMatchObject({ status: 404, body: { error: 'not_found' } })
    }
    const path = `/api/internal/rotation/${never.identity.did}`
    expect(await internal('GET', path)).toMatchObject({ status: 404, body: { error: 'not_found' } })
  })
})

describe('while the gate ROTATION_V2 is closed', () => {
  const gate = { ROTATION_V2: 'off' }
  const closed = sendWith(gate)
  const refused = { status: 403, body: { error: 'rotation_v2_disabled' } }

  it('no version-2 rotation is opened', async () => {
    const caller = await freshCaller()
    const signed = await caller.client.rotation.makeRequest(await caller.identity.successor(), { version: 2 })
    expect(await submit(signed, gate)).toMatchObject(refused)
    expect((await caller.client.rotation.current()).latest).toBeNull()
  })

  it('one that is pending takes no co-signature and is not activated, and can be after it is opened', async () => {
    const caller = await freshCaller()
    const phone = await cosignerOf(caller)
    const { rotation } = await opened(caller, 2)
    const { rotationId } = rotation
    const gated = callerOf(caller.identity, { fetch: closed })
    const cosigned = await cosignBy(phone.device, phone.device.deviceId, caller.identity, rotationId)
    expect(await call(gated, 'POST', '/api/chain/rotation/cosign', cosigned, closed)).toMatchObject(refused)
    await phone.client.rotation.cosign(rotation)
    at(rotation.deadline ?? 0)
    expect(await call(gated, 'POST', activate, { rotationId }, closed)).toMatchObject(refused)
    expect((await caller.client.chain.root(caller.identity.did)).epoch).toBe(0)
    expect((await caller.client.rotation.activate(rotation)).status).toBe('active')
  })

  it('one that is pending can still be vetoed and taken back', async () => {
    const [alice, bob] = [await freshCaller(), await freshCaller()]
    for (const [caller, veto] of [
      [alice, 'freeze'],
      [bob, 'cancel'],
    ] as const) {
      const { rotation } = await opened(caller, 2)
      const { client } = callerOf(caller.identity, { fetch: closed })
      expect((await client.rotation[veto](rotation.rotationId)).status).toBe(veto === 'freeze' ? 'frozen' : 'cancelled')
    }
  })
})
