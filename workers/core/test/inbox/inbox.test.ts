import { Client } from '@svc/client'
import { fetchOf } from '@svc/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { call, send } from '../harness.ts'
import { ask, DRAFT, freshEmail, freshOwner, Mailbox, type Owner, opened, storedIn, verify } from './inbox.fixture.ts'

let owner: Owner
beforeAll(async () => {
  owner = await freshOwner()
})

describe('writing to the owner of an asset', () => {
  it('works with the mailed code, and the owner opens the sealed message', async () => {
    const { contact, code, envelope, mailbox } = await opened(owner)
    expect(mailbox.kept).toHaveLength(1)
    const delivered = await verify(contact, code, envelope)
    expect(delivered).toMatchObject({ status: 200, body: { data: { requestId: contact.requestId } } })
    const { inbox } = owner.caller.client
    const { messages, unread, total } = await inbox.list()
    expect({ unread, total }).toEqual({ unread: 1, total: 1 })
    const [message] = messages
    expect(await inbox.open(message!)).toEqual({ ...DRAFT, assetId: owner.assetId, sealedWith: 'x-wing' })
    expect(message).toMatchObject({ assetId: owner.assetId, requestId: contact.requestId, readAt: null, envelope })
    const readAt = await inbox.read(message!.msgId)
    expect(await inbox.read(message!.msgId)).toBe(readAt)
    expect(await inbox.list()).toMatchObject({ unread: 0, total: 1, messages: [{ readAt }] })
    await inbox.delete(message!.msgId)
    await expect(inbox.delete(message!.msgId)).rejects.toMatchObject({ status: 404, error: 'not_found' })
    await expect(inbox.read(message!.msgId)).rejects.toMatchObject({ status: 404, error: 'not_found' })
    for (const other of ['x', message!.msgId.toUpperCase(), `${message!.msgId}0`]) {
      await expect(inbox.delete(other), other).rejects.toMatchObject({ status: 404, error: 'not_found' })
      await expect(inbox.read(other), other).rejects.toMatchObject({ status: 404, error: 'not_found' })
    }
    expect(await inbox.list()).toMatchObject({ unread: 0, total: 0, messages: [], next: null })
  })

  it('works through the SDK without an identity', async () => {
    const mailbox = new Mailbox()
    const headers = { 'cf-connecting-ip': '2001:db8:77:1::1' }
    const anyone = new Client({
      core: 'https://core.test',
      did: 'https://did.test',
      fetch: fetchOf(mailbox.fetch),
      headers,
    })
    const request = { assetId: owner.assetId, fromEmail: freshEmail(), challengeToken: 'XXXX.DUMMY.TOKEN.XXXX' }
    const contact = await anyone.contact.request({ ...request, owner: owner.did })
    const { kemPublicKeyB64u, x25519B64u } = owner.caller.identity
    expect(contact).toMatchObject({ owner: owner.did, kemPublicB64u: kemPublicKeyB64u, x25519B64u })
    const envelope = await anyone.contact.seal(contact, DRAFT)
    await anyone.contact.verify(contact, mailbox.code, envelope)
    const { messages } = await owner.caller.client.inbox.list()
    expect(await owner.caller.client.inbox.open(messages[0]!)).toMatchObject({ ...DRAFT, sealedWith: 'x-wing' })
  })

  it('delivers what a client sealed with ML-KEM-768 alone', async () => {
    const { contact, code, envelope } = await opened(owner)
    const { ephemeralB64u: _, ...alone } = envelope
    expect((await verify(contact, code, alone)).status).toBe(200)
    const { messages } = await owner.caller.client.inbox.list()
    expect(messages[0]?.envelope).toEqual(alone)
  })

  it('returns the proof of the key, and the times of the code', async () => {
    const before = Date.now()
    const { contact } = await opened(owner)
    const { identity } = owner.caller
    expect(contact).toMatchObject({
      kemPublicB64u: identity.kemPublicKeyB64u,
      x25519B64u: identity.x25519B64u,
      keyAgreement: { statement: { did: owner.did, publicKeyB64u: identity.kemPublicKeyB64u } },
      rootPublicKeyB64u: identity.publicKeyB64u,
      rootEpoch: 0,
      sendsLeft: 2,
    })
    expect(contact.expiresAt - before).toBeGreaterThanOrEqual(600_000)
    expect(contact.expiresAt - contact.resendAfter).toBe(570_000)
  })

  it('mails the code as plain text, which contains nothing from the sender except the address', async () => {
    const mailbox = new Mailbox()
    const fromEmail = freshEmail()
    expect((await ask(owner.assetId, { fetch: mailbox.fetch, fromEmail })).status).toBe(200)
    const [mail] = mailbox.kept
    expect(mail).toMatchObject({
      from: { email: 'no-reply@localhost.example', name: 'Svc' },
      to: fromEmail,
      subject: 'Your code to send a message',
    })
    expect(mail?.text).toContain(`Your code is ${mailbox.code}`)
    expect(mail?.text).toContain(owner.assetId)
    expect(mail?.text).toContain('ten minutes')
    expect(mail?.text).toContain('ignore this mail')
    expect(Object.keys(mail ?? {}).toSorted()).toEqual(['from', 'subject', 'text', 'to'])
  })

  it('sends through the deployment’s binding', async () => {
    expect((await ask(owner.assetId, { fetch: send })).status).toBe(200)
  })
})

describe('the inbox of an owner', () => {
  it('is read in pages, newest first, which later messages do not shift', async () => {
    const reader = await freshOwner()
    const { client, identity } = reader.caller
    const requests: string[] = []
    const deliver = async () => {
      const { contact, code, envelope } = await opened(reader)
      expect((await verify(contact, code, envelope)).status).toBe(200)
      requests.unshift(contact.requestId)
    }
    for (let i = 0; i < 5; i += 1) await deliver()
    const before = [...requests]
    const first = await client.inbox.list({ limit: 2 })
    await deliver()
    const second = await client.inbox.list({ limit: 2, cursor: first.next ?? '' })
    const third = await client.inbox.list({ limit: 2, cursor: second.next ?? '' })
    const listed = [first, second, third].flatMap(({ messages }) => messages.map(({ requestId }) => requestId))
    expect(listed).toEqual(before)
    expect(third.next).toBeNull()
    const { messages, format, did } = await client.inbox.export()
    expect({ format, did }).toEqual({ format: 'svc/inbox-export/v1', did: identity.did })
    expect(messages.map(({ requestId }) => requestId)).toEqual(requests)
    for (const limit of ['0', '1000']) {
      expect((await call(reader.caller, 'GET', `/api/inbox/${reader.did}?limit=${limit}`)).status).toBe(200)
    }
    for (const query of ['limit=x', 'cursor=-1', 'limit=1.5', 'other=1']) {
      expect((await call(reader.caller, 'GET', `/api/inbox/${reader.did}?${query}`)).status, query).toBe(400)
    }
  })

  it('is empty before the first message, and stays without storage', async () => {
    const { caller, did } = await freshOwner()
    expect(await caller.client.inbox.list()).toEqual({ did, messages: [], next: null, total: 0, unread: 0 })
    expect(await storedIn(did)).toBeNull()
  })

  it('is only for the owner', async () => {
    const { caller } = await freshOwner()
    const msgId = 'A'.repeat(22)
    for (const [method, path] of [
      ['GET', `/api/inbox/${owner.did}`],
      ['POST', `/api/inbox/${owner.did}/${msgId}/read`],
      ['DELETE', `/api/inbox/${owner.did}/${msgId}`],
    ] as const) {
      const refused = await call(caller, method as 'GET', path)
      expect(refused, path).toMatchObject({ status: 403, body: { error: 'owner_mismatch' } })
    }
  })

  it('does not match its other paths as DIDs', async () => {
    for (const word of ['contact-request', 'verify-otp', 'resend-otp']) {
      expect((await call(owner.caller, 'GET', `/api/inbox/${word}`)).status, word).toBe(403)
    }
  })
})
