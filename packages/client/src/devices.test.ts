import { bytesOf } from '@svc/protocol/base64url'
import { attestDeviceSchema, changeDeviceSchema, eventHash } from '@svc/protocol/inception'
import { verifyEventSignatures } from '@svc/protocol/inception-verifier'
import { describe, expect, it } from 'vitest'
import { Client } from './client.ts'
import { Device } from './device.ts'
import { Devices } from './devices.ts'
import { Identity } from './identity.ts'

const NOW = 1_790_000_000_000
const CORE = 'https://core.test'
const seedsOf = (byte: number) => ({ signing: new Uint8Array(32).fill(byte), kem: new Uint8Array(64).fill(byte) })
const alice = await Identity.fromSeeds(seedsOf(1))
const successor = await Identity.fromSeeds(seedsOf(2), { scope: alice.scope, epoch: 1 })
const phone = await Device.fromSeeds(seedsOf(4), { origin: 'app:phone', capabilities: ['chain:read', 'account:read'] })
const HEAD = { sequence: 7, hash: 'a7'.repeat(48) }

/** A client whose head is given and whose appends are answered as told, by attempt; what it sent is kept. */
function clientOf<B = never>(answer: (body: B, attempt: number) => object, identity = alice) {
  const sent: { path: string; body: unknown; authorization: string | null }[] = []
  let attempts = 0
  const fetch = async (request: Request) => {
    const path = new URL(request.url).pathname
    const body = await request.json<B>()
    sent.push({ path, body, authorization: request.headers.get('authorization') })
    const { did, scope, epoch } = identity
    const data = path === '/api/inception/head' ? { did, scope, ...HEAD, rootEpoch: epoch } : answer(body, attempts++)
    return data instanceof Response ? data : Response.json({ success: true, data, timestamp: NOW })
  }
  return { sent, client: new Client({ core: CORE, did: 'https://did.test', identity, fetch, now: () => NOW }) }
}
const receiptOf = (event: never) => ({ sequence: 8, hash: eventHash(event), acceptedAt: NOW })

describe('attest', () => {
  it('follows the head and gives what the device has asked for', async () => {
    const { client, sent } = clientOf(receiptOf)
    const acceptance = await phone.acceptance(alice.did, NOW)
    const event = await client.devices.attest(acceptance)
    expect(event.statement).toEqual({
      type: 'svc/device-attestation/v1',
      did: alice.did,
      scope: alice.scope,
      sequence: 8,
      previousHash: HEAD.hash,
      rootEpoch: 0,
      deviceId: phone.deviceId,
      devicePublicKeyB64u: phone.devicePublicKeyB64u,
      origin: 'app:phone',
      capabilities: ['chain:read', 'account:read'],
      expiresAt: null,
      issuedAt: NOW,
    })
    expect(attestDeviceSchema.parse(event)).toEqual(event)
    expect(await verifyEventSignatures(event, bytesOf(alice.publicKeyB64u))).toBe(true)
    expect(sent.map(({ path }) => path)).toEqual(['/api/inception/head', '/api/inception/device'])
    expect(sent[1]?.body).toEqual(event)
    expect(sent.every(({ authorization }) => authorization !== null)).toBe(true)
  })

  it('gives less, and for a time, when it is told', async () => {
    const { client } = clientOf(receiptOf)
    const options = { capabilities: ['chain:read'], expiresAt: NOW + 1 } as const
    const { statement } = await client.devices.attest(await phone.acceptance(alice.did, NOW), options)
    expect(statement).toMatchObject(options)
  })

  it('names the epoch of a key that came by a rotation, and the scope of the first', async () => {
    const { client } = clientOf(receiptOf, successor)
    const { statement } = await client.devices.attest(await phone.acceptance(alice.did, NOW))
    expect(statement).toMatchObject({ did: alice.did, scope: alice.scope, rootEpoch: 1 })
  })
})

describe('change', () => {
  it.each([
    [{ event: 'revoke' }],
    [{ event: 'suspend' }],
    [{ event: 'resume' }],
    [{ event: 'capabilities', capabilities: ['account:read'] }],
  ] as const)('signs %j and nothing more', async (what) => {
    const { client, sent } = clientOf(receiptOf)
    expect(await client.devices.change(phone.deviceId, what)).toMatchObject({ sequence: 8 })
    const event = changeDeviceSchema.parse(sent[1]?.body)
    expect(event.statement).toEqual({
      type: 'svc/device-event/v1',
      did: alice.did,
      scope: alice.scope,
      sequence: 8,
      previousHash: HEAD.hash,
      rootEpoch: 0,
      deviceId: phone.deviceId,
      ...what,
      issuedAt: NOW,
    })
    expect(await verifyEventSignatures(event, bytesOf(alice.publicKeyB64u))).toBe(true)
  })

  it('has a name for each that ends or stops a device', async () => {
    const { client, sent } = clientOf(receiptOf)
    await client.devices.revoke(phone.deviceId)
    await client.devices.suspend(phone.deviceId)
    await client.devices.resume(phone.deviceId)
    const events = sent.filter(({ path }) => path === '/api/inception/device-event').map(({ body }) => body)
    expect(events).toMatchObject(['revoke', 'suspend', 'resume'].map((event) => ({ statement: { event } })))
  })
})

describe('an append', () => {
  it('is not believed about another event', async () => {
    const { client } = clientOf(() => ({ sequence: 8, hash: 'b8'.repeat(48), acceptedAt: NOW }))
    const other = 'core answered for another event'
    await expect(client.devices.attest(await phone.acceptance(alice.did, NOW))).rejects.toThrow(other)
    await expect(client.devices.revoke(phone.deviceId)).rejects.toThrow(other)
    const event = await client.devices.makeChange(phone.deviceId, { event: 'revoke' }, HEAD)
    await expect(client.devices.batch([event])).rejects.toThrow(other)
  })

  it('of a batch answers for its last event', async () => {
    const { client, sent } = clientOf(({ events }: { events: never[] }) => receiptOf(events.at(-1)!))
    const first = await client.devices.makeAttestation(await phone.acceptance(alice.did, NOW), HEAD)
    const second = await client.devices.makeChange(phone.deviceId, { event: 'suspend' }, Devices.following(first))
    expect(second.statement).toMatchObject({ sequence: 9, previousHash: eventHash(first) })
    expect(await client.devices.batch([first, second])).toMatchObject({ hash: eventHash(second) })
    expect(sent).toMatchObject([{ path: '/api/inception/device-batch', body: { events: [first, second] } }])
  })
})

describe('an event that others have overtaken', () => {
  const refusal = (error: string, details: object) =>
    Response.json({ success: false, error, message: 'refused', timestamp: NOW, details }, { status: 409 })
  const headAt = (sequence: number) => ({ sequence, hash: sequence.toString(16).padStart(96, '0') })

  it('is signed anew on the head that they have left', async () => {
    const { client, sent } = clientOf((event: never, attempt) =>
      attempt === 0 ? refusal('stale_inception_head', { head: headAt(9), appended: null }) : receiptOf(event),
    )
    expect((await client.devices.suspend(phone.deviceId)).hash).toBe(eventHash(sent[2]?.body as never))
    expect(sent.map(({ path }) => path)).toEqual([
      '/api/inception/head',
      '/api/inception/device-event',
      '/api/inception/device-event',
    ])
    expect(sent[2]?.body).toMatchObject({ statement: { sequence: 10, previousHash: headAt(9).hash, event: 'suspend' } })
  })

  it('gives up after eight times', async () => {
    const { client, sent } = clientOf((_: never, attempt) =>
      refusal('stale_inception_head', { head: headAt(attempt + 8), appended: null }),
    )
    await expect(client.devices.suspend(phone.deviceId)).rejects.toMatchObject({ error: 'stale_inception_head' })
    expect(sent.filter(({ path }) => path === '/api/inception/device-event')).toHaveLength(9)
  })

  it('is found in place when its answer was lost, and is not signed again', async () => {
    const { client, sent } = clientOf((event: never, attempt) => {
      if (attempt === 0) throw new TypeError('fetch failed')
      return refusal('stale_inception_head', { head: headAt(8), appended: receiptOf(event) })
    })
    const event = await client.devices.attest(await phone.acceptance(alice.did, NOW))
    expect(sent.slice(1).map(({ body }) => body)).toEqual([event, event])
  })

  it('is found in place under a hold', async () => {
    const { client } = clientOf((event: never) => refusal('security_hold', { appended: receiptOf(event) }))
    expect(await client.devices.revoke(phone.deviceId)).toMatchObject({ sequence: 8 })
  })

  it.each([
    ['security_hold', { appended: null }],
    ['device_revoked', {}],
    ['stale_inception_head', { appended: null }],
    ['security_hold', { appended: { sequence: 8, hash: 'b8'.repeat(48), acceptedAt: NOW } }],
  ])('is not sent again after %s with %j', async (error, details) => {
    const { client, sent } = clientOf(() => refusal(error, details))
    await expect(client.devices.revoke(phone.deviceId)).rejects.toMatchObject({ error })
    expect(sent).toHaveLength(2)
  })

  it('is sent twice at most when the connection breaks', async () => {
    const { client, sent } = clientOf(() => {
      throw new TypeError('fetch failed')
    })
    await expect(client.devices.revoke(phone.deviceId)).rejects.toThrow(new TypeError('fetch failed'))
    expect(sent).toHaveLength(3)
    expect(sent[2]?.body).toEqual(sent[1]?.body)
  })
})

describe('a device', () => {
  it('reads the log and changes nothing in it', async () => {
    const acceptance = await phone.acceptance(alice.did, NOW)
    const attestation = await clientOf(receiptOf).client.devices.attest(acceptance)
    const { epoch, userId, publicKeyB64u } = alice
    const device = await phone.attested(attestation, [{ epoch, userId, publicKeyB64u }])
    const fetch = () => Promise.reject(new Error('nothing is sent'))
    const { devices } = new Client({ core: CORE, did: 'https://did.test', device, fetch, now: () => NOW })
    const refusal = new TypeError('devices are changed by the root key')
    await expect(devices.makeAttestation(acceptance, HEAD)).rejects.toThrow(refusal)
    expect(() => devices.makeChange(device.deviceId, { event: 'resume' }, HEAD)).toThrow(refusal)
  })
})
