import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { DRAFT, freshOwner, type Owner, opened, post, sealed, storedIn, verify, wrong } from './inbox.fixture.ts'

let owner: Owner
beforeAll(async () => {
  owner = await freshOwner()
})
afterEach(() => vi.useRealTimers())

const errorsOf = (answers: readonly { readonly status: number; readonly body: Record<string, unknown> }[]) =>
  Object.fromEntries(
    [...Map.groupBy(answers, ({ status, body }) => `${status} ${(body['error'] as string | undefined) ?? 'ok'}`)].map(
      ([name, of]) => [name, of.length],
    ),
  )
const messagesFor = async (requestId: string) =>
  ((await storedIn(owner.did))?.['messages'] ?? []).filter(
    (row) => (row as { request_id: string }).request_id === requestId,
  )

describe('twenty concurrent requests', () => {
  it('with wrong codes never get a sixth attempt', async () => {
    const { contact, code, envelope } = await opened(owner)
    const guesses = Array.from({ length: 20 }, (_, i) => wrong(code, i + 1))
    const answers = await Promise.all(guesses.map((guess) => verify(contact, guess, envelope)))
    expect(errorsOf(answers)).toEqual({ '403 code_rejected': 5, '404 code_unusable': 15 })
    const left = answers.flatMap(({ body }) => (body['details'] as { attemptsLeft?: number })?.attemptsLeft ?? [])
    expect(left.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4])
    expect((await verify(contact, code, envelope)).status).toBe(404)
    expect(await messagesFor(contact.requestId)).toEqual([])
  })

  it('with the right code and one envelope deliver one message, and all succeed', async () => {
    const { contact, code, envelope } = await opened(owner)
    const answers = await Promise.all(Array.from({ length: 20 }, () => verify(contact, code, envelope)))
    expect(errorsOf(answers)).toEqual({ '200 ok': 20 })
    expect(new Set(answers.map(({ body }) => JSON.stringify(body['data']))).size).toBe(1)
    expect(await messagesFor(contact.requestId)).toHaveLength(1)
  })

  it('with the right code and different envelopes deliver one', async () => {
    const { contact, code } = await opened(owner)
    const envelopes = await Promise.all(Array.from({ length: 20 }, () => sealed(contact, DRAFT)))
    const answers = await Promise.all(envelopes.map((envelope) => verify(contact, code, envelope)))
    expect(errorsOf(answers)).toEqual({ '200 ok': 1, '404 code_unusable': 19 })
    const [message] = (await messagesFor(contact.requestId)) as { envelope: string }[]
    const winner = envelopes[answers.findIndex(({ status }) => status === 200)]
    expect(JSON.parse(message?.envelope ?? '')).toEqual(winner)
  })

  it('for a new code send one', async () => {
    const { contact, envelope, mailbox } = await opened(owner)
    const now = Date.now()
    vi.useFakeTimers({ toFake: ['Date'] })
    vi.setSystemTime(now + 31_000)
    const resend = () => post('resend-otp', { requestId: contact.requestId }, { fetch: mailbox.fetch })
    const answers = await Promise.all(Array.from({ length: 20 }, resend))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(19)
    expect(mailbox.kept).toHaveLength(2)
    expect((await verify(contact, mailbox.code, envelope)).status).toBe(200)
  })
})

it('a resend racing a delivery leaves one message or none, and no way to a second', async () => {
  const now = Date.now()
  vi.useFakeTimers({ toFake: ['Date'] })
  for (let round = 1; round <= 5; round += 1) {
    vi.setSystemTime(now + round)
    const { contact, code, envelope, mailbox } = await opened(owner)
    vi.setSystemTime(now + round + 31_000)
    const [resent, delivered] = await Promise.all([
      post('resend-otp', { requestId: contact.requestId }, { fetch: mailbox.fetch }),
      verify(contact, code, envelope),
    ])
    const late = await verify(contact, mailbox.code, await sealed(contact, DRAFT))
    const outcomes = [delivered.status, late.status].filter((status) => status === 200)
    expect(outcomes, `${resent.status} ${delivered.status} ${late.status}`).toHaveLength(1)
    expect(await messagesFor(contact.requestId)).toHaveLength(1)
  }
})

it('marking a message as read and deleting it concurrently give consistent answers', async () => {
  const { contact, code, envelope } = await opened(owner)
  await verify(contact, code, envelope)
  const { inbox } = owner.caller.client
  const { messages } = await inbox.list()
  const { msgId } = messages.find(({ requestId }) => requestId === contact.requestId)!
  const deletions = await Promise.allSettled(Array.from({ length: 5 }, () => inbox.delete(msgId)))
  expect(deletions.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  await expect(inbox.read(msgId)).rejects.toMatchObject({ error: 'not_found' })
})
