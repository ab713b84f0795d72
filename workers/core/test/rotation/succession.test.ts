import { type ChainBlock, signBlock } from '@svc/protocol/chain/chain'
import { REALM, REALMS, signerOf } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { call, freshCaller, nextBlock } from '../harness.ts'
import { internal, memberOf, opened, rotated } from './rotation.fixture.ts'

const unauthorized = { status: 401, body: { error: 'unauthorized' } }

describe('after a rotation the old key', () => {
  it('signs no assertion that any route takes', async () => {
    const caller = await freshCaller()
    const block = await nextBlock(caller)
    const { rotation } = await rotated(caller)
    const { rotationId } = rotation
    for (const [method, path, body] of [
      ['GET', '/api/chain/head', undefined],
      ['GET', '/api/chain/blocks', undefined],
      ['GET', '/api/chain/rotation/current', undefined],
      ['GET', '/api/security/hold', undefined],
      ['GET', '/api/sync/status', undefined],
      ['POST', '/api/chain/append', block],
      ['POST', '/api/security/hold', undefined],
      ['POST', '/api/chain/rotation/activate', { rotationId }],
    ] as const) {
      expect(await call(caller, method, path, body), path).toMatchObject(unauthorized)
    }
    await expect(caller.client.devices.head()).rejects.toMatchObject({ status: 401 })
    await expect(caller.client.pairing.offer()).rejects.toMatchObject({ status: 401 })
  })

  it('is 409 to a sibling that asks for its scope, and the new one is the scope’s', async () => {
    const caller = await freshCaller()
    const { did, scope, userId } = caller.identity
    const { successor } = await rotated(caller)
    expect(await internal('GET', `/api/internal/key-scope/${userId}`)).toMatchObject({
      status: 409,
      body: { error: 'key_superseded' },
    })
    expect(await internal('GET', `/api/internal/key-scope/${successor.userId}`)).toEqual({
      status: 200,
      body: { userId: successor.userId, did, scope, epoch: 1, publicKeyB64u: successor.publicKeyB64u },
    })
  })

  it('is superseded also when it came by a rotation itself', async () => {
    const caller = await freshCaller()
    const second = await rotated(caller)
    const third = await rotated(second.next)
    for (const { userId } of [caller.identity, second.successor]) {
      expect(await internal('GET', `/api/internal/key-scope/${userId}`)).toMatchObject({
        status: 409,
        body: { error: 'key_superseded' },
      })
    }
    expect(await call(second.next, 'GET', '/api/chain/head')).toMatchObject(unauthorized)
    expect((await third.next.client.chain.head()).did).toBe(caller.identity.did)
  })

  it('signs no block, not even in the hand of the new one', async () => {
    const caller = await freshCaller()
    const { next } = await rotated(caller)
    const { signature: _, ...template } = await next.client.chain.makeBlock(await next.client.chain.head(), {})
    const ownerPublicKey = caller.identity.publicKeyB64u
    for (const epoch of [0, 1]) {
      const block = await signBlock<ChainBlock>(
        { ...template, ownerPublicKey, epoch } as ChainBlock,
        signerOf(caller.identity),
      )
      expect(await call(next, 'POST', '/api/chain/append', block)).toMatchObject({
        status: 403,
        body: { error: 'owner_mismatch' },
      })
    }
    expect((await next.client.chain.head()).index).toBe('0')
  })

  it('cannot end the identity', async () => {
    const caller = await freshCaller()
    const { next } = await rotated(caller)
    await expect(caller.client.security.deactivate()).rejects.toMatchObject({ status: 401 })
    expect((await next.client.chain.root(caller.identity.did)).deactivated).toBe(false)
    await next.client.security.deactivate()
    expect((await next.client.chain.root(caller.identity.did)).deactivated).toBe(true)
  })

  it('no longer says what others encrypt to', async () => {
    const caller = await freshCaller()
    const { did } = caller.identity
    const authority = async () => (await internal('GET', `/api/internal/authority/${did}`)).body
    const put = (keyAgreement: unknown) =>
      internal('PUT', `/api/internal/registration/${did}`, { body: { keyAgreement } })
    const old = await caller.identity.keyAgreement({ realm: REALM, now: 1_000 })
    expect((await put(old)).status).toBe(200)
    expect((await authority())['keyAgreement']).toEqual(old)
    const { successor } = await rotated(caller)
    expect((await authority())['keyAgreement']).toBeNull()
    expect(await put(await caller.identity.keyAgreement({ realm: REALM, now: 2_000 }))).toMatchObject({
      status: 403,
      body: { error: 'invalid_signature' },
    })
    expect(await put(await successor.keyAgreement({ realm: REALM, now: 1_000 }))).toMatchObject({
      status: 409,
      body: { error: 'key_agreement_stale' },
    })
    const restated = await successor.keyAgreement({ realm: REALM, now: 3_000 })
    expect((await put(restated)).status).toBe(200)
    expect((await authority())['keyAgreement']).toEqual(restated)
  })

  it('stays as history in the authority, with when it ended', async () => {
    const caller = await freshCaller()
    const { did, userId, publicKeyB64u } = caller.identity
    const second = await rotated(caller)
    const third = await rotated(second.next)
    const active = [second, third].map(({ rotation: { rotationId } }) => rotationId)
    const { latest } = await third.next.client.rotation.current()
    const { body } = await internal('GET', `/api/internal/authority/${did}`)
    expect(body).toMatchObject({ did, epoch: 2, publicKeyB64u: third.successor.publicKeyB64u })
    const previous = body['previousKeys'] as { epoch: number; activatedAt: number; supersededAt: number }[]
    expect(previous).toMatchObject([
      { epoch: 1, userId: second.successor.userId, supersededAt: latest?.activatedAt },
      { epoch: 0, userId, publicKeyB64u },
    ])
    expect(previous[1]?.supersededAt).toBe(previous[0]?.activatedAt)
    expect(latest?.rotationId).toBe(active[1])
  })
})

describe('after a rotation the new key', () => {
  it('goes on with the same chain, which verifies across epochs', async () => {
    const caller = await freshCaller()
    const { did } = caller.identity
    await caller.client.chain.append({ payload: new Uint8Array(3) })
    const { next } = await rotated(caller)
    expect(await next.client.chain.head()).toMatchObject({ did, index: '1' })
    const { block } = await next.client.chain.append({})
    expect(block).toMatchObject({ index: '2', epoch: 1, scope: caller.identity.scope })
    expect((await next.client.chain.payload('1')).bytes).toHaveLength(3)
    const third = await rotated(next)
    const { hash } = await third.next.client.chain.append({})
    expect(await third.next.client.chain.verify()).toEqual({ index: '3', hash })
    const { blocks } = await third.next.client.chain.page()
    expect(blocks.map(({ ownerPublicKey }) => ownerPublicKey)).toEqual([
      caller.identity.publicKeyB64u,
      caller.identity.publicKeyB64u,
      next.identity.publicKeyB64u,
      third.successor.publicKeyB64u,
    ])
  })

  it.each([0, 2])('signs no block of epoch %i', async (epoch) => {
    const { next } = await rotated(await freshCaller())
    expect(await call(next, 'POST', '/api/chain/append', await nextBlock(next, { epoch }))).toMatchObject({
      status: 409,
      body: { error: 'stale_epoch' },
    })
    expect((await next.client.chain.head()).index).toBe('0')
  })

  it('is nobody before it is active', async () => {
    const caller = await freshCaller()
    const { next, successor } = await opened(caller, 2)
    expect(await call(next, 'GET', '/api/chain/head')).toMatchObject(unauthorized)
    expect(await internal('GET', `/api/internal/key-scope/${successor.userId}`)).toMatchObject({ status: 404 })
  })

  it('finds the devices of the old one stale, and attests them anew', async () => {
    const caller = await freshCaller()
    const { did } = caller.identity
    const phone = await memberOf(caller, 'chain:read')
    const { deviceId } = phone.device
    expect((await phone.client.chain.head()).index).toBe('0')
    expect((await internal('GET', `/api/internal/device/${deviceId}`)).status).toBe(200)
    const { next } = await rotated(caller)
    await expect(phone.client.chain.head()).rejects.toMatchObject({ status: 401, error: 'unauthorized' })
    for (const query of ['', '?consistency=primary']) {
      expect(await internal('GET', `/api/internal/device/${deviceId}${query}`)).toMatchObject({
        status: 403,
        body: { error: 'attestation_unverifiable' },
      })
    }
    const attestation = await next.client.devices.attest(
      await phone.device.acceptance(did, { realm: REALM, now: Date.now() }),
    )
    const member = await phone.device.attested(attestation, await next.client.keyHistory.of(did), REALMS)
    expect(member.epoch).toBe(1)
    expect(await internal('GET', `/api/internal/device/${deviceId}`)).toMatchObject({
      status: 200,
      body: { rootEpoch: 1, currentEpoch: 1 },
    })
    expect((await next.client.devices.verify()).devices).toMatchObject([{ deviceId, rootEpoch: 1, status: 'active' }])
  })
})

describe('a security hold', () => {
  it('stops the chain and no step of a rotation', async () => {
    const caller = await freshCaller()
    const phone = await memberOf(caller)
    await phone.client.security.placeHold()
    const first = await opened(caller, 2)
    expect((await phone.client.rotation.freeze(first.rotation.rotationId)).status).toBe('frozen')
    const second = await opened(caller, 2)
    expect((await caller.client.rotation.cancel(second.rotation.rotationId)).status).toBe('cancelled')
    await caller.client.rotation.rehearse(await caller.identity.successor(), { version: 2 })
    const { next } = await rotated(caller)
    expect(await next.client.security.hold()).toMatchObject({ held: true })
    await expect(next.client.chain.append({})).rejects.toMatchObject({ status: 409, error: 'security_hold' })
    expect(await next.client.security.liftHold()).toEqual({ held: false, placedAt: null })
    expect((await next.client.chain.append({})).index).toBe('1')
  })
})
