import { afterEach, describe, expect, it, vi } from 'vitest'
import { sendWith } from '../harness.ts'
import { DUMMY_TOKEN, errorsIn, freshAddress, GOOD, headingIn, openPage, type Page, submit } from './invites.fixture.ts'

afterEach(() => vi.useRealTimers())

const TRY_AGAIN = [['challenge', 'Please try again: we could not tell that a person sent this']]
const RECEIVED = 'Your request was received'
const withToken = (token: string | undefined) => ({ ...GOOD, 'cf-turnstile-response': token })

const WORDS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine']

function questionIn({ html }: Page): { ticket: string; sum: number } {
  const [, noscript = ''] = /<noscript>([\s\S]*?)<\/noscript>/.exec(html) ?? []
  const [, ticket = ''] = /name="ticket" value="([^"]*)"/.exec(noscript) ?? []
  const [, a = '', b = ''] = /What is (\w+) plus (\w+)\?/.exec(noscript) ?? []
  return { ticket, sum: WORDS.indexOf(a) + WORDS.indexOf(b) + 2 }
}
const answering = (ticket: string, answer: string | number) => ({
  ...withToken(undefined),
  email: `question-${ticket.slice(-8)}@example.org`,
  ticket,
  answer: String(answer),
})

describe('the question for browsers without scripts', () => {
  it('is on every page, different each time, and the right answer passes', async () => {
    const questions = await Promise.all(Array.from({ length: 6 }, async () => questionIn(await openPage())))
    expect(new Set(questions.map(({ ticket }) => ticket.slice(0, 3))).size).toBeGreaterThan(1)
    for (const { ticket, sum } of questions) {
      expect(headingIn(await submit(answering(ticket, ` ${sum} `)))).toBe(RECEIVED)
    }
  })

  it('is replaced by another one after a wrong answer', async () => {
    const wrong = [
      (sum: number) => sum + 1,
      () => '',
      (sum: number) => `${sum}.0`,
      (sum: number) => `0x${sum.toString(16)}`,
      () => 'ten',
    ]
    for (const answerTo of wrong) {
      const { ticket, sum } = questionIn(await openPage())
      const answer = answerTo(sum)
      const page = await submit(answering(ticket, answer))
      expect({ status: page.status, errors: errorsIn(page) }, String(answer)).toEqual({
        status: 400,
        errors: TRY_AGAIN,
      })
      expect(questionIn(page).ticket).not.toBe(ticket)
    }
  })

  it('is checked even if the form has a token too', async () => {
    const [one, two] = [questionIn(await openPage()), questionIn(await openPage())]
    const both = (ticket: string, sum: number) =>
      submit({ ...answering(ticket, sum), 'cf-turnstile-response': DUMMY_TOKEN })
    expect((await both(one.ticket, one.sum + 1)).status).toBe(400)
    expect((await both(two.ticket, two.sum)).status).toBe(200)
  })

  it('has one answer, even concurrently', async () => {
    const { ticket, sum } = questionIn(await openPage())
    const pages = await Promise.all(Array.from({ length: 20 }, () => submit(answering(ticket, sum))))
    expect(pages.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(pages.filter(({ status }) => status === 400)).toHaveLength(19)
  })

  it('has no second answer after a wrong one', async () => {
    const { ticket, sum } = questionIn(await openPage())
    expect((await submit(answering(ticket, sum + 1))).status).toBe(400)
    expect((await submit(answering(ticket, sum))).status).toBe(400)
  })

  it('is answered ten times in 24 hours from one address, even concurrently', async () => {
    const headers = { 'cf-connecting-ip': freshAddress() }
    const elsewhere = sendWith({ LIMIT_5: { limit: async () => ({ success: true }) } })
    const questions = await Promise.all(Array.from({ length: 20 }, async () => questionIn(await openPage())))
    const pages = await Promise.all(
      questions.map(({ ticket, sum }) => submit(answering(ticket, sum), { headers, fetch: elsewhere })),
    )
    expect(pages.filter(({ status }) => status === 200)).toHaveLength(10)
    const refused = pages.filter(({ status }) => status === 400)
    expect(refused).toHaveLength(10)
    expect(errorsIn(refused[0]!)[0]?.[1]).toContain('turn on scripts')
  })

  it('is valid for a quarter of an hour', async () => {
    const start = Date.now()
    const { ticket, sum } = questionIn(await openPage())
    vi.useFakeTimers({ toFake: ['Date'] })
    vi.setSystemTime(start + 15 * 60_000 - 1)
    expect((await submit(answering(ticket, sum))).status).toBe(200)
    const late = questionIn(await openPage())
    vi.setSystemTime(start + 30 * 60_000 + 5_000)
    expect((await submit(answering(late.ticket, late.sum))).status).toBe(400)
  })

  it('cannot be forged', async () => {
    const { ticket, sum } = questionIn(await openPage())
    const [a = '', b = '', id = '', expires = '', mac = ''] = ticket.split('.')
    const other = questionIn(await openPage(sendWith({ SVC_INTERNAL_SECRET: 'the secret of another deployment' })))
    const forged = [
      `0.0.${id}.${expires}.${'0'.repeat(64)}`,
      `${a}.${b}.${id}.${Number(expires) + 1}.${mac}`,
      `${a}.${b}.${'0'.repeat(32)}.${expires}.${mac}`,
      `${a}.${b}.${id}.${expires}.${mac.slice(0, 63)}${mac.endsWith('0') ? '1' : '0'}`,
      `${a}.${b}.${id}.${expires}.${mac.toUpperCase()}x`,
      `${a}.${b}.${id}.${expires}.`,
      '',
    ]
    for (const ticketOf of forged) {
      const right = ticketOf.startsWith('0.0.') ? 2 : sum
      expect((await submit(answering(ticketOf, right))).status, ticketOf).toBe(400)
    }
    expect((await submit(answering(other.ticket, other.sum))).status).toBe(400)
    expect((await submit(answering(ticket, sum))).status).toBe(200)
  })

  it('is not asked by a deployment without a secret', async () => {
    const secretless = sendWith({ SVC_INTERNAL_SECRET: undefined })
    expect((await openPage(secretless)).html).toContain('<noscript></noscript>')
    const { ticket, sum } = questionIn(await openPage())
    expect((await submit(answering(ticket, sum), { fetch: secretless })).status).toBe(400)
  })
})
