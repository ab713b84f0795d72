import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ContactSecrets } from '../../src/contact/secrets.ts'
import {
  ask,
  freshAddress,
  freshEmail,
  freshOwner,
  limited,
  Mailbox,
  opened,
  post,
  verify,
  wrong,
} from './inbox.fixture.ts'

afterEach(() => vi.useRealTimers())

function after(milliseconds: number): void {
  const now = Date.now()
  vi.useFakeTimers({ toFake: ['Date'] })
  vi.setSystemTime(now + milliseconds)
}

const statuses = (answers: readonly { readonly status: number }[]) =>
  Object.fromEntries(
    [...Map.groupBy(answers, ({ status }) => status)].map(([status, of]) => [String(status), of.length]),
  )
const times = <T>(count: number, work: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, i) => work(i)))

describe('one address', () => {
  it('can send exactly five requests in ten minutes, even concurrently', async () => {
    const { assetId } = await freshOwner()
    const { fetch } = new Mailbox()
    const address = freshAddress()
    const answers = await times(20, () => ask(assetId, { fetch, address }))
    expect(statuses(answers)).toEqual({ '200': 5, '429': 15 })
    const refusal = answers.find(({ status }) => status === 429)
    expect(refusal).toMatchObject(limited)
    expect(Number(refusal?.headers.get('retry-after'))).toBeGreaterThan(590)
    expect(refusal?.body['retryAfter']).toBe(Number(refusal?.headers.get('retry-after')))
    after(595_000)
    expect((await ask(assetId, { fetch, address })).status).toBe(429)
    after(10_000)
    expect(statuses(await times(7, () => ask(assetId, { fetch, address })))).toEqual({ '200': 5, '429': 2 })
  })

  it('is counted separately, before the body is read', async () => {
    const address = freshAddress()
    for (let i = 0; i < 5; i += 1) expect((await post('contact-request', {}, { address })).status).toBe(400)
    expect(await post('contact-request', {}, { address })).toMatchObject(limited)
    expect((await post('contact-request', {}, { address: freshAddress() })).status).toBe(400)
    expect((await post('verify-otp', {}, { address })).status).toBe(400)
  })

  it('of IPv6 is counted by its network', async () => {
    const network = freshAddress().replace(/::1$/, '')
    for (let i = 0; i < 5; i += 1) await post('contact-request', {}, { address: `${network}::${i + 1}` })
    expect((await post('contact-request', {}, { address: `${network}::9` })).status).toBe(429)
  })
})

describe('one recipient', () => {
  it('can have exactly thirty open requests, from any number of addresses', async () => {
    const { assetId } = await freshOwner()
    const { fetch, kept } = new Mailbox()
    const answers = await times(40, () => ask(assetId, { fetch }))
    expect(statuses(answers)).toEqual({ '200': 30, '429': 10 })
    expect(kept).toHaveLength(30)
    const refusal = answers.find(({ status }) => status === 429)
    expect(refusal).toMatchObject(limited)
    expect(Number(refusal?.headers.get('retry-after'))).toBeGreaterThan(500)
    expect(Number(refusal?.headers.get('retry-after'))).toBeLessThanOrEqual(600)
  })

  it('gets the places of requests back whose codes expire unused: strangers cannot close an inbox for a day', async () => {
    const { assetId } = await freshOwner()
    const { fetch } = new Mailbox()
    await times(30, () => ask(assetId, { fetch }))
    after(590_000)
    expect((await ask(assetId, { fetch })).status).toBe(429)
    after(11_000)
    expect(statuses(await times(40, () => ask(assetId, { fetch })))).toEqual({ '200': 30, '429': 10 })
  })

  it('keeps the places of delivered messages for a day, and of wrong codes until they expire', async () => {
    const owner = await freshOwner()
    const one = await opened(owner)
    expect((await verify(one.contact, one.code, one.envelope)).status).toBe(200)
    const other = await opened(owner)
    for (let i = 1; i <= 5; i += 1) await verify(other.contact, wrong(other.code, i), other.envelope)
    const { fetch } = new Mailbox()
    expect(statuses(await times(30, () => ask(owner.assetId, { fetch })))).toEqual({ '200': 28, '429': 2 })
    after(601_000)
    expect(statuses(await times(30, () => ask(owner.assetId, { fetch })))).toEqual({ '200': 29, '429': 1 })
    after(86_400_000 - 601_000)
    expect(statuses(await times(31, () => ask(owner.assetId, { fetch })))).toEqual({ '200': 30, '429': 1 })
  })

  it('keeps the place of a resent code until the new one expires', async () => {
    const owner = await freshOwner()
    const { contact, mailbox } = await opened(owner)
    after(300_000)
    await post('resend-otp', { requestId: contact.requestId }, { fetch: mailbox.fetch })
    after(301_000)
    const { fetch } = new Mailbox()
    expect(statuses(await times(30, () => ask(owner.assetId, { fetch })))).toEqual({ '200': 29, '429': 1 })
  })

  it('is not affected by requests that fail the challenge', async () => {
    const { assetId } = await freshOwner()
    const { fetch } = new Mailbox()
    const bots = await times(31, () => ask(assetId, { fetch, challengeToken: 'made up' }))
    expect(statuses(bots)).toEqual({ '400': 31 })
    expect(statuses(await times(30, () => ask(assetId, { fetch })))).toEqual({ '200': 30 })
  })
})

describe('one mail address', () => {
  it('is sent exactly ten codes in a day, for all recipients and spellings together', async () => {
    const owners = await times(3, () => freshOwner())
    const { fetch, kept } = new Mailbox()
    const [local, domain] = freshEmail().split('@')
    const spellings = [`${local}@${domain}`, `${local?.toUpperCase()}@${domain}`, `${local}+tag@${domain}`]
    const answers = await times(20, (i) => ask(owners[i % 3]!.assetId, { fetch, fromEmail: spellings[i % 3] ?? '' }))
    expect(statuses(answers)).toEqual({ '200': 10, '429': 10 })
    expect(kept).toHaveLength(10)
    expect(answers.find(({ status }) => status === 429)).toMatchObject(limited)
    const other = await ask(owners[0]!.assetId, { fetch })
    expect(other.status).toBe(200)
  })

  it('of a provider that ignores dots counts as one, however it is written', async () => {
    const { assetId } = await freshOwner()
    const { fetch } = new Mailbox()
    const spelled = (i: number) =>
      `ad${'.'.repeat(i % 2)}a${'.'.repeat((i >> 1) % 2)}x${'.'.repeat((i >> 2) % 2)}yz+${i}@gmail.com`
    expect(statuses(await times(12, (i) => ask(assetId, { fetch, fromEmail: spelled(i) })))).toEqual({
      '200': 10,
      '429': 2,
    })
  })

  it('over its limit does not count against a recipient', async () => {
    const [busy, { assetId }] = [await freshOwner(), await freshOwner()]
    const { fetch } = new Mailbox()
    const fromEmail = freshEmail()
    expect(statuses(await times(10, () => ask(busy.assetId, { fetch, fromEmail })))).toEqual({ '200': 10 })
    expect(statuses(await times(5, () => ask(assetId, { fetch, fromEmail })))).toEqual({ '429': 5 })
    expect(statuses(await times(30, () => ask(assetId, { fetch })))).toEqual({ '200': 30 })
  })

  it('counts resent codes', async () => {
    const owner = await freshOwner()
    const mailbox = new Mailbox()
    const { contact } = await opened(owner, mailbox)
    const fromEmail = mailbox.kept[0]?.to ?? ''
    for (let i = 0; i < 9; i += 1) await ask(owner.assetId, { fetch: mailbox.fetch, fromEmail })
    after(31_000)
    const resent = await post('resend-otp', { requestId: contact.requestId }, { fetch: mailbox.fetch })
    expect(resent).toMatchObject(limited)
    expect(mailbox.kept).toHaveLength(10)
  })
})

describe('one domain', () => {
  it('is sent at most five hundred codes in a day, unless many people have addresses there', async () => {
    const { assetId } = await freshOwner()
    const secrets = new ContactSecrets(new Map([[1, env.CODES_SEED]]))
    const limit = { limit: 500, seconds: 86_400 }
    const [name] = (await secrets.countedNames('somebody@mail.owned.example')).domain
    const counter = env.COUNTERS.getByName(`contact-domain ${name}`)
    for (let i = 0; i < 499; i += 1) await counter.take(limit)
    const { fetch } = new Mailbox()
    const answers = await times(10, (i) => ask(assetId, { fetch, fromEmail: `a${i}@sub${i}.owned.example` }))
    expect(statuses(answers)).toEqual({ '200': 1, '429': 9 })
    const many = await times(10, (i) => ask(assetId, { fetch, fromEmail: `somebody.else${i}@gmail.com` }))
    expect(statuses(many)).toEqual({ '200': 10 })
  })
})
