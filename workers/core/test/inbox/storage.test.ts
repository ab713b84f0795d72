import { evictDurableObject, listDurableObjectIds, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { call } from '../harness.ts'
import { ask, freshEmail, freshOwner, Mailbox, opened, post, storedIn, verify, wrong } from './inbox.fixture.ts'

afterEach(() => vi.useRealTimers())

function clockAt(time: number): void {
  vi.useFakeTimers({ toFake: ['Date'] })
  vi.setSystemTime(time)
}
const inboxes = async () => (await listDurableObjectIds(env.INBOXES)).map(String).toSorted()
const alarmOf = (did: string) => runInDurableObject(env.INBOXES.getByName(did), (_, { storage }) => storage.getAlarm())
const ring = (did: string) => runDurableObjectAlarm(env.INBOXES.getByName(did))

/** Copies the inbox’s one message so many times. */
const fillWith = (did: string, copies: number) =>
  runInDurableObject(env.INBOXES.getByName(did), (_, { storage }) => {
    storage.sql.exec(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
       INSERT INTO messages (msg_id, request_id, asset_id, envelope, received_at)
       SELECT printf('message-%014d', i), printf('request-%072d', i), asset_id, envelope, received_at FROM messages, n`,
      copies,
    )
  })

describe('an inbox', () => {
  it('is not created by a rejected request or a forged id', async () => {
    const owner = await freshOwner()
    const { contact, code, envelope } = await opened(await freshOwner())
    const { contact: another } = await opened(await freshOwner())
    const before = await inboxes()
    await ask(owner.assetId, { fetch: new Mailbox().fetch, challengeToken: 'made up' })
    await post('contact-request', { assetId: owner.assetId, message: 'hello' })
    const { requestId: id } = contact
    // The last two are halves of two ids, and an id that says whose inbox it means.
    const mixed = id.slice(0, 40) + another.requestId.slice(40)
    for (const requestId of ['A'.repeat(80), mixed, owner.did.slice(8) + id.slice(32)]) {
      expect((await verify({ requestId }, code, envelope)).status).toBe(404)
      expect((await post('resend-otp', { requestId })).status).toBe(404)
    }
    expect(await inboxes()).toEqual(before)
  })

  it('erases the address on delivery, and every trace of the request once it expires', async () => {
    const owner = await freshOwner()
    const { contact, code, envelope, mailbox } = await opened(owner)
    const address = mailbox.kept[0]?.to ?? ''
    expect(JSON.stringify(await storedIn(owner.did))).toContain(address)
    await verify(contact, code, envelope)
    expect(JSON.stringify(await storedIn(owner.did))).not.toContain(address)
    clockAt(contact.expiresAt + 1)
    expect(await ring(owner.did)).toBe(true)
    const stored = await storedIn(owner.did)
    expect(stored).toMatchObject({ requests: [], admissions: [{}], messages: [{ request_id: contact.requestId }] })
    clockAt(contact.expiresAt + 86_400_000)
    expect(await ring(owner.did)).toBe(true)
    expect(await storedIn(owner.did)).toMatchObject({ requests: [], admissions: [], messages: [{}] })
    expect(await alarmOf(owner.did)).toBeNull()
    expect((await owner.caller.client.inbox.list()).messages).toHaveLength(1)
  })

  it('erases itself with the address when the code expires and nothing else counts', async () => {
    const owner = await freshOwner()
    const { contact, mailbox } = await opened(owner)
    const address = mailbox.kept[0]?.to ?? ''
    expect(await alarmOf(owner.did)).toBe(contact.expiresAt)
    clockAt(contact.expiresAt - 1)
    expect(await ring(owner.did)).toBe(true)
    expect(JSON.stringify(await storedIn(owner.did))).toContain(address)
    clockAt(contact.expiresAt)
    await ring(owner.did)
    expect(await storedIn(owner.did)).toBeNull()
    expect(await alarmOf(owner.did)).toBeNull()
    expect(await ring(owner.did)).toBe(false)
  })

  it('survives a restart of its object', async () => {
    const owner = await freshOwner()
    const { contact, code, envelope } = await opened(owner)
    await verify(contact, wrong(code), envelope)
    await evictDurableObject(env.INBOXES.getByName(owner.did))
    expect((await verify(contact, wrong(code, 2), envelope)).body).toMatchObject({ details: { attemptsLeft: 3 } })
    await evictDurableObject(env.INBOXES.getByName(owner.did))
    expect((await verify(contact, code, envelope)).status).toBe(200)
    await evictDurableObject(env.INBOXES.getByName(owner.did))
    expect((await owner.caller.client.inbox.list()).messages).toHaveLength(1)
  })

  it('is deleted with its last message', async () => {
    const owner = await freshOwner()
    const { contact, code, envelope } = await opened(owner)
    await verify(contact, code, envelope)
    clockAt(contact.expiresAt + 86_400_000)
    await ring(owner.did)
    const { inbox } = owner.caller.client
    const { messages } = await inbox.list()
    await inbox.delete(messages[0]!.msgId)
    expect(await storedIn(owner.did)).toBeNull()
    expect(await inbox.list()).toMatchObject({ messages: [], total: 0 })
  })

  it('holds a thousand messages, and reports the limit before and after a code is sent', async () => {
    const owner = await freshOwner()
    const [early, late] = [await opened(owner), await opened(owner)]
    await verify(early.contact, early.code, early.envelope)
    await fillWith(owner.did, 999)
    const full = { status: 409, body: { error: 'inbox_full' } }
    expect(await verify(late.contact, late.code, late.envelope)).toMatchObject(full)
    expect(await ask(owner.assetId, { fetch: late.mailbox.fetch })).toMatchObject(full)
    expect(late.mailbox.kept).toHaveLength(1)
    await runInDurableObject(env.INBOXES.getByName(owner.did), (_, { storage }) => {
      storage.sql.exec("DELETE FROM messages WHERE msg_id = 'message-00000000000001'")
    })
    expect((await verify(late.contact, late.code, late.envelope)).status).toBe(200)
  })

  it('is read in pages of about a megabyte', async () => {
    const owner = await freshOwner()
    const { contact, code, envelope } = await opened(owner)
    const ciphertextB64u = Buffer.alloc(65_552, 7).toString('base64url')
    expect((await verify(contact, code, { ...envelope, ciphertextB64u })).status).toBe(200)
    await fillWith(owner.did, 13)
    const page = async (query: string) => {
      const { body } = await call(owner.caller, 'GET', `/api/inbox/${owner.did}?limit=100${query}`)
      const { messages, next } = body['data'] as { messages: unknown[]; next: string | null }
      return { count: messages.length, next }
    }
    const first = await page('')
    expect(first.count).toBe(12)
    expect(await page(`&cursor=${first.next}`)).toEqual({ count: 2, next: null })
  })
})

describe('a counter', () => {
  const kept = (name: string) =>
    runInDurableObject(env.COUNTERS.getByName(name), async (_, { storage }) => ({
      tables: storage.sql.exec("SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'marks'").toArray()
        .length,
      alarm: await storage.getAlarm(),
    }))

  it('of an address deletes itself once its window has passed', async () => {
    const address = '203.0.113.77'
    const name = `contact-request ${address}`
    const wellFormed = { assetId: 'a', fromEmail: freshEmail(), challengeToken: 'made up' }
    await post('contact-request', {}, { address })
    expect(await kept(name)).toEqual({ tables: 0, alarm: null })
    await post('contact-request', wellFormed, { address })
    const { tables, alarm } = await kept(name)
    expect(tables).toBe(1)
    clockAt((alarm ?? 0) - 1)
    expect(await runDurableObjectAlarm(env.COUNTERS.getByName(name))).toBe(true)
    expect(await kept(name)).toEqual({ tables: 1, alarm })
    clockAt(alarm ?? 0)
    expect(await runDurableObjectAlarm(env.COUNTERS.getByName(name))).toBe(true)
    expect(await kept(name)).toEqual({ tables: 0, alarm: null })
    expect((await post('contact-request', {}, { address })).status).toBe(400)
  })

  it('of mail contains no address, nor does its name', async () => {
    const owner = await freshOwner()
    const fromEmail = freshEmail()
    await ask(owner.assetId, { fetch: new Mailbox().fetch, fromEmail })
    const ids = (await listDurableObjectIds(env.COUNTERS)).map(String)
    for (const name of [fromEmail, `contact-mail ${fromEmail}`]) {
      expect(ids).not.toContain(env.COUNTERS.idFromName(name).toString())
    }
  })
})
