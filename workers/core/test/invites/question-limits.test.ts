import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { UNSCRIPTED } from '../../src/invites/limits.ts'
import { sendWith } from '../harness.ts'
import {
  after,
  answering,
  asked,
  errorsIn,
  freshAddress,
  GOOD,
  headingIn,
  type Page,
  submit,
} from './invites.fixture.ts'

afterEach(() => vi.useRealTimers())

const RECEIVED = 'Your request was received'
/** The counter of a location that has counted nothing yet. */
const fetch = sendWith({ LIMIT_5: { limit: async () => ({ success: true }) } })
const received = (pages: readonly Page[]) => pages.filter((page) => headingIn(page) === RECEIVED)
const refused = (pages: readonly Page[]) => pages.filter(({ status }) => status === 400)
const textsOf = (pages: readonly Page[]) => new Set(pages.flatMap(errorsIn).map(([, text]) => text))

describe('one network', () => {
  it.each([
    ['of IPv4 is an address', () => '203.0.113.9'],
    ['of IPv6 is a /48', (i: number) => `2001:db8:aaaa:${i.toString(16)}::1`],
  ])('%s, and answers exactly ten questions in 24 hours, from any location', async (_, addressOf) => {
    const questions = await asked(20)
    const pages = await Promise.all(
      questions.map((question, i) =>
        submit(answering(question), { headers: { 'cf-connecting-ip': addressOf(i) }, fetch }),
      ),
    )
    expect(received(pages)).toHaveLength(10)
    expect(refused(pages)).toHaveLength(10)
    expect(textsOf(refused(pages))).toEqual(
      new Set(['There were too many answers from your network today: try again tomorrow, or turn on scripts']),
    )
  })

  it('counts wrong answers too', async () => {
    const headers = { 'cf-connecting-ip': freshAddress() }
    const questions = await asked(11)
    for (const question of questions.slice(0, 10)) {
      await submit(answering(question, question.sum + 1), { headers, fetch })
    }
    const [last] = questions.slice(-1)
    const page = await submit(answering(last!), { headers, fetch })
    expect(errorsIn(page)[0]?.[1]).toContain('turn on scripts')
  })
})

describe('all networks together', () => {
  it('leave exactly a hundred requests without scripts in 24 hours, and none fewer with scripts', async () => {
    after(25 * 3_600_000)
    const questions = await asked(23)
    const counter = env.COUNTERS.getByName(`${UNSCRIPTED.counter} all`)
    for (let i = 0; i < 97; i += 1) await counter.take({ limit: 1_000, seconds: UNSCRIPTED.seconds })
    const [wrong, ...right] = questions
    // A wrong answer takes no place.
    expect((await submit(answering(wrong!, 1), { fetch })).status).toBe(400)
    const pages = await Promise.all(right.map((question) => submit(answering(question), { fetch })))
    expect(received(pages).length).toBe(3)
    expect(textsOf(refused(pages))).toEqual(
      new Set(['No more requests without scripts are taken today: turn on scripts, or try again tomorrow']),
    )
    const scripted = await submit({ ...GOOD, email: 'with-scripts@example.org' }, { fetch })
    expect(headingIn(scripted)).toBe(RECEIVED)
  })
})
