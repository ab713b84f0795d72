import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import {
  DRAFT,
  freshOwner,
  limited,
  type Owner,
  opened,
  post,
  refused,
  sealed,
  storedIn,
  verify,
  wrong,
} from './inbox.fixture.ts'

let owner: Owner
beforeAll(async () => {
  owner = await freshOwner()
})
afterEach(() => vi.useRealTimers())

/** Advances the clock; existing data stays. */
function after(milliseconds: number): void {
  const now = Date.now()
  vi.useFakeTimers({ toFake: ['Date'] })
  vi.setSystemTime(now + milliseconds)
}

const rejected = (attemptsLeft: number) => ({ ...refused(403, 'code_rejected'), body: { details: { attemptsLeft } } })
const unusable = refused(404, 'code_unusable')
const requestsOf = async (did: string) => ((await storedIn(did))?.['requests'] ?? []) as { request_id: string }[]

describe('a code', () => {
  it('survives four wrong attempts', async () => {
    const { contact, code, envelope } = await opened(owner)
    for (const left of [4, 3, 2, 1])
      expect(await verify(contact, wrong(code, left), envelope)).toMatchObject(rejected(left))
    expect((await verify(contact, code, envelope)).status).toBe(200)
  })

  it('ends with the fifth wrong attempt, and the request and its address are deleted', async () => {
    const { contact, code, envelope } = await opened(owner)
    for (const left of [4, 3, 2, 1, 0]) {
      expect(await verify(contact, wrong(code, left + 1), envelope)).toMatchObject(rejected(left))
    }
    expect(await verify(contact, code, envelope)).toMatchObject(unusable)
    expect(await post('resend-otp', { requestId: contact.requestId })).toMatchObject(unusable)
    expect((await requestsOf(owner.did)).map(({ request_id }) => request_id)).not.toContain(contact.requestId)
  })

  it('is valid for ten minutes', async () => {
    const [soon, late] = [await opened(owner), await opened(owner)]
    after(595_000)
    expect((await verify(soon.contact, soon.code, soon.envelope)).status).toBe(200)
    after(10_000)
    expect(await verify(late.contact, late.code, late.envelope)).toMatchObject(unusable)
  })

  it('is single-use: the same envelope gets the same answer, another one is rejected', async () => {
    const { contact, code, envelope } = await opened(owner)
    const first = await verify(contact, code, envelope)
    const again = await verify(contact, code, envelope)
    expect(again.status).toBe(200)
    expect(again.body['data']).toEqual(first.body['data'])
    expect(await verify(contact, code, await sealed(contact, DRAFT))).toMatchObject(unusable)
    expect(await verify(contact, wrong(code), envelope)).toMatchObject(unusable)
    const { messages } = await owner.caller.client.inbox.list()
    expect(messages.filter(({ requestId }) => requestId === contact.requestId)).toHaveLength(1)
  })

  it('is valid only for its own request', async () => {
    const [mine, theirs] = [await opened(owner), await opened(owner)]
    const taken = await verify(mine.contact, theirs.code === mine.code ? wrong(mine.code) : theirs.code, mine.envelope)
    expect(taken).toMatchObject(rejected(4))
  })

  it('is stored only as a keyed hash', async () => {
    const { contact, code } = await opened(owner)
    const stored = (await requestsOf(owner.did)).find(({ request_id }) => request_id === contact.requestId)
    expect(JSON.stringify({ ...stored, request_id: '', kem_key_id: '', asset_id: '', code_hash: '' })).not.toContain(
      code,
    )
    expect(stored).toMatchObject({ code_hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string })
  })

  it('is unknown for an unknown request', async () => {
    const { contact, code, envelope } = await opened(owner)
    const { requestId } = contact
    const [last] = requestId.slice(-1)
    const madeUp = [`${requestId.slice(0, -1)}${last === 'A' ? 'B' : 'A'}`, 'A'.repeat(80)]
    for (const id of madeUp) {
      expect(await verify({ requestId: id }, code, envelope)).toMatchObject(unusable)
      expect(await post('resend-otp', { requestId: id })).toMatchObject(unusable)
    }
    for (const id of ['x', '', 7]) {
      expect(await post('resend-otp', { requestId: id })).toMatchObject({
        status: 400,
        body: { code: 'invalid_request' },
      })
    }
    expect((await post('resend-otp', { requestId, message: 'hello' })).body).toMatchObject({
      error: 'plaintext_rejected',
    })
  })
})

describe('a resent code', () => {
  it('is sent after half a minute at the earliest, to the same address, and invalidates the old one', async () => {
    const { contact, code, envelope, mailbox } = await opened(owner)
    const resend = () => post('resend-otp', { requestId: contact.requestId }, { fetch: mailbox.fetch })
    const early = await resend()
    expect(early).toMatchObject(limited)
    expect(Number(early.headers.get('retry-after'))).toBeGreaterThan(25)
    expect(mailbox.kept).toHaveLength(1)
    after(31_000)
    const resent = await resend()
    expect(resent).toMatchObject({ status: 200, body: { data: { requestId: contact.requestId, sendsLeft: 1 } } })
    expect(mailbox.kept.map(({ to }) => to)).toEqual([mailbox.kept[0]?.to, mailbox.kept[0]?.to])
    if (mailbox.code !== code) expect(await verify(contact, code, envelope)).toMatchObject(rejected(4))
    expect((await verify(contact, mailbox.code, envelope)).status).toBe(200)
    after(31_000)
    expect(await resend()).toMatchObject(unusable)
  })

  it('is sent twice at most', async () => {
    const { contact, mailbox } = await opened(owner)
    const resend = () => post('resend-otp', { requestId: contact.requestId }, { fetch: mailbox.fetch })
    for (const sendsLeft of [1, 0]) {
      after(31_000)
      expect(await resend()).toMatchObject({ status: 200, body: { data: { sendsLeft } } })
    }
    after(31_000)
    expect(await resend()).toMatchObject(refused(409, 'resend_limit'))
    expect(mailbox.kept).toHaveLength(3)
  })

  it('is valid for ten minutes of its own, and restores no attempts', async () => {
    const { contact, code, envelope, mailbox } = await opened(owner)
    for (const left of [4, 3, 2]) await verify(contact, wrong(code, left), envelope)
    after(500_000)
    await post('resend-otp', { requestId: contact.requestId }, { fetch: mailbox.fetch })
    after(500_000)
    expect(await verify(contact, wrong(mailbox.code), envelope)).toMatchObject(rejected(1))
    expect((await verify(contact, mailbox.code, envelope)).status).toBe(200)
  })
})
