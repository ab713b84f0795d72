import { CAPABILITIES } from '@svc/protocol/base/device'
import { describe, expect, it } from 'vitest'
import { CORE, NOW, OFFER } from '../../test/fake-relay.ts'
import { fetchOf } from '../../test/fetch.ts'
import { REALM } from '../../test/realm.ts'
import {
  alice,
  attested,
  deliver,
  FLOW_NAMES,
  HEAD,
  heirOfAlice,
  KEY,
  link,
  seeds,
  sides,
  tablet,
} from '../../test/sides.ts'
import { Client } from '../client.ts'
import { Device } from '../identity/device.ts'
import { ConfigurationError } from '../transport/configuration-error.ts'
import { normalized } from './offer-code.ts'

describe('a code as a person types it', () => {
  it.each([
    ['as it is', '7Q3K-9ZXN-0V4T'],
    ['in lower case', '7q3k-9zxn-0v4t'],
    ['without hyphens', '7Q3K9ZXN0V4T'],
    ['with spaces', ' 7Q3K 9ZXN\t0V4T\n'],
    ['with a space after each character', '7 q 3 k 9 z x n 0 v 4 t'],
    ['with the letter O for zero', '7q3k-9zxn-Ov4t'],
    ['with hyphens elsewhere', '7q-3k9zxn0v-4t'],
  ])('is taken %s', (_, typed) => {
    expect(normalized(typed)).toBe('7Q3K-9ZXN-0V4T')
  })

  it('takes I and L in either case for one, and o for zero', () => {
    expect(normalized('IiLl-1oO0-zzzz')).toBe('1111-1000-ZZZZ')
  })

  it.each(FLOW_NAMES)('reaches the service in its one form: %s', async (flow) => {
    const { relay, device } = sides()
    const typed = { ...link, code: '7q3k 9zxn ov4t' }
    await device[flow].join(typed, tablet)
    await device[flow].decline(typed)
    const base = flow === 'pairing' ? '/api/pair' : '/api/authorize'
    const paths = relay.requests.map(({ url }) => new URL(url).pathname).filter((path) => path.startsWith(base))
    expect(paths).toEqual([`${base}/offer/${OFFER.code}/join`, `${base}/offer/${OFFER.code}`])
  })
})

describe.each(FLOW_NAMES)('%s over an honest relay', (flow) => {
  it('shows both people one confirmation code', async () => {
    const { owner, device } = sides()
    const joined = await device[flow].join(link, tablet)
    const { request } = await owner[flow].read(OFFER.code)
    if (!request) throw new Error('nobody has joined')
    expect(await owner[flow].confirmationCodeOf(request)).toBe(joined.confirmationCode)
    expect(joined).toEqual({
      confirmationCode: expect.stringMatching(/^(?:[0-9A-HJKMNP-TV-Z]{4}-?){3}$/),
      expiresAt: NOW + 600_000,
    })
  })

  it('makes the device a member that gets what was sent along', async () => {
    const { owner, device } = sides()
    await device[flow].join(link, tablet)
    const attestation = await attested(owner, tablet)
    await deliver(owner, flow, attestation)
    const welcome = await device[flow].take(link, tablet)
    expect(welcome).toMatchObject({ attestation, payload: KEY })
    expect(welcome.device).toMatchObject({ did: alice.did, deviceId: tablet.deviceId, epoch: 0 })
  })

  it('has room for 16 KiB beside the longest attestation', async () => {
    const { owner, device } = sides()
    const home = { origin: `https://${'a'.repeat(247)}`, capabilities: CAPABILITIES }
    const talkative = await Device.fromSeeds(seeds(5), home)
    await device[flow].join(link, talkative)
    const acceptance = await talkative.acceptance(alice.did, { realm: REALM, now: NOW })
    const head = { sequence: Number.MAX_SAFE_INTEGER - 1, hash: HEAD.hash }
    const expiresAt = Number.MAX_SAFE_INTEGER
    const attestation = await owner.devices.makeAttestation(acceptance, head, { expiresAt })
    const payload = crypto.getRandomValues(new Uint8Array(16_384))
    await deliver(owner, flow, attestation, payload)
    expect((await device[flow].take(link, talkative)).payload).toEqual(payload)
  })

  it('takes in nobody whose code is another than the one that was read out', async () => {
    const { relay, owner, device } = sides()
    await expect(owner[flow].approve(OFFER.code, '0000-0000-0000')).rejects.toThrow('No device has joined this offer')
    await device[flow].join(link, tablet)
    const asked = relay.requests.length
    await expect(owner[flow].approve(OFFER.code, '0000-0000-0000')).rejects.toThrow(
      'The codes differ: another device has joined, cancel the offer',
    )
    expect(relay.requests.slice(asked).map(({ method }) => method)).toEqual(['GET'])
  })

  it('sends the token in its header alone, and an assertion never beside it', async () => {
    const { relay, device } = sides()
    await device[flow].join(link, tablet)
    await device[flow].decline(link)
    const header = flow === 'pairing' ? 'x-pairing-token' : 'x-offer-token'
    const sent = relay.requests.filter(({ url }) => url.includes('/offer/'))
    expect(sent.map((request) => request.headers.get(header))).toEqual([OFFER.token, OFFER.token])
    for (const request of relay.requests) {
      expect(request.headers.has(header)).toBe(sent.includes(request))
      expect(request.headers.has('authorization')).toBe(false)
      expect(request.url).not.toContain(OFFER.token)
      expect(await request.text()).not.toContain(OFFER.token)
    }
  })

  it('needs the root key for the owner’s part', async () => {
    const { device } = sides()
    await expect(device[flow].offer()).rejects.toThrow(
      new ConfigurationError('identity', 'This call needs an identity: pass `identity` or `device` to the client'),
    )
    await expect(device[flow].read(OFFER.code)).rejects.toThrow(TypeError)
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
    await device.pairing.join(link, tablet)
    await owner.pairing.seal(OFFER.code, await attested(owner, tablet))
    expect((await device.pairing.take(link, tablet)).payload).toBeNull()
  })

  it('tells the relay nothing of what it seals', async () => {
    const { relay, owner, device } = sides()
    await device.pairing.join(link, tablet)
    const attestation = await attested(owner, tablet)
    await owner.pairing.seal(OFFER.code, attestation, KEY)
    const told = await relay.requests.at(-1)!.text()
    expect(told).not.toContain(attestation.signatureB64u)
    expect(told).not.toContain(tablet.deviceId)
    expect(Object.keys(JSON.parse(told) as object)).toEqual(['code', 'sealed'])
  })
})

describe('the authorization relay', () => {
  it('carries no assertion of the root key and no token of it in a grant', async () => {
    const { relay, owner, device } = sides()
    await device.authorization.join(link, tablet)
    await owner.authorization.grant(OFFER.code, await attested(owner, tablet), KEY)
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
    const { heir, evidence } = await heirOfAlice()
    relay.evidence.push(evidence)
    relay.tamper.joined = (data) => ({ ...data, rootPublicKeyB64u: heir.publicKeyB64u })
    const { confirmationCode } = await device[flow].join(link, tablet)
    const owner = new Client({
      core: CORE,
      did: 'https://did.test',
      fetch: fetchOf(relay.fetch),
      identity: heir,
      now: () => NOW,
    })
    const { request } = await owner[flow].read(OFFER.code)
    if (!request) throw new Error('nobody has joined')
    expect(await owner[flow].confirmationCodeOf(request)).toBe(confirmationCode)
    await deliver(owner, flow, await attested(owner, tablet))
    expect((await device[flow].take(link, tablet)).device.epoch).toBe(1)
  })
})
