import { runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
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
  verify,
  wrong,
} from './inbox.fixture.ts'

let owner: Owner
beforeAll(async () => {
  owner = await freshOwner()
})
afterEach(() => vi.useRealTimers())

const unavailable = refused(503, 'dependency_unavailable')
const down = () => Promise.reject(new Error('unreachable'))

type Methods = Record<string, (real: (...operands: unknown[]) => Promise<unknown>, ...operands: unknown[]) => unknown>

/** The real objects with something injected around some of their methods. */
function around(
  namespace: { getByName(name: string): unknown },
  methods: Methods,
  only: (name: string) => boolean = () => true,
) {
  return {
    getByName(name: string) {
      const stub = namespace.getByName(name) as Record<string, (...operands: unknown[]) => Promise<unknown>>
      if (!only(name)) return stub
      return new Proxy(
        {},
        {
          get: (_, method: string) => {
            const changed = methods[method]
            const real = (...operands: unknown[]) => stub[method]!(...operands)
            return changed ? (...operands: unknown[]) => changed(real, ...operands) : real
          },
        },
      )
    },
  }
}

describe('when a dependency is unavailable', () => {
  it.each<[string, object]>([
    ['the counter of addresses', { COUNTERS: around(env.COUNTERS, { take: down }) }],
    [
      'the counter of mail',
      { COUNTERS: around(env.COUNTERS, { take: down }, (name) => name.startsWith('contact-mail')) },
    ],
    ['the inbox', { INBOXES: around(env.INBOXES, { open: down }) }],
    ['the seed of codes', { CODES_SEED: undefined }],
    ['the challenge', { TURNSTILE_SECRET: undefined }],
    ['the sender of mail', { MAIL_FROM: '' }],
  ])('%s: a request is refused, and leaves nothing', async (_, bindings) => {
    const { did, assetId } = await freshOwner()
    const mailbox = new Mailbox(bindings)
    expect(await ask(assetId, { fetch: mailbox.fetch })).toMatchObject(unavailable)
    expect(mailbox.kept).toEqual([])
    expect((await storedIn(did)) ?? { requests: [], admissions: [] }).toMatchObject({ requests: [], admissions: [] })
  })

  it('rejecting a code costs no attempt', async () => {
    const { contact, code, envelope } = await opened(owner)
    const broken: object[] = [
      { IDENTITIES: around(env.IDENTITIES, { authority: down }) },
      { INBOXES: around(env.INBOXES, { deliver: down }) },
      { CODES_SEED: '' },
    ]
    for (const bindings of broken) {
      for (const guess of [code, wrong(code)]) {
        const { fetch } = new Mailbox(bindings)
        expect(await verify(contact, guess, envelope, fetch)).toMatchObject(unavailable)
      }
    }
    expect((await verify(contact, wrong(code), envelope)).body).toMatchObject({ details: { attemptsLeft: 4 } })
    expect((await verify(contact, code, envelope)).status).toBe(200)
  })

  it('the inbox of an owner is 503, never empty', async () => {
    const { fetch } = new Mailbox({ INBOXES: around(env.INBOXES, { list: down, markRead: down, delete: down }) })
    const { caller, did } = owner
    const msgId = 'A'.repeat(22)
    for (const [method, path] of [
      ['GET', `/api/inbox/${did}`],
      ['POST', `/api/inbox/${did}/${msgId}/read`],
      ['DELETE', `/api/inbox/${did}/${msgId}`],
    ] as const) {
      const headers = { authorization: await caller.assertion('chain'), 'cf-connecting-ip': caller.address }
      const response = await fetch(new Request(`https://core.test${path}`, { method, headers }))
      expect(response.status, path).toBe(503)
    }
  })
})

describe('an outage of the mail service', () => {
  it('uses up neither the recipient’s limit nor the address’s, and stores nothing', async () => {
    const { did, assetId } = await freshOwner()
    const mailbox = new Mailbox()
    const fromEmail = freshEmail()
    mailbox.fails = true
    const ten = () => Promise.all(Array.from({ length: 10 }, () => ask(assetId, { fetch: mailbox.fetch, fromEmail })))
    for (const answer of await ten()) expect(answer).toMatchObject(unavailable)
    expect(JSON.stringify(await storedIn(did))).not.toContain(fromEmail)
    expect(await storedIn(did)).toBeNull()
    mailbox.fails = false
    for (const { status } of await ten()) expect(status).toBe(200)
    const rest = await Promise.all(Array.from({ length: 21 }, () => ask(assetId, { fetch: mailbox.fetch })))
    expect(rest.filter(({ status }) => status === 200)).toHaveLength(20)
  })

  it('keeps the old code valid if a new one cannot be mailed', async () => {
    const { contact, code, envelope, mailbox } = await opened(owner)
    const now = Date.now()
    vi.useFakeTimers({ toFake: ['Date'] })
    vi.setSystemTime(now + 31_000)
    mailbox.fails = true
    const resend = () => post('resend-otp', { requestId: contact.requestId }, { fetch: mailbox.fetch })
    for (let i = 0; i < 5; i += 1) expect(await resend()).toMatchObject(unavailable)
    expect((await verify(contact, code, envelope)).status).toBe(200)
  })
})

describe('a crash', () => {
  it('between storing the request and mailing counts one of thirty until it expires, and everything is erased', async () => {
    const { did, assetId } = await freshOwner()
    const mailbox = new Mailbox({ INBOXES: around(env.INBOXES, { withdraw: down }) })
    mailbox.fails = true
    const fromEmail = freshEmail()
    expect(await ask(assetId, { fetch: mailbox.fetch, fromEmail })).toMatchObject(unavailable)
    expect(JSON.stringify(await storedIn(did))).toContain(fromEmail)
    const now = Date.now()
    vi.useFakeTimers({ toFake: ['Date'] })
    vi.setSystemTime(now + 601_000)
    expect(await runDurableObjectAlarm(env.INBOXES.getByName(did))).toBe(true)
    expect(await storedIn(did)).toBeNull()
  })

  it('between delivery and answer is repaired by repeating the request', async () => {
    const lossy = around(env.INBOXES, {
      deliver: async (real, ...operands) => {
        await real(...operands)
        throw new Error('the answer was lost')
      },
    })
    const { contact, code, envelope } = await opened(owner)
    const { fetch } = new Mailbox({ INBOXES: lossy })
    expect(await verify(contact, code, envelope, fetch)).toMatchObject(unavailable)
    expect((await verify(contact, code, envelope)).status).toBe(200)
    const { messages } = await owner.caller.client.inbox.list()
    expect(messages.filter(({ requestId }) => requestId === contact.requestId)).toHaveLength(1)
  })

  it('between counting a code and mailing it does not prevent the next one', async () => {
    const { assetId } = await freshOwner()
    const lossy = around(
      env.COUNTERS,
      {
        take: async (real, ...operands) => {
          await real(...operands)
          throw new Error('lost')
        },
      },
      (name) => name.startsWith('contact-mail'),
    )
    const fromEmail = freshEmail()
    expect(await ask(assetId, { fetch: new Mailbox({ COUNTERS: lossy }).fetch, fromEmail })).toMatchObject(unavailable)
    const mailbox = new Mailbox()
    for (let i = 0; i < 9; i += 1) expect((await ask(assetId, { fetch: mailbox.fetch, fromEmail })).status).toBe(200)
    expect((await ask(assetId, { fetch: mailbox.fetch, fromEmail })).status).toBe(429)
  })
})

it('the log contains nothing of a request: no code, address, token or envelope', async () => {
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  const { contact, code, envelope, mailbox } = await opened(owner)
  await verify(contact, wrong(code), envelope)
  await verify(contact, code, envelope)
  mailbox.fails = true
  const fromEmail = freshEmail()
  await ask(owner.assetId, { fetch: mailbox.fetch, fromEmail })
  await post('contact-request', {
    assetId: owner.assetId,
    fromEmail,
    challengeToken: 'a token',
    message: 'plain words',
  })
  const lines = log.mock.calls.map(([line]) => String(line)).join('\n')
  expect(lines.split('\n').length).toBeGreaterThanOrEqual(5)
  const to = mailbox.kept[0]?.to ?? 'no mail'
  const secrets = [`"${code}"`, ` ${code}`, to, fromEmail, DUMMY_TOKEN, 'a token', 'plain words', contact.requestId]
  for (const secret of [...secrets, envelope.ciphertextB64u.slice(0, 40), owner.did, owner.assetId]) {
    expect(lines).not.toContain(secret)
  }
})
