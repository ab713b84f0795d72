import { newSecret } from '@svc/protocol/devices/invitation'
import { OfferKeys } from '@svc/protocol/devices/offer-keys'
import type { JoinRequest } from '@svc/protocol/devices/rendezvous'
import { describe, expect, it } from 'vitest'
import { NOW, OFFER_KEYS } from '../../test/fake-relay.ts'
import { REALM } from '../../test/realm.ts'
import {
  alice,
  deliver,
  FLOW_NAMES,
  HEAD,
  heirOfAlice,
  invitation,
  mallory,
  requestOf,
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
  return { ...request, acceptance: { statement: { ...statement, ...changes }, signatureB64u } }
}

describe.each(FLOW_NAMES)('%s over a relay that', (flow) => {
  const NOT_INVITED = 'The identity of the offer did not make this invitation'

  it.each([
    ['a foreign root key', { rootPublicKeyB64u: mallory.publicKeyB64u }],
    ['another identity', { did: mallory.did }],
    ['another identity with its own key', { did: mallory.did, rootPublicKeyB64u: mallory.publicKeyB64u }],
    ['nobody who has proved it', { proofB64u: null }],
    ['somebody with a proof of its own', { proofB64u: 'A'.repeat(64) }],
  ])('says that the offer is by %s: the device accepts nothing', async (_, told) => {
    const { relay, device } = sides()
    relay.tamper.offerer = (data) => ({ ...data, ...told })
    await expect(device[flow].join(invitation, tablet)).rejects.toMatchObject({
      message: NOT_INVITED,
      subject: 'offer',
      reason: 'invalid_proof',
    })
    expect(relay.request).toBeNull()
  })

  it('swaps the offer for one of an identity of its own, with its own proof: the device accepts nothing', async () => {
    const { relay, device } = sides()
    const { did, publicKeyB64u: rootPublicKeyB64u } = mallory
    const theirKeys = new OfferKeys(newSecret())
    const proofB64u = theirKeys.offerProof({ realm: REALM, did, rootPublicKeyB64u })
    relay.tamper.offerer = (data) => ({ ...data, did, rootPublicKeyB64u, proofB64u })
    await expect(device[flow].join(invitation, tablet)).rejects.toThrow(NOT_INVITED)
    expect(relay.request).toBeNull()
  })

  it('hands on a proof that was made for another deployment: the device accepts nothing', async () => {
    const { relay, device } = sides()
    const { did, publicKeyB64u: rootPublicKeyB64u } = alice
    const proofB64u = OFFER_KEYS.offerProof({ realm: 'https://other.test', did, rootPublicKeyB64u })
    relay.tamper.offerer = (data) => ({ ...data, proofB64u })
    await expect(device[flow].join(invitation, tablet)).rejects.toThrow(NOT_INVITED)
  })

  it('shows a history that goes on after the key that made the invitation: the device accepts nothing', async () => {
    const { relay, device } = sides()
    relay.tamper.offerer = (data) => ({
      ...data,
      rootPublicKeyB64u: alice.publicKeyB64u,
      proofB64u: OFFER_KEYS.offerProof({ realm: REALM, did: alice.did, rootPublicKeyB64u: alice.publicKeyB64u }),
    })
    relay.evidence = (await heirOfAlice()).keys
    await expect(device[flow].join(invitation, tablet)).rejects.toThrow(
      'The root key does not belong to the identity of the offer',
    )
  })

  it.each([
    ['another identity', { did: mallory.did }],
    ['another root key', { rootPublicKeyB64u: mallory.publicKeyB64u }],
  ])('names %s once the device has joined: it compares nothing', async (_, told) => {
    const { relay, device } = sides()
    relay.tamper.joined = (data) => ({ ...data, ...told })
    await expect(device[flow].join(invitation, tablet)).rejects.toThrow('Core answered for a different offer')
  })

  it.each([
    ['of another identity', { did: mallory.did }],
    ['with another code', { code: '0000-0000-0000' }],
  ])('answers with an offer %s: the owner reads nothing', async (_, changed) => {
    const { relay, owner } = sides()
    relay.tamper.state = (data) => ({ ...data, ...changed })
    await expect(owner[flow].read(invitation)).rejects.toThrow('Core answered for a different offer')
  })

  it('opens an offer for another identity: it is shown to nobody', async () => {
    const { relay, owner } = sides()
    relay.tamper.offer = (data) => ({ ...data, did: mallory.did })
    await expect(owner[flow].offer()).rejects.toThrow('Core made the offer for another identity')
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
    await device[flow].join(invitation, tablet)
    relay.request = requestWith(relay.request, swapped)
    await expect(owner[flow].read(invitation)).rejects.toThrow('The device did not sign the request')
  })

  it('brings a request for another identity: the owner reads nothing', async () => {
    const { relay, owner } = sides()
    relay.request = await requestOf(theirs, mallory)
    await expect(owner[flow].read(invitation)).rejects.toThrow('The device did not sign the request')
  })

  const UNPROVED = { subject: 'offer', reason: 'invalid_proof' }

  it.each([
    ['a proof of its own', 'A'.repeat(64)],
    ['the proof of the device that joined', null],
  ])('puts another device in its place, with %s: the owner reads nothing', async (_, invented) => {
    const { relay, owner, device } = sides()
    await device[flow].join(invitation, tablet)
    const { acceptance } = await requestOf(theirs)
    relay.request = { acceptance, proofB64u: invented ?? relay.request?.proofB64u ?? '' }
    await expect(owner[flow].read(invitation)).rejects.toMatchObject(UNPROVED)
    await expect(owner[flow].wait(invitation)).rejects.toMatchObject(UNPROVED)
    await expect(owner[flow].approve(invitation, '0000-0000-0000')).rejects.toMatchObject(UNPROVED)
  })

  it.each([
    ['another acceptance of the same device', async () => (await requestOf(resealed)).acceptance],
    ['the acceptance of a minute later', () => tablet.acceptance(alice.did, { realm: REALM, now: NOW + 60_000 })],
  ])('hands on %s: the owner reads nothing', async (_, other) => {
    const { relay, owner, device } = sides()
    await device[flow].join(invitation, tablet)
    relay.request = { acceptance: await other(), proofB64u: relay.request?.proofB64u ?? '' }
    await expect(owner[flow].read(invitation)).rejects.toMatchObject(UNPROVED)
  })

  it('hands on what the device has proved for another offer with the same secret: the owner reads nothing', async () => {
    const { relay, owner } = sides()
    const { acceptance } = await requestOf(tablet)
    const elsewhere = { code: '0000-0000-0000', rootPublicKeyB64u: alice.publicKeyB64u, acceptance }
    relay.request = { acceptance, proofB64u: OFFER_KEYS.joinProof(elsewhere) }
    await expect(owner[flow].read(invitation)).rejects.toMatchObject(UNPROVED)
  })

  it('brings another device that has the invitation: the codes differ', async () => {
    const { relay, owner, device } = sides()
    const { confirmationCode } = await device[flow].join(invitation, tablet)
    relay.request = await requestOf(theirs)
    const { request } = await owner[flow].read(invitation)
    if (!request) throw new Error('nobody has joined')
    expect(await owner[flow].confirmationCodeOf(invitation, request)).not.toBe(confirmationCode)
    await expect(owner[flow].approve(invitation, confirmationCode)).rejects.toThrow(
      'The codes differ: another device has joined, cancel the offer',
    )
  })

  it.each([
    ['device', theirs],
    ['key to seal to', resealed],
  ])('brings another %s once the codes were compared: nothing is delivered', async (_, swapped) => {
    const { relay, owner, device } = sides()
    await device[flow].join(invitation, tablet)
    const { request } = await owner[flow].read(invitation)
    if (!request) throw new Error('nobody has joined')
    const attestation = await owner.devices.makeAttestation(request.acceptance, HEAD)
    relay.request = await requestOf(swapped)
    const delivery = deliver(owner, flow, attestation)
    await expect(delivery).rejects.toThrow('Another device has joined this offer')
    expect(relay.result).toBeNull()
  })
})
