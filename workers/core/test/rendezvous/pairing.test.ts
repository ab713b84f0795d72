import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { MAX_SEALED_BYTES } from '@svc/protocol/devices/rendezvous'
import { beforeAll, describe, expect, it } from 'vitest'
import { freshCaller, sendWith } from '../harness.ts'
import { rotated } from '../rotation/rotation.fixture.ts'
import {
  ask,
  clientOf,
  dataOf,
  FLOWS,
  freshDevice,
  freshParty,
  Meeting,
  PAIRING,
  type Party,
  SEALED,
} from './meeting.fixture.ts'

const PAYLOAD = new TextEncoder().encode('a secret between two devices of one person')
const outside = clientOf()

describe('pairing', () => {
  it('takes a device in: the code that both compare, what is sealed, its first assertion, its end', async () => {
    const { client, identity } = await freshCaller()
    const device = await freshDevice()
    const { invitation } = await client.pairing.offer()
    const { confirmationCode } = await outside.pairing.join(invitation, device)
    const read = confirmationCode.toLowerCase().replaceAll('-', ' ')
    const attestation = await client.pairing.approve(invitation, read, { capabilities: ['chain:read'] })
    expect(attestation.statement).toMatchObject({ deviceId: device.deviceId, capabilities: ['chain:read'] })
    await client.pairing.seal(invitation, attestation, PAYLOAD)
    const welcome = await outside.pairing.take(invitation, device)
    expect(welcome).toMatchObject({ attestation, payload: PAYLOAD })

    const member = clientOf(welcome.device)
    expect(await member.chain.head()).toMatchObject({ index: '0', did: identity.did })
    expect(await member.security.placeHold()).toMatchObject({ held: true })
    await client.security.liftHold()
    await client.devices.revoke(device.deviceId)
    await expect(member.chain.head()).rejects.toMatchObject({ status: 401, error: 'unauthorized' })
    await expect(outside.pairing.take(invitation, device)).rejects.toMatchObject({ status: 404, error: 'not_found' })
  })

  it('takes a device in after a rotation, under the current root key', async () => {
    const owner = await freshCaller()
    const { next } = await rotated(owner)
    const device = await freshDevice()
    const { invitation, did } = await next.client.pairing.offer()
    expect(did).toBe(owner.identity.did)
    const { confirmationCode } = await outside.pairing.join(invitation, device)
    const { request } = await next.client.pairing.read(invitation)
    if (!request) throw new Error('nobody has joined')
    expect(await next.client.pairing.confirmationCodeOf(invitation, request)).toBe(confirmationCode)
    await next.client.pairing.seal(invitation, await next.client.devices.attest(request.acceptance))
    const { device: member } = await outside.pairing.take(invitation, device)
    expect(member).toMatchObject({ did: owner.identity.did, epoch: 1 })
    expect((await clientOf(member).chain.head()).index).toBe('0')
  })

  it('takes in nobody whose code is another', async () => {
    const { client } = await freshCaller()
    const { invitation } = await client.pairing.offer()
    await outside.pairing.join(invitation, await freshDevice())
    await expect(client.pairing.approve(invitation, '0000-0000-0000')).rejects.toThrow('The codes differ')
    expect(await client.devices.head()).toMatchObject({ sequence: 0 })
  })

  it('takes the code as it was typed, and the word of the device that it will not join', async () => {
    const { client } = await freshCaller()
    const { invitation } = await client.pairing.offer()
    const typed = invitation.replaceAll('-', ' ').toLowerCase().replaceAll('0', 'o')
    await outside.pairing.join(typed, await freshDevice())
    await outside.pairing.decline(typed)
    await expect(client.pairing.read(invitation)).rejects.toMatchObject({ status: 404, error: 'not_found' })
  })

  it('works where device keys are off: it delivers what the service cannot read', async () => {
    const party = await freshParty()
    const off = sendWith({ DEVICE_KEYS: 'off' })
    const meeting = await Meeting.open(PAIRING, party)
    expect((await meeting.join({}, off)).status).toBe(200)
    expect((await meeting.deliver({}, off)).status).toBe(200)
    expect((await meeting.take(meeting.offer.token, off)).status).toBe(200)
  })
})

describe.each(FLOWS)('what is sealed in $name', (flow) => {
  it('is stored sealed: no byte of the payload and nothing that the root key has signed for it', async () => {
    const { client } = await freshCaller()
    const device = await freshDevice()
    const { invitation, code } = await client[flow.name].offer()
    await outside[flow.name].join(invitation, device)
    const { request } = await client[flow.name].read(invitation)
    if (!request) throw new Error('nobody has joined')
    const attestation = await client.devices.attest(request.acceptance)
    if (flow.name === 'pairing') await client.pairing.seal(invitation, attestation, PAYLOAD)
    else await client.authorization.grant(invitation, attestation, PAYLOAD)
    const rows = await runInDurableObject(env.RENDEZVOUS.getByName(code), (_, { storage }) =>
      storage.sql.exec('SELECT * FROM offer').toArray(),
    )
    const stored = JSON.stringify(rows)
    for (const offset of [0, 1, 2]) {
      const text = encodeBase64url(PAYLOAD.slice(offset, offset + 30))
      expect(stored).not.toContain(text)
    }
    expect(stored).not.toContain('a secret between')
    expect(stored.includes(attestation.signatureB64u)).toBe(flow.name === 'authorization')
    expect((await outside[flow.name].take(invitation, device)).payload).toEqual(PAYLOAD)
  })
})

describe('POST /api/pair/seal', () => {
  let party: Party
  beforeAll(async () => {
    party = await freshParty()
  })

  async function sealing(sealed: unknown, more: object = {}) {
    const meeting = await Meeting.at('joined', PAIRING, party)
    const body = { code: meeting.offer.code, sealed, ...more }
    return { meeting, answer: await ask(PAIRING, 'POST', '/api/pair/seal', { by: party.owner, body }) }
  }

  it('accepts 56 KiB and returns them unchanged', async () => {
    const sealed = { ...SEALED, ciphertextB64u: encodeBase64url(new Uint8Array(MAX_SEALED_BYTES).fill(5)) }
    const { meeting, answer } = await sealing(sealed)
    expect(answer.status).toBe(200)
    expect(dataOf(await meeting.take())).toEqual(sealed)
  })

  it.each([
    ['more than that', { ...SEALED, ciphertextB64u: encodeBase64url(new Uint8Array(MAX_SEALED_BYTES + 1)) }],
    ['another KEM ciphertext', { ...SEALED, kemCiphertextB64u: encodeBase64url(new Uint8Array(1568)) }],
    ['a ciphertext of ML-KEM-768 alone', { ...SEALED, ephemeralB64u: undefined }],
    ['a member that nobody knows', { ...SEALED, plaintext: 'x' }],
    ['plaintext', 'a secret'],
    ['nothing', null],
  ])('refuses %s, and the offer stays as it is', async (_, sealed) => {
    const { meeting, answer } = await sealing(sealed)
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
    expect(dataOf(await meeting.read())).toMatchObject({ status: 'joined' })
  })

  it('refuses a token or a session beside what is sealed', async () => {
    const { answer } = await sealing(SEALED, { sessionToken: 'x' })
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
  })
})
