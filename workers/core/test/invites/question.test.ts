import { afterEach, describe, expect, it, vi } from 'vitest'
import { sendWith } from '../harness.ts'
import {
  after,
  answering,
  asked,
  DUMMY_TOKEN,
  errorsIn,
  headingIn,
  openPage,
  questionIn,
  storedFor,
  submit,
} from './invites.fixture.ts'

afterEach(() => vi.useRealTimers())

const TRY_AGAIN = [['challenge', 'Please try again: we could not tell that a person sent this']]
const TOO_SOON = [['challenge', 'This came as quickly as from a bot: wait three seconds, then send it again']]
const TICKET = /^[0-9a-f]{32}\.\d{13}\.[0-9a-f]{64}$/
const RECEIVED = 'Your request was received'

/** A question that can be answered. */
async function one(): Promise<{ ticket: string; sum: number }> {
  const [question] = await asked(1)
  if (!question) throw new Error('the page has no question')
  return question
}

describe('the question for browsers without scripts', () => {
  it('is on every page, different each time, and the right answer passes', async () => {
    const questions = await asked(6)
    expect(new Set(questions.map(({ sum }) => sum)).size).toBeGreaterThan(1)
    // An id, a time and a MAC: the numbers are on the page in words alone.
    for (const { ticket } of questions) expect(ticket).toMatch(TICKET)
    for (const question of questions) {
      expect(headingIn(await submit(answering(question, ` ${question.sum} `)))).toBe(RECEIVED)
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
      const question = await one()
      const answer = answerTo(question.sum)
      const page = await submit(answering(question, answer))
      expect({ status: page.status, errors: errorsIn(page) }, String(answer)).toEqual({
        status: 400,
        errors: TRY_AGAIN,
      })
      expect(questionIn(page).ticket).not.toBe(question.ticket)
    }
  })

  it('is not answered within three seconds of the page, which says so and asks the same again', async () => {
    const question = questionIn(await openPage())
    after(2_000)
    const form = answering(question)
    const page = await submit(form)
    expect({ status: page.status, errors: errorsIn(page) }).toEqual({ status: 400, errors: TOO_SOON })
    expect(questionIn(page)).toEqual(question)
    expect(page.html).toContain(`name="answer" value="${question.sum}"`)
    expect(await storedFor(form.email)).toEqual([])
    after(1_000)
    expect(headingIn(await submit(form))).toBe(RECEIVED)
  })

  it('is not spent, by twenty at once, before it can be answered', async () => {
    const question = questionIn(await openPage())
    const early = await Promise.all(Array.from({ length: 20 }, () => submit(answering(question))))
    expect(early.map(errorsIn)).toEqual(early.map(() => TOO_SOON))
    after(3_000)
    expect((await submit(answering(question))).status).toBe(200)
  })

  it('stays the same when another field is wrong, so that nobody waits twice', async () => {
    const question = await one()
    const page = await submit({ ...answering(question), name: '' })
    expect(errorsIn(page)).toEqual([['name', 'Enter your name']])
    expect(questionIn(page)).toEqual(question)
    expect(page.html).toContain(`name="answer" value="${question.sum}"`)
    expect((await submit(answering(questionIn(page)))).status).toBe(200)
  })

  it('is another one when a field is wrong beside a ticket that is none', async () => {
    const page = await submit({ ...answering({ ticket: '0.0.made-up', sum: 2 }, '"><b>'), name: '' })
    expect(questionIn(page).ticket).toMatch(TICKET)
    expect(page.html).toContain('name="answer" value=""')
    expect(page.html).not.toContain('<b>')
  })

  it('is checked even if the form has a token too', async () => {
    const [first, second] = [await one(), await one()]
    const both = (form: ReturnType<typeof answering>) => submit({ ...form, 'cf-turnstile-response': DUMMY_TOKEN })
    expect((await both(answering(first, first.sum + 1))).status).toBe(400)
    expect((await both(answering(second))).status).toBe(200)
  })

  it('has one answer, even concurrently', async () => {
    const question = await one()
    const pages = await Promise.all(Array.from({ length: 20 }, () => submit(answering(question))))
    expect(pages.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(pages.filter(({ status }) => status === 400)).toHaveLength(19)
  })

  it('has no second answer after a wrong one', async () => {
    const question = await one()
    expect((await submit(answering(question, question.sum + 1))).status).toBe(400)
    expect((await submit(answering(question))).status).toBe(400)
  })

  it('is valid for a quarter of an hour', async () => {
    const start = Date.now()
    vi.useFakeTimers({ toFake: ['Date'] })
    vi.setSystemTime(start)
    const [inTime, late] = [questionIn(await openPage()), questionIn(await openPage())]
    vi.setSystemTime(start + 15 * 60_000 - 1)
    expect((await submit(answering(inTime))).status).toBe(200)
    vi.setSystemTime(start + 15 * 60_000)
    expect(errorsIn(await submit(answering(late)))).toEqual(TRY_AGAIN)
  })

  it('cannot be forged', async () => {
    const question = await one()
    const { ticket, sum } = question
    const [id = '', at = '', mac = ''] = ticket.split('.')
    const other = questionIn(await openPage(sendWith({ CODES_SEED: '2c'.repeat(32) })))
    const forged = [
      `${id}.${at}.${'0'.repeat(64)}`,
      // With the numbers in it.
      `0.0.${id}.${at}.${mac}`,
      `${id}.${Number(at) - 1}.${mac}`,
      `${'0'.repeat(32)}.${at}.${mac}`,
      `${id}.${at}.${mac.slice(0, 63)}${mac.endsWith('0') ? '1' : '0'}`,
      `${id}.${at}.${mac.toUpperCase()}x`,
      `${id}.${at}.`,
      '',
    ]
    for (const ticketOf of forged) {
      expect(errorsIn(await submit(answering({ ticket: ticketOf, sum }))), ticketOf).toEqual(TRY_AGAIN)
    }
    after(3_000)
    expect(errorsIn(await submit(answering(other)))).toEqual(TRY_AGAIN)
    expect((await submit(answering(question))).status).toBe(200)
  })

  it('is not asked by a deployment without a seed', async () => {
    const seedless = sendWith({ CODES_SEED: undefined })
    expect((await openPage(seedless)).html).toContain('<noscript></noscript>')
    const question = await one()
    expect((await submit(answering(question), { fetch: seedless })).status).toBe(400)
  })
})
