import { CAPABILITIES } from '@svc/protocol/base/device'
import { describe, expect, it } from 'vitest'
import { CORE, NOW, OFFER, OFFER_KEYS, SECRET } from '../../test/fake-relay.ts'
import { fetchOf } from '../../test/fetch.ts'
import { REALM } from '../../test/realm.ts'
import {
  alice,
  attested,
  deliver,
  FLOW_NAMES,
  HEAD,
  heirOfAlice,
  invitation,
  KEY,
  seeds,
  sides,
  tablet,
} from '../../test/sides.ts'
import { Client } from '../client.ts'
import { Device } from '../identity/device.ts'
import { ConfigurationError } from '../transport/configuration-error.ts'

describe.each(FLOW_NAMES)('an invitation as a person types it: %s', (flow) => {
  it('reaches the service as its code', async () => {
    const { relay, device } = sides()
    const typed = invitation.toLowerCase().replaceAll('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l')
    await device[flow].join(typed, tablet)
    await device[flow].decline(typed)
    const base = flow === 'pairing' ? '/api/pair' : '/api/authorize'
    const paths = relay.requests.map(({ url }) => new URL(url).pathname).filter((path) => path.startsWith(base))
    const joining = `${base}/offer/${OFFER.code}/join`
    expect(paths).toEqual([joining, joining, `${base}/offer/${OFFER.code}`])
  })

  it.each([
    [
      'a character changed',
      invitation.replace('F', 'G'),
      'The invitation has a typing error: compare it group by group',
    ],
    [
      'a foreign character',
      invitation.replace('V4T', 'V4U'),
      'Group 3 of the invitation has a character that no invitation has',
    ],
    [
      'a group too few',
      invitation.slice(0, -5),
      'An invitation has ten groups of four characters, and this one has 36 characters',
    ],
  ])('with %s is named as such, and nothing is sent', async (_, typed, message) => {
    const { relay, owner, device } = sides()
    const refused = new ConfigurationError('invitation', message)
    await expect(device[flow].join(typed, tablet)).rejects.toThrow(refused)
    await expect(device[flow].take(typed, tablet)).rejects.toThrow(refused)
    await expect(owner[flow].approve(typed, '0000-0000-0000')).rejects.toThrow(refused)
    expect(relay.requests).toEqual([])
  })
})

describe.each(FLOW_NAMES)('%s over an honest relay', (flow) => {
  it('shows both people one confirmation code', async () => {
    const { owner, device } = sides()
    const joined = await device[flow].join(invitation, tablet)
    const { request } = await owner[flow].read(invitation)
    if (!request) throw new Error('nobody has joined')
    expect(request.acceptance.statement.inception).toEqual(HEAD)
    expect(await owner[flow].confirmationCodeOf(invitation, request)).toBe(joined.confirmationCode)
    expect(joined).toEqual({
      did: alice.did,
      confirmationCode: expect.stringMatching(/^(?:[0-9A-HJKMNP-TV-Z]{4}-?){3}$/),
      expiresAt: NOW + 600_000,
    })
  })

  it('makes the device a member that gets what was sent along', async () => {
    const { owner, device } = sides()
    await device[flow].join(invitation, tablet)
    const attestation = await attested(owner, tablet)
    await deliver(owner, flow, attestation)
    const welcome = await device[flow].take(invitation, tablet)
    expect(welcome).toMatchObject({ attestation, payload: KEY })
    expect(welcome.device).toMatchObject({ did: alice.did, deviceId: tablet.deviceId, epoch: 0 })
  })

  it('has room for 16 KiB beside the longest attestation', async () => {
    const { owner, device } = sides()
    const home = { origin: `https://${'a'.repeat(247)}`, capabilities: CAPABILITIES }
    const talkative = await Device.fromSeeds(seeds(5), home)
    await device[flow].join(invitation, talkative)
    const acceptance = await talkative.acceptance(alice.did, { realm: REALM, now: NOW })
    const head = { sequence: Number.MAX_SAFE_INTEGER - 1, hash: HEAD.hash }
    const expiresAt = Number.MAX_SAFE_INTEGER
    const { did, scope, userId } = alice
    const membership = { did, scope, userId, rootEpoch: 0, ...home, inception: HEAD }
    const agreedBy = await Device.fromSeeds(seeds(6), home, membership)
    const confirmBy = Number.MAX_SAFE_INTEGER
    const options = { expiresAt, confirmBy, agreedBy }
    const attestation = await owner.devices.makeAttestation(acceptance, head, options)
    const payload = crypto.getRandomValues(new Uint8Array(16_384))
    await deliver(owner, flow, attestation, payload)
    expect((await device[flow].take(invitation, talkative)).payload).toEqual(payload)
  })

  it('takes in nobody whose code is another than the one that was read out', async () => {
    const { relay, owner, device } = sides()
    await expect(owner[flow].approve(invitation, '0000-0000-0000')).rejects.toThrow('No device has joined this offer')
    await device[flow].join(invitation, tablet)
    const asked = relay.requests.length
    await expect(owner[flow].approve(invitation, '0000-0000-0000')).rejects.toThrow(
      'The codes differ: another device has joined, cancel the offer',
    )
    expect(relay.requests.slice(asked).map(({ method }) => method)).toEqual(['GET'])
  })

  it('sends the token in its header alone, and an assertion never beside it', async () => {
    const { relay, device } = sides()
    await device[flow].join(invitation, tablet)
    await device[flow].decline(invitation)
    const header = flow === 'pairing' ? 'x-pairing-token' : 'x-offer-token'
    const sent = relay.requests.filter(({ url }) => url.includes('/offer/'))
    const { token } = OFFER_KEYS
    expect(sent.map((request) => request.headers.get(header))).toEqual([token, token, token])
    for (const request of relay.requests) {
      expect(request.headers.has(header)).toBe(sent.includes(request))
      expect(request.headers.has('authorization')).toBe(false)
      expect(request.url).not.toContain(token)
      expect(await request.text()).not.toContain(token)
    }
  })

  it('never sends the secret of an invitation, whole or in part', async () => {
    const { relay, owner, device } = sides()
    const { invitation: fresh, code } = await owner[flow].offer()
    expect(code).toBe(OFFER.code)
    await device[flow].join(invitation, tablet)
    await owner[flow].approve(invitation, 'differs').catch(() => {})
    await deliver(owner, flow, await attested(owner, tablet))
    await device[flow].take(invitation, tablet)
    const sent = await Promise.all(
      relay.requests.map(async (request) => `${request.url} ${[...request.headers].join(' ')} ${await request.text()}`),
    )
    const secrets = [SECRET, fresh.replaceAll('-', '').slice(12, -2)]
    const groups = [invitation, fresh].flatMap((text) =>
      text
        .split('-')
        .slice(3)
        .map((group) => `-${group}`),
    )
    for (const text of sent) for (const part of [...secrets, ...groups]) expect(text).not.toContain(part)
  })

  it('makes a fresh invitation for each offer', async () => {
    const { owner } = sides()
    const offers = [await owner[flow].offer(), await owner[flow].offer()]
    const secrets = offers.map((offer) => offer.invitation.slice(15))
    expect(new Set(secrets).size).toBe(2)
    for (const offer of offers) expect(offer.invitation).toMatch(/^7Q3K-9ZXN-0V4T(?:-[0-9A-HJKMNP-TV-Z]{4}){7}$/)
  })

  it('needs the root key for the owner’s part', async () => {
    const { device } = sides()
    await expect(device[flow].offer()).rejects.toThrow(new TypeError('This needs the root key'))
    await expect(device[flow].read(invitation)).rejects.toThrow(TypeError)
  })

  it('delivers nothing to an offer that nobody has joined', async () => {
    const { relay, owner } = sides()
    const attestation = await attested(owner, tablet)
    const delivery = deliver(owner, flow, attestation)
    await expect(delivery).rejects.toThrow('No device has joined this offer')
    expect(relay.result).toBeNull()
  })
})

describe('pairing', () => {
  it('sends nothing along unless told', async () => {
    const { owner, device } = sides()
    await device.pairing.join(invitation, tablet)
    await owner.pairing.seal(invitation, await attested(owner, tablet))
    expect((await device.pairing.take(invitation, tablet)).payload).toBeNull()
  })

  it('tells the relay nothing of what it seals', async () => {
    const { relay, owner, device } = sides()
    await device.pairing.join(invitation, tablet)
    const attestation = await attested(owner, tablet)
    await owner.pairing.seal(invitation, attestation, KEY)
    const told = await relay.requests.at(-1)!.text()
    expect(told).not.toContain(attestation.signatureB64u)
    expect(told).not.toContain(tablet.deviceId)
    expect(Object.keys(JSON.parse(told) as object)).toEqual(['code', 'sealed'])
  })
})

describe('the authorization relay', () => {
  it('carries no assertion of the root key and no token of it in a grant', async () => {
    const { relay, owner, device } = sides()
    await device.authorization.join(invitation, tablet)
    await owner.authorization.grant(invitation, await attested(owner, tablet), KEY)
    const request = relay.requests.at(-1)!
    const [, assertion = ''] = (request.headers.get('authorization') ?? '').split(' ')
    expect(assertion).not.toBe('')
    const body = await request.text()
    for (const part of assertion.split('.')) expect(body).not.toContain(part)
  })
})

describe.each(FLOW_NAMES)('%s after a rotation', (flow) => {
  it('knows the current root key by its descent from the one that the DID names', async () => {
    const { relay, device } = sides()
    const { heir, keys } = await heirOfAlice()
    relay.evidence = keys
    const { confirmationCode } = await device[flow].join(invitation, tablet)
    const owner = new Client({
      core: CORE,
      did: 'https://did.test',
      fetch: fetchOf(relay.fetch),
      identity: heir,
      now: () => NOW,
    })
    const { request } = await owner[flow].read(invitation)
    if (!request) throw new Error('nobody has joined')
    expect(await owner[flow].confirmationCodeOf(invitation, request)).toBe(confirmationCode)
    await deliver(owner, flow, await attested(owner, tablet))
    expect((await device[flow].take(invitation, tablet)).device.epoch).toBe(1)
  })
})
