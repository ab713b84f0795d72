import type { JoinRequest } from '@svc/protocol/devices/rendezvous'
import { describe, expect, it } from 'vitest'
import { NOW, OFFER } from '../../test/fake-relay.ts'
import { REALM } from '../../test/realm.ts'
import {
  alice,
  deliver,
  FLOW_NAMES,
  HEAD,
  heirOfAlice,
  link,
  mallory,
  seeds,
  sides,
  tablet,
  theirs,
} from '../../test/sides.ts'
import { Device } from '../identity/device.ts'

/** The device with another key to seal to, which it has signed for: only the comparison of the codes tells. */
const resealed = await Device.fromSeeds({ ...seeds(3), kem: seeds(4).kem }, { origin: 'app:test', capabilities: [] })

function requestWith(request: JoinRequest | null, changes: object): JoinRequest {
  if (!request) throw new Error('nobody has joined')
  const { statement, signatureB64u } = request.acceptance
  return { acceptance: { statement: { ...statement, ...changes }, signatureB64u } }
}

describe.each(FLOW_NAMES)('%s over a relay that', (flow) => {
  it('names a foreign root key: the device does not join', async () => {
    const { relay, device } = sides()
    relay.tamper.joined = (data) => ({ ...data, rootPublicKeyB64u: mallory.publicKeyB64u })
    await expect(device[flow].join(link, tablet)).rejects.toThrow(
      'The root key does not belong to the identity of the offer',
    )
  })

  it('names another identity with its own key: the device does not join', async () => {
    const { relay, device } = sides()
    const { did, publicKeyB64u } = mallory
    relay.tamper.joined = (data) => ({ ...data, did, rootPublicKeyB64u: publicKeyB64u })
    await expect(device[flow].join(link, tablet)).rejects.toThrow(
      'The root key does not belong to the identity of the offer',
    )
  })

  it('names a root key that was superseded: the device does not join', async () => {
    const { relay, device } = sides()
    relay.evidence.push((await heirOfAlice()).evidence)
    await expect(device[flow].join(link, tablet)).rejects.toThrow(
      'The root key does not belong to the identity of the offer',
    )
  })

  it.each([
    ['of another identity', { did: mallory.did }],
    ['with another code', { code: '0000-0000-0000' }],
  ])('answers with an offer %s: the owner reads nothing', async (_, changed) => {
    const { relay, owner } = sides()
    relay.tamper.state = (data) => ({ ...data, ...changed })
    await expect(owner[flow].read(OFFER.code)).rejects.toThrow('Core answered for a different offer')
  })

  it('opens an offer for another identity: it is shown to nobody', async () => {
    const { relay, owner } = sides()
    relay.tamper.offer = (data) => ({ ...data, did: mallory.did })
    await expect(owner[flow].offer()).rejects.toThrow('Core made the offer for another identity')
  })

  it('invents the history of a foreign root key: the device does not join', async () => {
    const { relay, device } = sides()
    const { userId, publicKeyB64u } = mallory
    relay.tamper.joined = (data) => ({ ...data, rootPublicKeyB64u: publicKeyB64u })
    relay.evidence = [{ epoch: 0, userId, publicKeyB64u, activatedAt: NOW, request: null }]
    await expect(device[flow].join(link, tablet)).rejects.toThrow('The root keys do not match the DID')
  })

  it.each([
    ['signing key', { devicePublicKeyB64u: theirs.devicePublicKeyB64u }],
    ['name and signing key', { devicePublicKeyB64u: theirs.devicePublicKeyB64u, deviceId: theirs.deviceId }],
    ['name', { deviceId: theirs.deviceId }],
    ['key to seal to', { kemPublicKeyB64u: theirs.kemPublicKeyB64u }],
    ['capabilities', { capabilities: ['chain:append' as const] }],
    ['identity', { did: mallory.did }],
  ])('changes the %s that the device has signed: the owner reads nothing', async (_, swapped) => {
    const { relay, owner, device } = sides()
    await device[flow].join(link, tablet)
    relay.request = requestWith(relay.request, swapped)
    await expect(owner[flow].read(OFFER.code)).rejects.toThrow('The device did not sign the request')
  })

  it('brings a request for another identity: the owner reads nothing', async () => {
    const { relay, owner } = sides()
    relay.request = { acceptance: await theirs.acceptance(mallory.did, { realm: REALM, now: NOW }) }
    await expect(owner[flow].read(OFFER.code)).rejects.toThrow('The device did not sign the request')
  })

  it('puts another device in its place: the codes differ', async () => {
    const { relay, owner, device } = sides()
    const { confirmationCode } = await device[flow].join(link, tablet)
    relay.request = { acceptance: await theirs.acceptance(alice.did, { realm: REALM, now: NOW }) }
    const { request } = await owner[flow].read(OFFER.code)
    if (!request) throw new Error('nobody has joined')
    expect(await owner[flow].confirmationCodeOf(request)).not.toBe(confirmationCode)
  })

  it.each([
    ['device', theirs],
    ['key to seal to', resealed],
  ])('brings another %s once the codes were compared: nothing is delivered', async (_, swapped) => {
    const { relay, owner, device } = sides()
    await device[flow].join(link, tablet)
    const { request } = await owner[flow].read(OFFER.code)
    if (!request) throw new Error('nobody has joined')
    const attestation = await owner.devices.makeAttestation(request.acceptance, HEAD)
    relay.request = { acceptance: await swapped.acceptance(alice.did, { realm: REALM, now: NOW }) }
    const delivery = deliver(owner, flow, attestation)
    await expect(delivery).rejects.toThrow('Another device has joined this offer')
    expect(relay.result).toBeNull()
  })
})
