import { signStatement } from '@svc/protocol/base/statement'
import type { AttestDevice } from '@svc/protocol/devices/inception'
import { invitationText } from '@svc/protocol/devices/invitation'
import { contentsHash } from '@svc/protocol/devices/rendezvous'
import { describe, expect, it } from 'vitest'
import { NOW, OFFER, OFFER_KEYS, SECRET } from '../../test/fake-relay.ts'
import { REALM } from '../../test/realm.ts'
import {
  alice,
  attested,
  deliver,
  FLOW_NAMES,
  invitation,
  KEY,
  mallory,
  sides,
  tablet,
  theirs,
} from '../../test/sides.ts'
import { signerOf } from '../../test/signer.ts'
import type { Device } from '../identity/device.ts'
import type { Identity } from '../identity/identity.ts'
import { seal } from './sealing.ts'

const NOT_OURS = 'The attestation does not match this device and identity'
const NOT_DELIVERED = 'The identity of the offer did not sign this delivery'
const NOT_OPENED = 'This was encrypted for another device or offer, or it was modified'
const ELSEWHERE = 'The attestation belongs to another identity'
const PAYLOAD = 'AAAA'

interface Contents {
  readonly attestation: AttestDevice
  readonly payloadB64u: string | null
}

/** A signed statement that these contents were sealed for the tablet, with some members changed. */
function deliveryOf(signer: Identity, contents: Contents, changes: object = {}) {
  const statement = {
    type: 'svc/delivery/v1' as const,
    realm: REALM,
    did: alice.did,
    scope: alice.scope,
    code: OFFER.code,
    deviceId: tablet.deviceId,
    contentsHash: contentsHash(contents),
    inception: null,
    issuedAt: NOW,
    ...changes,
  }
  return signStatement(statement, signerOf(signer))
}

const { owner } = sides()
const good: Contents = { attestation: await attested(owner, tablet), payloadB64u: PAYLOAD }
const goodDelivery = await deliveryOf(alice, good)
const byMallory = await sides(mallory).owner.devices.makeAttestation(good.attestation.acceptance, {
  sequence: 0,
  hash: 'a7'.repeat(48),
})

describe.each(FLOW_NAMES)('what the service puts under the device’s key in %s', (flow) => {
  /** What the device takes when the relay, which knows the key to seal to, has sealed something of its own. */
  async function taken(contents: object, to: Device = tablet) {
    const { relay, device } = sides()
    await device[flow].join(invitation, tablet)
    const plaintext = new TextEncoder().encode(JSON.stringify(contents))
    const sealed = await seal(plaintext, to, {
      code: OFFER.code,
      deviceId: tablet.deviceId,
      sealKey: OFFER_KEYS.sealKey,
    })
    relay.result = flow === 'pairing' ? sealed : { attestation: good.attestation, wrappedKey: sealed }
    return device[flow].take(invitation, tablet)
  }

  it('is taken when the root key has delivered it', async () => {
    const welcome = await taken({ ...good, delivery: goodDelivery })
    expect(welcome).toMatchObject({ attestation: good.attestation, payload: new Uint8Array(3) })
  })

  it.each([
    ['another payload', { payloadB64u: 'BBBB' }],
    ['no payload', { payloadB64u: null }],
  ])('is refused with %s under the same delivery', async (_, changed) => {
    await expect(taken({ ...good, ...changed, delivery: goodDelivery })).rejects.toThrow(NOT_DELIVERED)
  })

  it.each([
    ['another offer', { code: '0000-0000-0000' }],
    ['another device', { deviceId: theirs.deviceId }],
    ['another identity', { scope: mallory.scope }],
    ['other contents', { contentsHash: 'a7'.repeat(48) }],
  ])('is refused with the root key’s delivery of %s', async (_, changed) => {
    const delivery = await deliveryOf(alice, good, changed)
    await expect(taken({ ...good, delivery })).rejects.toThrow(NOT_DELIVERED)
  })

  it('is refused when another key has delivered it', async () => {
    const delivery = await deliveryOf(mallory, good)
    await expect(taken({ ...good, delivery })).rejects.toThrow(NOT_DELIVERED)
    const borrowed = { ...goodDelivery, signatureB64u: delivery.signatureB64u }
    await expect(taken({ ...good, delivery: borrowed })).rejects.toThrow(NOT_DELIVERED)
  })

  it.each<[string, string, () => Promise<AttestDevice> | AttestDevice]>([
    ['the attestation of another device', NOT_OURS, () => attested(owner, theirs)],
    ['an attestation by another identity', ELSEWHERE, () => attested(sides(mallory).owner, tablet, mallory.did)],
    [
      'an attestation that another key signed',
      NOT_OURS,
      () => ({ ...good.attestation, signatureB64u: byMallory.signatureB64u }),
    ],
    [
      'more capabilities than were attested',
      NOT_OURS,
      () => ({
        ...good.attestation,
        statement: { ...good.attestation.statement, capabilities: ['chain:read', 'chain:append'] },
      }),
    ],
  ])('is refused with %s, also under a delivery by the root key', async (_, refusal, make) => {
    const contents = { attestation: await make(), payloadB64u: PAYLOAD }
    const delivery = await deliveryOf(alice, contents)
    await expect(taken({ ...contents, delivery })).rejects.toThrow(refusal)
  })

  it.each([
    ['no delivery', { ...good }],
    ['a session of the root key', { ...good, delivery: goodDelivery, sessionToken: 'x' }],
    ['a payload that is not text', { ...good, payloadB64u: 5, delivery: goodDelivery }],
    ['nothing else', {}],
  ])('is refused with %s in it', async (_, contents) => {
    await expect(taken(contents)).rejects.toMatchObject({ subject: 'offer', reason: 'malformed' })
  })

  it('is refused when it was sealed for another device', async () => {
    await expect(taken({ ...good, delivery: goodDelivery }, theirs)).rejects.toThrow(NOT_OPENED)
  })
})

describe.each(FLOW_NAMES)('what the owner has left in %s', (flow) => {
  async function left() {
    const both = sides()
    await both.device[flow].join(invitation, tablet)
    await deliver(both.owner, flow, good.attestation)
    return both
  }

  it('is not opened under another code, or by another device', async () => {
    const { device } = await left()
    const other = invitationText({ code: '0000-0000-0000', secret: SECRET })
    await expect(device[flow].take(other, tablet)).rejects.toThrow(NOT_OPENED)
    await expect(device[flow].take(invitation, theirs)).rejects.toThrow(NOT_OPENED)
    expect((await device[flow].take(invitation, tablet)).payload).toEqual(KEY)
  })

  it('is not taken by a device that was invited by another identity', async () => {
    const { relay, device } = await left()
    const theirRelay = sides(mallory)
    theirRelay.relay.result = relay.result
    await expect(theirRelay.device[flow].take(invitation, tablet)).rejects.toThrow(ELSEWHERE)
    expect((await device[flow].take(invitation, tablet)).payload).toEqual(KEY)
  })
})

describe('a grant', () => {
  it('counts by what is sealed in it: what the relay writes beside it changes nothing', async () => {
    const { relay, owner: granting, device } = sides()
    await device.authorization.join(invitation, tablet)
    await deliver(granting, 'authorization', good.attestation)
    const other = await attested(owner, theirs)
    relay.tamper.taken = (data) => ({ ...data, attestation: other })
    expect(await device.authorization.take(invitation, tablet)).toMatchObject({
      attestation: good.attestation,
      payload: KEY,
    })
  })

  it('gives the device nothing but what is sealed in it, not a session of the root key either', async () => {
    const { relay, owner: granting, device } = sides()
    await device.authorization.join(invitation, tablet)
    await deliver(granting, 'authorization', good.attestation)
    relay.tamper.taken = (data) => ({ ...data, sessionToken: 'x' })
    const welcome = await device.authorization.take(invitation, tablet)
    expect(Object.keys(welcome).toSorted()).toEqual(['attestation', 'device', 'payload'])
    expect(welcome.attestation).toEqual(good.attestation)
  })
})
