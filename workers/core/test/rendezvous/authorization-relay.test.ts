import { env } from 'cloudflare:workers'
import { inceptionHeadAfter } from '@svc/protocol/devices/inception'
import type { DeviceGrant } from '@svc/protocol/devices/rendezvous'
import { forgedAssertion } from '@svc/service/testing'
import { REALM, REALMS } from '@svc/testing'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { CORE, freshCaller, sendWith } from '../harness.ts'
import { rotated } from '../rotation/rotation.fixture.ts'
import {
  AUTHORIZATION,
  ask,
  clientOf,
  dataOf,
  freshDevice,
  freshParty,
  Meeting,
  type Party,
  SEALED,
  WRONG_TOKEN,
} from './meeting.fixture.ts'

const KEY = new Uint8Array(32).fill(9)
const UNVERIFIABLE = { status: 403, error: 'attestation_unverifiable' }

/** Identities that spend assertions and cannot look up devices. */
const withoutDevices = {
  getByName: (name: string) =>
    new Proxy(env.IDENTITIES.getByName(name), {
      get: (stub, method) =>
        method === 'device' ? () => Promise.reject(new Error('overloaded')) : Reflect.get(stub, method),
    }),
}

afterEach(() => {
  vi.useRealTimers()
})

describe('the relay', () => {
  it('takes a device in: its request, the code that both compare, its grant, its first assertion', async () => {
    const { client, identity } = await freshCaller()
    const device = await freshDevice()
    const outside = clientOf()

    const { invitation } = await client.authorization.offer()
    const { confirmationCode } = await outside.authorization.join(invitation, device)
    const { request } = await client.authorization.read(invitation)
    if (!request) throw new Error('nobody has joined')
    expect(await client.authorization.confirmationCodeOf(invitation, request)).toBe(confirmationCode)
    const attestation = await client.devices.attest(request.acceptance)
    await client.authorization.grant(invitation, attestation, KEY)
    const welcome = await outside.authorization.take(invitation, device)
    expect(welcome).toMatchObject({ attestation, payload: KEY })

    const member = clientOf(welcome.device)
    expect(await member.chain.head()).toMatchObject({ index: '0', did: identity.did })
    await client.devices.revoke(device.deviceId)
    await expect(member.chain.head()).rejects.toMatchObject({ status: 401 })
    await expect(outside.authorization.take(invitation, device)).rejects.toMatchObject({
      status: 404,
      error: 'not_found',
    })
  })
})

describe('while device keys are off', () => {
  const off = sendWith({ DEVICE_KEYS: 'off' })
  const DISABLED = { status: 403, error: 'device_keys_disabled' }
  let party: Party
  beforeAll(async () => {
    party = await freshParty()
  })

  it('every route is rejected, whatever the state of the offer', async () => {
    const open = await Meeting.open(AUTHORIZATION, party)
    const joined = await Meeting.at('joined', AUTHORIZATION, party)
    const delivered = await Meeting.at('delivered', AUTHORIZATION, party)
    const { owner } = party
    expect(await ask(AUTHORIZATION, 'POST', '/api/authorize/offer', { by: owner }, off)).toMatchObject(DISABLED)
    const reading = `/api/authorize/offer/${joined.offer.code}`
    expect(await ask(AUTHORIZATION, 'GET', reading, { by: owner }, off)).toMatchObject(DISABLED)
    expect(await open.join({}, off)).toMatchObject(DISABLED)
    expect(await joined.deliver({}, off)).toMatchObject(DISABLED)
    expect(await delivered.take(delivered.offer.token, off)).toMatchObject(DISABLED)
    expect(await open.cancel({ by: owner }, off)).toMatchObject(DISABLED)
    expect(await open.decline(open.offer.token, off)).toMatchObject(DISABLED)
    for (const [meeting, status] of [
      [open, 'open'],
      [joined, 'joined'],
      [delivered, 'delivered'],
    ] as const) {
      expect(dataOf(await meeting.read())).toMatchObject({ status })
    }
  })

  it('every route says so before it looks at credential, path and body, and spends nothing', async () => {
    const { owner } = party
    const { offer } = await Meeting.open(AUTHORIZATION, party)
    const good = await owner.assertion('chain')
    const routes = [
      ['POST', '/api/authorize/offer'],
      ['GET', `/api/authorize/offer/${offer.code}`],
      ['GET', '/api/authorize/offer/x'],
      ['DELETE', `/api/authorize/offer/${offer.code}`],
      ['POST', `/api/authorize/offer/${offer.code}/join`],
      ['POST', '/api/authorize/grant'],
      ['GET', `/api/authorize/grant/${offer.code}`],
    ] as const
    for (const [method, path] of routes) {
      const body = method === 'POST' ? { no: 'such member' } : undefined
      const presented = [
        {},
        { token: 'x' },
        ...[forgedAssertion('chain'), 'Bearer x', good].map((authorization) => ({ headers: { authorization } })),
      ]
      for (const credentials of presented) {
        expect(
          await ask(AUTHORIZATION, method, path, { body, ...credentials }, off),
          `${method} ${path}`,
        ).toMatchObject(DISABLED)
      }
    }
    const head = await ask(AUTHORIZATION, 'HEAD', `/api/authorize/grant/${offer.code}`, {}, off)
    expect(head.status).toBe(403)
    const headers = { authorization: good }
    const reading = `/api/authorize/offer/${offer.code}`
    expect((await ask(AUTHORIZATION, 'GET', reading, { headers })).status).toBe(200)
  })

  it('a wrong token is not checked', async () => {
    const meeting = await Meeting.open(AUTHORIZATION, party)
    for (let i = 0; i < 6; i += 1) expect(await meeting.take(WRONG_TOKEN, off)).toMatchObject(DISABLED)
    expect((await meeting.join()).status).toBe(200)
  })

  it('a device’s assertion is rejected with that error', async () => {
    const member = await party.device.attested(
      party.attestation,
      await party.owner.client.keyHistory.of(party.owner.identity.did),
      REALMS,
    )
    const path = '/api/authorize/offer'
    const request = { audience: 'chain', method: 'POST', url: CORE + path, now: Date.now() }
    const headers = { authorization: await member.assertion(request) }
    expect(await ask(AUTHORIZATION, 'POST', path, { headers }, off)).toMatchObject(DISABLED)
  })
})

describe('a grant', () => {
  let party: Party
  beforeAll(async () => {
    party = await freshParty()
  })
  /** A fresh owner whose device has joined, for tests that change the device. */
  async function joined() {
    const own = await freshParty()
    return { ...own, meeting: await Meeting.at('joined', AUTHORIZATION, own) }
  }

  it('is taken before anybody has joined from nobody', async () => {
    const meeting = await Meeting.open(AUTHORIZATION, party)
    expect(await meeting.deliver()).toMatchObject({ status: 409, error: 'offer_state' })
  })

  it.each<[string, (good: DeviceGrant) => object]>([
    ['itself', (good) => ({ ...good, sessionToken: 'x' })],
    ['its attestation', ({ attestation, ...good }) => ({ ...good, attestation: { ...attestation, session: 'x' } })],
    [
      'what was attested',
      ({ attestation, ...good }) => ({
        ...good,
        attestation: { ...attestation, statement: { ...attestation.statement, assertion: 'x' } },
      }),
    ],
    [
      'the acceptance',
      ({ attestation, ...good }) => ({
        ...good,
        attestation: { ...attestation, acceptance: { ...attestation.acceptance, rootSeed: 'x' } },
      }),
    ],
    ['the wrapped key', ({ wrappedKey, ...good }) => ({ ...good, wrappedKey: { ...wrappedKey, key: 'x' } })],
    ['its place: no wrapped key', ({ attestation }) => ({ attestation })],
  ])('has no room for anything else in %s', async (_, changed) => {
    const meeting = await Meeting.at('joined', AUTHORIZATION, party)
    const body = {
      code: meeting.offer.code,
      grant: changed({ attestation: party.attestation, wrappedKey: SEALED }),
    }
    const refused = await ask(AUTHORIZATION, 'POST', '/api/authorize/grant', { by: party.owner, body })
    expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
    expect(dataOf(await meeting.read())).toMatchObject({ status: 'joined' })
  })

  it('is rejected with the attestation of another device of the owner', async () => {
    const { owner, meeting } = await joined()
    const acceptance = await (await freshDevice()).acceptance(owner.identity.did, { realm: REALM, now: Date.now() })
    const attestation = await owner.client.devices.attest(acceptance)
    expect(await meeting.deliver({ attestation })).toMatchObject(UNVERIFIABLE)
    expect(dataOf(await meeting.read())).toMatchObject({ status: 'joined' })
    expect((await meeting.deliver()).status).toBe(200)
  })

  it('is rejected for a device that was never attested', async () => {
    const { client, identity } = party.owner
    const device = await freshDevice()
    const meeting = await Meeting.open(AUTHORIZATION, { ...party, device })
    await meeting.join()
    const acceptance = await device.acceptance(identity.did, { realm: REALM, now: Date.now() })
    const attestation = await client.devices.makeAttestation(acceptance, await client.devices.head())
    expect(await meeting.deliver({ attestation })).toMatchObject(UNVERIFIABLE)
    expect(await meeting.deliver()).toMatchObject(UNVERIFIABLE)
  })

  it.each(['revoke', 'suspend'] as const)('is refused once the device was told to %s', async (event) => {
    const { owner, device, meeting } = await joined()
    await owner.client.devices.change(device.deviceId, { event })
    expect(await meeting.deliver()).toMatchObject(UNVERIFIABLE)
    if (event === 'revoke') return
    await owner.client.devices.resume(device.deviceId)
    expect((await meeting.deliver()).status).toBe(200)
  })

  it('is rejected with an expired attestation', async () => {
    const owner = await freshCaller()
    const device = await freshDevice()
    const acceptance = await device.acceptance(owner.identity.did, { realm: REALM, now: Date.now() })
    const expiresAt = Date.now() + 60_000
    const attestation = await owner.client.devices.attest(acceptance, { expiresAt })
    const meeting = await Meeting.at('joined', AUTHORIZATION, { owner, device, attestation })
    vi.useFakeTimers({ toFake: ['Date'], now: expiresAt })
    expect(await meeting.deliver()).toMatchObject(UNVERIFIABLE)
    vi.setSystemTime(expiresAt - 1)
    expect((await meeting.deliver()).status).toBe(200)
  })

  it('is rejected with an attestation of the device that is not the one in force', async () => {
    const { owner, device, attestation, meeting } = await joined()
    const { client } = owner
    const acceptance = await device.acceptance(owner.identity.did, { realm: REALM, now: Date.now() })
    const unlogged = await client.devices.makeAttestation(acceptance, await client.devices.head())
    const lesser = await client.devices.makeAttestation(acceptance, await client.devices.head(), { capabilities: [] })
    for (const other of [unlogged, lesser, { ...attestation, acceptance }]) {
      expect(await meeting.deliver({ attestation: other })).toMatchObject(UNVERIFIABLE)
    }
    expect((await meeting.deliver()).status).toBe(200)
  })

  it('is rejected with an attestation that another key signed or that was changed', async () => {
    const meeting = await Meeting.at('joined', AUTHORIZATION, party)
    const { client } = await freshCaller()
    const { attestation } = party
    const acceptance = await party.device.acceptance(meeting.offer.did, { realm: REALM, now: Date.now() })
    const foreign = await client.devices.makeAttestation(acceptance, await client.devices.head())
    for (const other of [
      foreign,
      { ...attestation, signatureB64u: foreign.signatureB64u },
      { ...attestation, statement: { ...attestation.statement, capabilities: [] } },
    ]) {
      expect(await meeting.deliver({ attestation: other })).toMatchObject(UNVERIFIABLE)
    }
    expect(dataOf(await meeting.read())).toMatchObject({ status: 'joined' })
  })

  it('is rejected with the attestation of a device of another identity', async () => {
    const [meeting, stranger] = [await Meeting.at('joined', AUTHORIZATION, party), await freshParty()]
    expect(await meeting.deliver({ attestation: stranger.attestation })).toMatchObject(UNVERIFIABLE)
  })

  it('stays valid after the capabilities of the device were changed', async () => {
    const { owner, device, meeting } = await joined()
    await owner.client.devices.change(device.deviceId, { event: 'capabilities', capabilities: ['chain:read'] })
    expect((await meeting.deliver()).status).toBe(200)
  })

  it('is rejected with an attestation of the previous epoch, and accepted with one of the current', async () => {
    const { owner, device, attestation } = await joined()
    const { next } = await rotated(owner)
    const meeting = await Meeting.at('joined', AUTHORIZATION, { owner: next, device, attestation })
    expect(await meeting.deliver()).toMatchObject(UNVERIFIABLE)
    const inception = inceptionHeadAfter(attestation)
    const anew = await next.client.devices.attest(
      await device.acceptance(meeting.offer.did, { realm: REALM, now: Date.now(), inception }),
    )
    expect(await meeting.deliver()).toMatchObject(UNVERIFIABLE)
    expect((await meeting.deliver({ attestation: anew })).status).toBe(200)
  })

  it('requires the standing of the device: 503 while it cannot be looked up', async () => {
    const meeting = await Meeting.at('joined', AUTHORIZATION, party)
    const unreachable = sendWith({ IDENTITIES: withoutDevices })
    const refused = await meeting.deliver({}, unreachable)
    expect(refused).toMatchObject({ status: 503, error: 'device_index_unavailable' })
    expect(dataOf(await meeting.read())).toMatchObject({ status: 'joined' })
    expect((await meeting.deliver()).status).toBe(200)
  })
})
