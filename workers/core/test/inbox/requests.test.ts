import { listDurableObjectIds } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { minted } from '../assets/assets.fixture.ts'
import { failingBefore } from '../database.fixture.ts'
import { freshCaller } from '../harness.ts'
import {
  ask,
  DUMMY_TOKEN,
  freshEmail,
  freshOwner,
  Mailbox,
  type Owner,
  opened,
  post,
  refused,
  storedIn,
  wrong,
} from './inbox.fixture.ts'

let owner: Owner
beforeAll(async () => {
  owner = await freshOwner()
})

const UNKNOWN = `asset:sha3-384:${'0'.repeat(96)}`
const invalid = { status: 400, body: { code: 'invalid_request' } }

describe('a contact request is rejected', () => {
  const send = (body: unknown, mailbox = new Mailbox()) => post('contact-request', body, { fetch: mailbox.fetch })
  const good = () => ({ assetId: owner.assetId, fromEmail: freshEmail(), challengeToken: DUMMY_TOKEN })

  it.each([undefined, '', null, 7, [], {}])('without an asset: %j', async (assetId) => {
    expect(await send({ ...good(), assetId })).toMatchObject(refused(400, 'missing_asset'))
  })

  it('for a missing asset before any other error', async () => {
    const body = { message: 'hello', fromEmail: 7 }
    expect(await send(body)).toMatchObject(refused(400, 'missing_asset'))
    expect(await send({ ...body, assetId: UNKNOWN })).toMatchObject(refused(400, 'plaintext_rejected'))
    expect(await send({ assetId: UNKNOWN, fromEmail: 7 })).toMatchObject(invalid)
    expect(await send({ ...good(), assetId: UNKNOWN, challengeToken: 'x' })).toMatchObject(
      refused(400, 'challenge_failed'),
    )
  })

  it('for plaintext members, which are named and never quoted', async () => {
    const named = ['name', 'email', 'subject', 'message', 'body', 'text', 'title', 'content']
    const log = vi.spyOn(console, 'log').mockImplementation(() => {})
    for (const member of named) {
      const answer = await send({ ...good(), [member]: 'a secret word' })
      expect(answer).toMatchObject({
        ...refused(400, 'plaintext_rejected'),
        body: { details: { members: [member], others: 0 } },
      })
      expect(JSON.stringify(answer.body)).not.toContain('secret word')
    }
    const other = await send({ ...good(), 'a secret word': 1, message: 'x' })
    expect(other.body).toMatchObject({ details: { members: ['message'], others: 1 } })
    expect(JSON.stringify([other.body, log.mock.calls])).not.toContain('secret word')
  })

  it.each([
    ['no address', { fromEmail: undefined }],
    ['an invalid address', { fromEmail: 'ada' }],
    ['two addresses', { fromEmail: 'ada@example.org,bob@example.org' }],
    ['a line break in it', { fromEmail: 'ada@example.org\r\nBcc: bob@example.org' }],
    ['a line break after it', { fromEmail: 'ada@example.org\n' }],
    ['a name around it', { fromEmail: 'Ada <ada@example.org>' }],
    ['an address that is too long', { fromEmail: `${'a'.repeat(250)}@example.org` }],
    ['no token', { challengeToken: undefined }],
    ['an empty token', { challengeToken: '' }],
    ['a token that is too long', { challengeToken: 'x'.repeat(2_049) }],
    ['an asset id that is too long', { assetId: 'a'.repeat(1_025) }],
  ])('with %s', async (_, members) => {
    const mailbox = new Mailbox()
    expect(await send({ ...good(), ...members }, mailbox)).toMatchObject(invalid)
    expect(mailbox.kept).toEqual([])
  })

  it.each([
    ['fails', { challengeToken: 'another token' }, {}],
    ['is always failed', {}, { TURNSTILE_SECRET: '2x0000000000000000000000000000000AA' }],
    ['was spent', {}, { TURNSTILE_SECRET: '3x0000000000000000000000000000000AA' }],
  ])('when the challenge %s', async (_, members, bindings) => {
    const mailbox = new Mailbox(bindings)
    expect(await send({ ...good(), ...members }, mailbox)).toMatchObject(refused(400, 'challenge_failed'))
    expect(mailbox.kept).toEqual([])
  })

  it('with a testing secret left in a deployment', async () => {
    const mailbox = new Mailbox({ ENVIRONMENT: 'production' })
    expect(await send(good(), mailbox)).toMatchObject(refused(503, 'dependency_unavailable'))
  })

  it('with a token of another form or another page', async () => {
    const mailbox = new Mailbox({ ENVIRONMENT: 'production', TURNSTILE_SECRET: 'a secret of the tests' })
    const verdict = { success: true, challenge_ts: new Date().toISOString(), hostname: 'localhost', action: 'contact' }
    for (const [changed, status] of [
      [{ action: 'invite' }, 400],
      [{ hostname: 'phishing.example' }, 400],
      [{}, 200],
      [{ hostname: 'core.test' }, 200],
    ] as const) {
      vi.stubGlobal('fetch', async () => Response.json({ ...verdict, ...changed }))
      expect((await send(good(), mailbox)).status, JSON.stringify(changed)).toBe(status)
    }
  })
})

describe('an owner that cannot be found', () => {
  it('gets the same answer at the same time, whatever the cause', async () => {
    const keyless = await freshCaller()
    const ended = await freshOwner()
    await ended.caller.client.security.deactivate()
    const unreachable = { getByName: () => ({ authority: () => Promise.reject(new Error('unreachable')) }) }
    const silent = { getByName: () => ({ authority: () => new Promise(() => {}) }) }
    const causes: Record<string, [string, object]> = {
      'an unknown asset': [UNKNOWN, {}],
      'a malformed asset': ['robots.txt', {}],
      'a database that is down': [owner.assetId, failingBefore('FROM assets')],
      'an owner without a key': [await minted(keyless), {}],
      'an owner that has ended': [ended.assetId, {}],
      'an owner that cannot be reached': [owner.assetId, { IDENTITIES: unreachable }],
      'an owner that never answers': [owner.assetId, { IDENTITIES: silent }],
    }
    const inboxes = await listDurableObjectIds(env.INBOXES)
    const answers = await Promise.all(
      Object.entries(causes).map(async ([cause, [assetId, bindings]]) => {
        const mailbox = new Mailbox(bindings)
        const begun = performance.now()
        const { status, body } = await ask(assetId, { fetch: mailbox.fetch })
        expect(mailbox.kept, cause).toEqual([])
        return { cause, status, body: { ...body, timestamp: 0 }, milliseconds: performance.now() - begun }
      }),
    )
    for (const { cause, status, body, milliseconds } of answers) {
      expect({ status, body }, cause).toEqual({
        status: 404,
        body: {
          success: false,
          error: 'owner_unresolvable',
          message: 'The owner of the asset cannot be found',
          timestamp: 0,
        },
      })
      expect(milliseconds, cause).toBeGreaterThanOrEqual(1_490)
    }
    const times = answers.map(({ milliseconds }) => milliseconds)
    expect(Math.max(...times) - Math.min(...times)).toBeLessThan(1_000)
    expect(await listDurableObjectIds(env.INBOXES)).toHaveLength(inboxes.length)
  })
})

describe('what is submitted with the code', () => {
  const verifying = (body: unknown) => post('verify-otp', body)

  it('is rejected as plaintext if it has a member that no envelope has', async () => {
    const { contact, code, envelope } = await opened(owner)
    const { requestId } = contact
    const cases = [
      [{ requestId, code, envelope, message: 'hello' }, ['message']],
      [{ requestId, code, envelope: { ...envelope, subject: 'hello' } }, ['envelope.subject']],
      [{ requestId, code, envelope: { ...envelope, x: 'hello' } }, []],
      [{ text: 'hello', envelope: { body: 'hello' } }, ['text']],
    ] as const
    for (const [body, members] of cases) {
      const answer = await verifying(body)
      expect(answer).toMatchObject({ ...refused(400, 'plaintext_rejected'), body: { details: { members } } })
      expect(JSON.stringify(answer.body)).not.toContain('hello')
    }
    const { requests } = (await storedIn(owner.did))!
    expect(requests).toContainEqual(expect.objectContaining({ request_id: requestId, attempts: 0 }))
    expect((await verifying({ requestId, code, envelope })).status).toBe(200)
  })

  it('must have the length of a bucket, and its other parts their own lengths', async () => {
    const { contact, code, envelope } = await opened(owner)
    const { requestId } = contact
    const lengths = [0, 1, 16, 1039, 1041, 1024, 4096, 65_553]
    const changes = [
      ...lengths.map((bytes) => ({ ciphertextB64u: Buffer.alloc(bytes).toString('base64url') })),
      { kemCiphertextB64u: 'AAAA' },
      { ephemeralB64u: 'AAAA' },
      { ephemeralB64u: 'A'.repeat(43) },
      { nonceB64u: 'AAAA' },
      { kemKeyId: 'x' },
    ]
    for (const changed of changes) {
      expect(await verifying({ requestId, code, envelope: { ...envelope, ...changed } })).toMatchObject(invalid)
    }
    for (const bad of ['12345', '1234567', 'abcdef', '', 123456, '１２３４５６']) {
      expect(await verifying({ requestId, code: bad, envelope })).toMatchObject(invalid)
    }
    expect((await verifying({ requestId, code: wrong(code), envelope })).status).toBe(403)
    for (const bytes of [1040, 4112, 16_400, 65_552]) {
      const other = await opened(owner)
      const sized = { ...other.envelope, ciphertextB64u: Buffer.alloc(bytes, 7).toString('base64url') }
      const body = { requestId: other.contact.requestId, code: other.code, envelope: sized }
      expect((await verifying(body)).status, String(bytes)).toBe(200)
    }
  })
})
