/** The thefts that the page on rotation lists, played over HTTP. A thief and an owner hold copies of the same root key. */
import { deviceIdOf } from '@svc/protocol/base/device'
import { CONTEST_MS, STANDING_MS } from '@svc/protocol/chain/rotation'
import { deviceOf, REALM } from '@svc/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { call, freshCaller, send } from '../harness.ts'
import { organizationOf } from '../inception/organization.fixture.ts'
import {
  at,
  cosignBy,
  cosignerOf,
  DAY_MS,
  freezeBy,
  memberOf,
  newestOf,
  opened,
  requestBy,
  submit,
} from './rotation.fixture.ts'
import { COSIGN, FREEZE, freezes, owner, recovers, WINDOW_MS } from './theft.fixture.ts'

afterEach(() => {
  vi.useRealTimers()
})

describe('a thief with the root key', () => {
  it('does not wear out the freezes of a device', async () => {
    const { alice, bob, phone } = await owner()
    for (let i = 0; i < 10; i++) {
      const { rotation } = await opened(alice, 2)
      expect(await freezes(phone, alice, rotation.rotationId, bob)).toMatchObject({
        status: 200,
        body: { data: { status: 'frozen' } },
      })
    }
  })

  it('does not end the veto of a device by revoking it first', async () => {
    const { alice, bob, phone } = await owner('account:read')
    await alice.client.devices.revoke(phone.device.deviceId)
    const { rotation } = await opened(alice, 2)
    at(rotation.deadline ?? 0)
    expect((await freezes(phone, alice, rotation.rotationId, bob)).status).toBe(200)
    at(Date.now() + STANDING_MS - WINDOW_MS - 1)
    const second = await opened(alice, 2)
    expect((await freezes(phone, alice, second.rotation.rotationId, bob)).status).toBe(200)
  })

  it('wins 30 days after the revocation if the owner can only veto', async () => {
    const { alice, bob, phone } = await owner('account:read')
    await alice.client.devices.revoke(phone.device.deviceId)
    at(Date.now() + STANDING_MS)
    const { rotation } = await opened(alice, 2)
    expect(await freezes(phone, alice, rotation.rotationId, bob)).toMatchObject({
      status: 403,
      body: { error: 'not_eligible' },
    })
    at(rotation.deadline ?? 0)
    expect((await alice.client.rotation.activate(rotation)).status).toBe('active')
  })

  it('only delays a recovery: the kept request and a revoked device that could co-sign', async () => {
    const { alice, bob, phone, kept } = await owner()
    // The thief uses up the kept request, revokes the phone, and has a request of their own pending.
    expect((await submit(kept)).status).toBe(200)
    await alice.client.rotation.cancel((await newestOf(alice)).rotationId)
    await alice.client.devices.revoke(phone.device.deviceId)
    const theirs = await opened(alice, 2)

    const begun = Date.now()
    const recovery = await recovers(phone, alice, kept, bob)
    expect(recovery).toMatchObject({ status: 200, body: { data: { status: 'pending', cosignatures: 1 } } })
    const { rotationId } = await newestOf(alice)
    expect(rotationId).not.toBe(theirs.rotation.rotationId)

    expect(await alice.client.rotation.cancel(rotationId)).toMatchObject({
      status: 'pending',
      contestedAt: begun,
      deadline: begun + CONTEST_MS,
    })
    await expect(alice.client.rotation.freeze(rotationId)).rejects.toMatchObject({
      status: 409,
      error: 'rotation_cosigned',
    })
    const another = await requestBy(alice.identity, await alice.identity.successor())
    expect(await submit(another)).toMatchObject({ status: 409, body: { error: 'rotation_pending' } })

    at(begun + CONTEST_MS - 1)
    const early = bob.client.rotation.activateFor(alice.identity.did, { rotationId, version: 2 })
    await expect(early).rejects.toMatchObject({ error: 'rotation_window_open' })
    at(begun + CONTEST_MS)
    const active = await bob.client.rotation.activateFor(alice.identity.did, { rotationId, version: 2 })
    expect(active.status).toBe('active')
  })

  it('cannot recover with a device that had expired', async () => {
    const { alice, bob, kept } = await owner()
    const expiresAt = Date.now() + 2 * DAY_MS
    const old = await deviceOf(alice, { fetch: send, capabilities: ['rotation:cosign'], expiresAt })
    at(expiresAt + STANDING_MS)
    expect(await recovers(old, alice, kept, bob)).toMatchObject({ status: 403, body: { error: 'not_eligible' } })
    const acceptance = await old.device.acceptance(alice.identity.did, { realm: REALM, now: Date.now() })
    await alice.client.devices.attest(acceptance, { capabilities: ['rotation:cosign'] })
    expect(await recovers(old, alice, kept, bob)).toMatchObject({ status: 403, body: { error: 'not_eligible' } })
  })

  it('cannot stop a recovery with a device that they attested after the theft', async () => {
    const { alice, bob, phone, kept } = await owner()
    const theirs = await memberOf(alice, 'rotation:cosign')
    expect((await recovers(phone, alice, kept, bob)).status).toBe(200)
    const { rotationId } = await newestOf(alice)
    expect(await freezes(theirs, alice, rotationId, bob)).toMatchObject({
      status: 403,
      body: { error: 'not_eligible' },
    })
  })
})

describe('a recovery', () => {
  it('takes effect after one window if nobody contests it, by anyone', async () => {
    const { alice, bob, phone, kept } = await owner()
    const begun = Date.now()
    await recovers(phone, alice, kept, bob)
    const rotation = await newestOf(alice)
    expect(rotation.deadline).toBe(begun + WINDOW_MS)
    at(begun + WINDOW_MS)
    await expect(alice.client.rotation.cancel(rotation.rotationId)).rejects.toMatchObject({
      error: 'rotation_cosigned',
    })
    expect((await bob.client.rotation.activateFor(alice.identity.did, rotation)).status).toBe('active')
  })

  it('is stopped by another device that had standing, for good', async () => {
    const { alice, bob, phone, kept } = await owner()
    const other = await cosignerOf(alice, phone)
    await recovers(phone, alice, kept, bob)
    const { rotationId } = await newestOf(alice)
    expect((await freezes(other, alice, rotationId, bob)).status).toBe(200)
    expect(await recovers(phone, alice, kept, bob)).toMatchObject({
      status: 200,
      body: { data: { status: 'frozen', cosignatures: 1 } },
    })
  })

  it('is idempotent, and never takes the place of another that is co-signed', async () => {
    const { alice, bob, phone, kept } = await owner()
    const first = await recovers(phone, alice, kept, bob)
    const second = await recovers(phone, alice, kept, bob)
    expect(second.body).toMatchObject({ data: { cosignatures: 1, requestedAt: (await newestOf(alice)).requestedAt } })
    expect(first.status).toBe(200)
    const another = await requestBy(alice.identity, await alice.identity.successor())
    expect(await recovers(phone, alice, another, bob)).toMatchObject({
      status: 409,
      body: { error: 'rotation_pending' },
    })
  })

  it('does not open version 1, which could then neither be stopped nor activated', async () => {
    const { alice, bob, phone } = await owner()
    const request = await requestBy(alice.identity, await alice.identity.successor(), { statement: { version: 1 } })
    expect(await recovers(phone, alice, request, bob)).toMatchObject({ status: 403, body: { error: 'not_eligible' } })
    expect((await alice.client.rotation.current()).latest).toBeNull()
  })

  it('does not open with a request that somebody changed, or of another identity', async () => {
    const { alice, bob, phone, kept } = await owner()
    const forged = { ...kept, signatureB64u: kept.newKeySignatureB64u }
    expect(await recovers(phone, alice, forged, bob)).toMatchObject({
      status: 403,
      body: { error: 'invalid_signature' },
    })
    const theirs = await requestBy(bob.identity, await bob.identity.successor())
    expect(await recovers(phone, alice, theirs, bob)).toMatchObject({ status: 403, body: { error: 'owner_mismatch' } })
    expect((await alice.client.rotation.current()).latest).toBeNull()
  })
})

describe('an officer of an organization', () => {
  it('has no say in its root key', async () => {
    const { org, officers } = await organizationOf(1, 1)
    const { rotation } = await opened(org, 2)
    const { identity } = officers[0]!
    const asRoot = await freezeBy(identity, 'root', org.identity, rotation.rotationId)
    expect(await call(officers[0]!, 'POST', FREEZE, asRoot)).toMatchObject({
      status: 403,
      body: { error: 'invalid_signature' },
    })
    const ownId = deviceIdOf(identity.publicKeyB64u)
    const asDevice = await freezeBy(identity, ownId, org.identity, rotation.rotationId)
    const cosigned = await cosignBy(identity, ownId, org.identity, rotation.rotationId)
    for (const [path, statement] of [[FREEZE, asDevice] as const, [COSIGN, cosigned] as const]) {
      const answer = await call(officers[0]!, 'POST', path, statement)
      expect(answer).toMatchObject({ status: 403, body: { error: 'not_eligible' } })
    }
    expect(await newestOf(org)).toMatchObject({ status: 'pending', freezes: 0, cosignatures: 0 })
  })
})

describe('activation for another identity', () => {
  it('is refused for what is neither co-signed nor approved', async () => {
    const [alice, bob] = [await freshCaller(), await freshCaller()]
    const { rotation } = await opened(alice, 2)
    at(rotation.deadline ?? 0)
    const attempt = bob.client.rotation.activateFor(alice.identity.did, rotation)
    await expect(attempt).rejects.toMatchObject({ status: 403, error: 'owner_mismatch' })
    expect((await newestOf(alice)).status).toBe('pending')
  })
})
