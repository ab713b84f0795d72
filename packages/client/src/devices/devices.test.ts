import { bytesOf } from '@svc/protocol/base/base64url'
import { statementHash } from '@svc/protocol/base/statement'
import { verifyAgreement } from '@svc/protocol/devices/agreement'
import {
  attestDeviceSchema,
  type ChangeDevice,
  changeDeviceSchema,
  eventHash,
  type InceptionEvent,
  inceptionHeadAfter,
} from '@svc/protocol/devices/inception'
import { verifyEventSignatures } from '@svc/protocol/devices/verifier'
import { describe, expect, it } from 'vitest'
import { fetchOf } from '../../test/fetch.ts'
import { REALM, REALMS } from '../../test/realm.ts'
import { Client } from '../client.ts'
import { Device } from '../identity/device.ts'
import { Identity } from '../identity/identity.ts'
import type { MemoryValue } from '../memory/memory-value.ts'

const NOW = 1_790_000_000_000
const CORE = 'https://core.test'
const seedsOf = (byte: number) => ({ signing: new Uint8Array(32).fill(byte), kem: new Uint8Array(32).fill(byte) })
const alice = await Identity.fromSeeds(seedsOf(1))
const successor = await Identity.fromSeeds(seedsOf(2), { scope: alice.scope, epoch: 1 })
const phone = await Device.fromSeeds(seedsOf(4), { origin: 'app:phone', capabilities: ['chain:read', 'account:read'] })
const HEAD = { sequence: 7, hash: 'a7'.repeat(48) }

/** What a client knows that has seen the log up to `HEAD`. */
const memory: MemoryValue = {
  format: 'svc/client-memory/v1',
  realm: REALM,
  logs: [
    {
      kind: 'inception',
      of: alice.did,
      pieces: [{ position: HEAD.sequence, hash: HEAD.hash, signed: null }],
      pending: null,
    },
  ],
}
const keys = [
  {
    epoch: 0,
    userId: alice.userId,
    publicKeyB64u: alice.publicKeyB64u,
    activatedAt: NOW,
    request: null,
    genesis: null,
  },
]

/**
 * A client whose head is given and whose appends are answered as told, by attempt; what it sent is kept. `others` are
 * events that another client appends meanwhile. `refusals` answer the first requests.
 */
function clientOf<B = never>(
  answer: (body: B, attempt: number) => object,
  identity = alice,
  others: readonly InceptionEvent[] = [],
  refusals: Response[] = [],
) {
  const sent: { path: string; body: unknown; authorization: string | null }[] = []
  let attempts = 0
  const fetch = async (request: Request) => {
    const { pathname: path, searchParams } = new URL(request.url)
    const success = (data: object) => Response.json({ success: true, data, timestamp: NOW })
    if (path.endsWith('/history'))
      return success({ did: alice.did, scope: alice.scope, keys, next: null, rotation: null })
    if (path === '/api/inception/events') {
      const events = others.filter(({ statement }) => statement.sequence >= Number(searchParams.get('from')))
      return success({ events, next: null, head: HEAD })
    }
    const body = await request.json<B>()
    sent.push({ path, body, authorization: request.headers.get('authorization') })
    const refusal = refusals.shift()
    if (refusal) return refusal
    const { did, scope, epoch } = identity
    const data = path === '/api/inception/head' ? { did, scope, ...HEAD, rootEpoch: epoch } : answer(body, attempts++)
    return data instanceof Response ? data : success(data)
  }
  return {
    sent,
    client: new Client({
      core: CORE,
      did: 'https://did.test',
      identity,
      fetch: fetchOf(fetch),
      now: () => NOW,
      memory,
    }),
  }
}
const receiptOf = (event: never) => ({ sequence: 8, hash: eventHash(event), acceptedAt: NOW })

/** Events that another client of alice appends after `HEAD`. */
async function otherEvents(count: number): Promise<InceptionEvent[]> {
  const { devices } = clientOf(receiptOf).client
  const events: InceptionEvent[] = []
  for (let i = 0; i < count; i++) {
    const last = events.at(-1)
    events.push(await devices.makeChange(phone.deviceId, { event: 'suspend' }, last ? inceptionHeadAfter(last) : HEAD))
  }
  return events
}

describe('attest', () => {
  it('follows the head and gives what the device has asked for', async () => {
    const { client, sent } = clientOf(receiptOf)
    const acceptance = await phone.acceptance(alice.did, { realm: REALM, now: NOW })
    const event = await client.devices.attest(acceptance)
    expect(event.statement).toEqual({
      type: 'svc/device-attestation/v1',
      realm: REALM,
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
    expect(await verifyEventSignatures(event, bytesOf(alice.publicKeyB64u), REALMS)).toBe(true)
    expect(sent.map(({ path }) => path)).toEqual(['/api/inception/head', '/api/inception/device'])
    expect(sent[1]?.body).toEqual(event)
    expect(sent.every(({ authorization }) => authorization !== null)).toBe(true)
  })

  it('is dated by the clock of the service once that has said what is wrong with the own', async () => {
    const serverTime = NOW + 7_200_000
    const refusal = { success: false, error: 'assertion_expired', message: 'Expired', timestamp: NOW, serverTime }
    const { devices } = clientOf(receiptOf, alice, [], [Response.json(refusal, { status: 401 })]).client
    const suspended = await devices.makeChange(phone.deviceId, { event: 'suspend' }, await devices.head())
    expect(suspended.statement.issuedAt).toBe(serverTime)
  })

  it('gives less, and for a time, when it is told', async () => {
    const { client } = clientOf(receiptOf)
    const options = { capabilities: ['chain:read'], expiresAt: NOW + 1 } as const
    const { statement } = await client.devices.attest(
      await phone.acceptance(alice.did, { realm: REALM, now: NOW }),
      options,
    )
    expect(statement).toMatchObject(options)
  })

  it('carries an agreement that is signed here or was signed elsewhere', async () => {
    const { client } = clientOf(receiptOf)
    const acceptance = await phone.acceptance(alice.did, { realm: REALM, now: NOW })
    const { did, scope, userId } = alice
    const origin = 'app:laptop'
    const member = { did, scope, userId, rootEpoch: 0, origin, capabilities: [], inception: { ...HEAD, sequence: 1 } }
    const laptop = await Device.create({ origin, capabilities: [] })
    const agreedBy = await Device.fromSeeds(laptop.revealSeeds(), { origin, capabilities: [] }, member)
    const { agreement, ...event } = await client.devices.attest(acceptance, { agreedBy })
    expect(agreement?.statement).toEqual({
      type: 'svc/device-agreement/v1',
      realm: REALM,
      did,
      scope,
      rootEpoch: 0,
      deviceId: phone.deviceId,
      acceptanceHash: statementHash(acceptance.statement),
      signedBy: agreedBy.deviceId,
      inception: { sequence: HEAD.sequence, hash: HEAD.hash },
      issuedAt: NOW,
    })
    expect(await verifyAgreement({ ...event, agreement }, agreedBy.devicePublicKeyB64u, REALMS)).toBe(true)
    const elsewhere = await agreedBy.agreement(acceptance, { realm: REALM, now: NOW })
    expect(elsewhere.statement.inception).toEqual(member.inception)
    const { agreement: passed } = await clientOf(receiptOf).client.devices.attest(acceptance, { agreement: elsewhere })
    expect(passed).toEqual(elsewhere)
  })

  it('refuses to agree to a device that joins another identity', async () => {
    const { did, scope, userId } = alice
    const terms = { origin: 'app:laptop', capabilities: [] }
    const laptop = await Device.create(terms)
    const member = { did, scope, userId, rootEpoch: 0, ...terms, inception: HEAD }
    const joined = await Device.fromSeeds(laptop.revealSeeds(), terms, member)
    const other = await phone.acceptance(successor.did, { realm: REALM, now: NOW })
    const acceptance = { ...other, statement: { ...other.statement, did: `did:svc:${'PDw8'.repeat(8)}` } }
    await expect(joined.agreement(acceptance, { realm: REALM, now: NOW })).rejects.toThrow(
      new TypeError('The acceptance is for another identity'),
    )
    await expect(laptop.agreement(other, { realm: REALM, now: NOW })).rejects.toThrow('The device has no identity yet')
  })

  it('names the epoch of a key that came by a rotation, and the scope of the first', async () => {
    const { client } = clientOf(receiptOf, successor)
    const { statement } = await client.devices.attest(await phone.acceptance(alice.did, { realm: REALM, now: NOW }))
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
      realm: REALM,
      did: alice.did,
      scope: alice.scope,
      sequence: 8,
      previousHash: HEAD.hash,
      rootEpoch: 0,
      deviceId: phone.deviceId,
      ...what,
      issuedAt: NOW,
    })
    expect(await verifyEventSignatures(event, bytesOf(alice.publicKeyB64u), REALMS)).toBe(true)
  })

  it('has a name for each that ends or stops a device', async () => {
    for (const event of ['revoke', 'suspend', 'resume'] as const) {
      const { client, sent } = clientOf(receiptOf)
      await client.devices[event](phone.deviceId)
      expect(sent[1]).toMatchObject({ path: '/api/inception/device-event', body: { statement: { event } } })
    }
  })
})

describe('an append', () => {
  it('is not believed about another event', async () => {
    const { client } = clientOf(() => ({ sequence: 8, hash: 'b8'.repeat(48), acceptedAt: NOW }))
    const other = 'Core answered for a different event'
    await expect(client.devices.attest(await phone.acceptance(alice.did, { realm: REALM, now: NOW }))).rejects.toThrow(
      other,
    )
    await expect(client.devices.revoke(phone.deviceId)).rejects.toThrow(other)
    const event = await client.devices.makeChange(phone.deviceId, { event: 'revoke' }, HEAD)
    await expect(client.devices.batch([event])).rejects.toThrow(other)
  })

  it('of a batch answers for its last event', async () => {
    const { client, sent } = clientOf(({ events }: { events: never[] }) => receiptOf(events.at(-1)!))
    const first = await client.devices.makeAttestation(
      await phone.acceptance(alice.did, { realm: REALM, now: NOW }),
      HEAD,
    )
    const second = await client.devices.makeChange(phone.deviceId, { event: 'suspend' }, inceptionHeadAfter(first))
    expect(second.statement).toMatchObject({ sequence: 9, previousHash: eventHash(first) })
    expect(await client.devices.batch([first, second])).toMatchObject({ hash: eventHash(second) })
    expect(sent).toMatchObject([{ path: '/api/inception/device-batch', body: { events: [first, second] } }])
  })
})

describe('an event that others have overtaken', () => {
  const refusal = (error: string, details: object, status = 409) =>
    Response.json({ success: false, error, message: 'refused', timestamp: NOW, details }, { status })

  it('is signed anew on the head that they have left', async () => {
    const others = await otherEvents(2)
    const head = inceptionHeadAfter(others[1]!)
    const answer = (event: never, attempt: number) =>
      attempt === 0 ? refusal('stale_inception_head', { head, appended: null }) : receiptOf(event)
    const { client, sent } = clientOf(answer, alice, others)
    expect((await client.devices.suspend(phone.deviceId)).hash).toBe(eventHash(sent[2]?.body as never))
    expect(sent.map(({ path }) => path)).toEqual([
      '/api/inception/head',
      '/api/inception/device-event',
      '/api/inception/device-event',
    ])
    expect(sent[2]?.body).toMatchObject({ statement: { sequence: 10, previousHash: head.hash, event: 'suspend' } })
  })

  it('gives up after eight times', async () => {
    const others = await otherEvents(9)
    const { client, sent } = clientOf(
      (_: never, attempt) =>
        refusal('stale_inception_head', { head: inceptionHeadAfter(others[attempt]!), appended: null }),
      alice,
      others,
    )
    await expect(client.devices.suspend(phone.deviceId)).rejects.toMatchObject({ error: 'stale_inception_head' })
    expect(sent.filter(({ path }) => path === '/api/inception/device-event')).toHaveLength(9)
  })

  it('is found in place when its answer was lost, and is not signed again', async () => {
    const { client, sent } = clientOf((event: never, attempt) => {
      if (attempt === 0) throw new TypeError('fetch failed')
      return refusal('stale_inception_head', { head: HEAD, appended: receiptOf(event) })
    })
    const event = await client.devices.attest(await phone.acceptance(alice.did, { realm: REALM, now: NOW }))
    expect(sent.slice(1).map(({ body }) => body)).toEqual([event, event])
  })

  it('that got no answer and is too old to be sent again makes room for the next one', async () => {
    const tries = 3
    const { client, sent } = clientOf((event: never, attempt) => {
      if (attempt < tries) throw new TypeError('fetch failed')
      return attempt === tries ? refusal('statement_expired', { appended: null }, 401) : receiptOf(event)
    })
    await expect(client.devices.suspend(phone.deviceId)).rejects.toThrow('fetch failed')
    await expect(client.devices.revoke(phone.deviceId)).resolves.toMatchObject({ sequence: 8 })
    const events = sent.flatMap(({ path, body }) => (path === '/api/inception/head' ? [] : [body as ChangeDevice]))
    expect(events.map(({ statement }) => statement.event)).toEqual([...Array(tries + 1).fill('suspend'), 'revoke'])
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

  it('is the same whenever it is sent again because the connection breaks', async () => {
    const { client, sent } = clientOf(() => {
      throw new TypeError('fetch failed')
    })
    await expect(client.devices.revoke(phone.deviceId)).rejects.toThrow('fetch failed')
    expect(sent).toHaveLength(4)
    expect(sent[2]?.body).toEqual(sent[1]?.body)
    expect(sent[3]?.body).toEqual(sent[1]?.body)
    expect(new Set(sent.map(({ authorization }) => authorization)).size).toBe(4)
  })
})

describe('a device', () => {
  it('reads the log and changes nothing in it', async () => {
    const acceptance = await phone.acceptance(alice.did, { realm: REALM, now: NOW })
    const attestation = await clientOf(receiptOf).client.devices.attest(acceptance)
    const { epoch, userId, publicKeyB64u } = alice
    const device = await phone.attested(attestation, [{ epoch, userId, publicKeyB64u }], REALMS)
    const fetch = () => Promise.reject(new Error('nothing is sent'))
    const { devices } = new Client({ core: CORE, did: 'https://did.test', device, fetch, now: () => NOW })
    const refusal = new TypeError('Only the root key can change devices')
    await expect(devices.makeAttestation(acceptance, HEAD)).rejects.toThrow(refusal)
    await expect(devices.makeChange(device.deviceId, { event: 'resume' }, HEAD)).rejects.toThrow(refusal)
  })
})
