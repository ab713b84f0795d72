import { describe, expect, it, vi } from 'vitest'
import { sendWith } from '../harness.ts'
import { silent } from '../ipfs/ipfs.fixture.ts'
import { DUMMY_TOKEN, errorsIn, freshAddress, GOOD, headingIn, openPage, storedFor, submit } from './invites.fixture.ts'

const TRY_AGAIN = [['challenge', 'Please try again: we could not tell that a person sent this']]
const RECEIVED = 'Your request was received'
const withToken = (token: string | undefined) => ({ ...GOOD, 'cf-turnstile-response': token })

describe('the testing token of Turnstile', () => {
  it('is on the page of a local deployment, and passes', async () => {
    const { html } = await openPage()
    expect(html).toContain(`name="cf-turnstile-response" value="${DUMMY_TOKEN}"`)
    expect(headingIn(await submit(GOOD))).toBe(RECEIVED)
  })

  it.each([undefined, '', 'XXXX.DUMMY.TOKEN.XXXY', 'a token', `${DUMMY_TOKEN} `, 'x'.repeat(2_049)])(
    'is the only one that passes there: not %j',
    async (token) => {
      const page = await submit({ ...withToken(token), email: 'bot@example.org' })
      expect(page.status).toBe(400)
      expect(errorsIn(page)).toEqual(TRY_AGAIN)
      expect(page.html).toContain('<p class="bad" id="challenge-error">')
      expect(page.html).toContain('value="bot@example.org"')
      expect(await storedFor('bot@example.org')).toEqual([])
    },
  )

  it.each([
    ['always fails', '2x0000000000000000000000000000000AA'],
    ['says that the token is spent', '3x0000000000000000000000000000000AA'],
  ])('does not pass under the secret that %s', async (_, TURNSTILE_SECRET) => {
    const page = await submit({ ...GOOD, email: 'bot@example.org' }, { fetch: sendWith({ TURNSTILE_SECRET }) })
    expect({ status: page.status, errors: errorsIn(page) }).toEqual({ status: 400, errors: TRY_AGAIN })
  })

  it('passes nowhere else: a deployment with the testing secret rejects everyone', async () => {
    const forgotten = sendWith({ ENVIRONMENT: 'production' })
    const page = await submit({ ...GOOD, email: 'bot@example.org' }, { fetch: forgotten })
    expect(page.status).toBe(503)
    expect(await storedFor('bot@example.org')).toEqual([])
    expect((await openPage(forgotten)).html).not.toContain(DUMMY_TOKEN)
  })
})

const SECRET = '0x4AAAAAAAsecret-of-the-tests-only'
const deployed = sendWith({ ENVIRONMENT: 'production', TURNSTILE_SITE_KEY: '0x4AAAAAAAsite', TURNSTILE_SECRET: SECRET })

type Answer = (init: RequestInit) => Response | Promise<Response>

/** Replaces Turnstile’s siteverify for one test: sets its answer and records its requests. */
function turnstileAnswering(answer: Answer): { asked: Record<string, string>[] } {
  const asked: Record<string, string>[] = []
  vi.stubGlobal('fetch', (url: string, init: RequestInit) => {
    if (url !== 'https://challenges.cloudflare.com/turnstile/v0/siteverify') throw new Error(`nothing is at ${url}`)
    asked.push(Object.fromEntries(init.body instanceof URLSearchParams ? init.body : new URLSearchParams()))
    return answer(init)
  })
  return { asked }
}

const verdict = (members: object = {}) => ({
  success: true,
  challenge_ts: new Date().toISOString(),
  hostname: 'core.test',
  'error-codes': [],
  action: 'invite',
  cdata: '',
  ...members,
})
const passed = () => Response.json(verdict())
const failed =
  (...codes: string[]) =>
  () =>
    Response.json({ success: false, 'error-codes': codes })

describe('Turnstile', () => {
  it('is the widget on the page of a deployment, and the only script that can run there', async () => {
    const { html, headers } = await openPage(deployed)
    expect(html).toContain('<div class="cf-turnstile" data-sitekey="0x4AAAAAAAsite" data-action="invite"></div>')
    expect(html.match(/<script[^>]*>/g)).toEqual([
      '<script src="https://challenges.cloudflare.com/turnstile/v0/api.js" async defer>',
    ])
    expect(headers.get('content-security-policy')).toContain('script-src https://challenges.cloudflare.com')
    expect(html).not.toContain(SECRET)
  })

  it('gets the secret, the token and the address', async () => {
    const turnstile = turnstileAnswering(passed)
    const address = freshAddress()
    const page = await submit(withToken('a token'), { fetch: deployed, headers: { 'cf-connecting-ip': address } })
    expect(headingIn(page)).toBe(RECEIVED)
    const idempotency_key = expect.stringMatching(/^[0-9a-f-]{36}$/) as string
    expect(turnstile.asked).toEqual([{ secret: SECRET, response: 'a token', remoteip: address, idempotency_key }])
  })

  it.each([
    ['for another form', { action: 'contact' }],
    ['for no form', { action: '' }],
    ['on somebody else’s page', { hostname: 'phishing.example' }],
    ['on nobody’s page', { hostname: undefined }],
    ['more than 300 seconds ago', { challenge_ts: new Date(Date.now() - 400_000).toISOString() }],
    ['at no time', { challenge_ts: 'now' }],
  ])('does not let a token pass that was made %s', async (_, members) => {
    turnstileAnswering(() => Response.json(verdict(members)))
    const page = await submit({ ...withToken('a token'), email: 'bot@example.org' }, { fetch: deployed })
    expect({ status: page.status, errors: errorsIn(page) }).toEqual({ status: 400, errors: TRY_AGAIN })
  })

  it('gets one retry with the same key if the network fails', async () => {
    const failures = [() => Promise.reject(new TypeError('connection reset')), passed]
    const turnstile = turnstileAnswering(() => failures.shift()!())
    expect(headingIn(await submit(withToken('a token'), { fetch: deployed }))).toBe(RECEIVED)
    expect(turnstile.asked).toHaveLength(2)
    expect(turnstile.asked[0]).toEqual(turnstile.asked[1])
  })

  it.each(['invalid-input-response', 'timeout-or-duplicate', 'missing-input-response'])(
    'that says %s of a token sends the person back to the form',
    async (code) => {
      turnstileAnswering(failed(code))
      const page = await submit({ ...withToken('a token'), email: 'bot@example.org' }, { fetch: deployed })
      expect({ status: page.status, errors: errorsIn(page) }).toEqual({ status: 400, errors: TRY_AGAIN })
      expect(await storedFor('bot@example.org')).toEqual([])
    },
  )

  it.each(['', 'x'.repeat(2_049)])('is not called with a malformed token', async (token) => {
    const turnstile = turnstileAnswering(passed)
    expect((await submit(withToken(token), { fetch: deployed })).status).toBe(400)
    expect(turnstile.asked).toEqual([])
  })

  it('is not called for an invalid form: a token is single-use', async () => {
    const turnstile = turnstileAnswering(passed)
    expect((await submit({ ...withToken('a token'), name: '' }, { fetch: deployed })).status).toBe(400)
    expect(turnstile.asked).toEqual([])
  })

  it.each<[string, Answer]>([
    ['does not know the secret', failed('invalid-input-secret')],
    ['finds the request wrong', failed('bad-request')],
    ['is at fault itself', failed('internal-error')],
    ['answers 500', () => new Response(null, { status: 500 })],
    ['answers 429', () => new Response(null, { status: 429 })],
    ['answers something other than JSON', () => new Response('<html>')],
    ['answers without a verdict', () => Response.json({ ok: true })],
    ['answers a verdict that is none', () => Response.json({ success: 'true' })],
    ['cannot be reached', () => Promise.reject(new TypeError('connection refused'))],
  ])('that %s lets nobody through and blames nobody', async (_, answer) => {
    turnstileAnswering(answer)
    const page = await submit({ ...withToken('a token'), email: 'bot@example.org' }, { fetch: deployed })
    expect(page.status).toBe(503)
    expect(page.html).toContain('dependency_unavailable')
    expect(await storedFor('bot@example.org')).toEqual([])
  })

  it('times out if it does not answer', async () => {
    turnstileAnswering(silent)
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => AbortSignal.abort(new Error('too late')))
    expect((await submit(withToken('a token'), { fetch: deployed })).status).toBe(503)
    expect(timeout.mock.calls).toEqual([[5_000], [5_000]])
  })

  it('is not called without a secret', async () => {
    const turnstile = turnstileAnswering(passed)
    const secretless = sendWith({ TURNSTILE_SECRET: undefined })
    expect((await submit(withToken('a token'), { fetch: secretless })).status).toBe(503)
    expect(turnstile.asked).toEqual([])
  })
})
