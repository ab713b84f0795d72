import { DependencyFault } from '@svc/protocol/base/dependency-fault'
import { describe, expect, it } from 'vitest'
import {
  BotChallenge,
  type BotChallengeConfig,
  challengeVerdictSchema,
  judgeVerdict,
  TESTING_SECRETS,
  TESTING_TOKEN,
} from './bot-challenge.ts'

const NOW = Date.parse('2026-11-21T12:00:00Z')
const expected = { action: 'register', hostnames: ['app.example', 'www.app.example'] }
const PASSED = { success: true, hostname: 'app.example', action: 'register', challenge_ts: '2026-11-21T11:59:00.000Z' }
const judge = (members: object) => judgeVerdict(challengeVerdictSchema.parse({ ...PASSED, ...members }), expected, NOW)

describe('judgeVerdict', () => {
  it('takes what is about this form, on this host, just now', () => {
    const facts = { hostname: 'app.example', action: 'register', challengedAt: NOW - 60_000, isInteractive: false }
    expect(judge({})).toEqual({ ok: true, value: facts })
    expect(judge({ hostname: 'www.app.example', metadata: { interactive: true } })).toEqual({
      ok: true,
      value: { ...facts, hostname: 'www.app.example', isInteractive: true },
    })
  })

  it.each([
    ['token', { success: false, 'error-codes': ['timeout-or-duplicate'] }],
    ['hostname', { hostname: 'evil.example' }],
    ['hostname', { hostname: undefined }],
    ['hostname', { hostname: 'APP.example' }],
    ['action', { action: 'login' }],
    ['action', { action: undefined }],
    ['action', { action: '' }],
    ['age', { challenge_ts: '2026-11-21T11:54:59.999Z' }],
    ['age', { challenge_ts: '2026-11-21T12:00:30.001Z' }],
    ['age', { challenge_ts: undefined }],
    ['age', { challenge_ts: 'no time' }],
    ['testing_key', { metadata: { result_with_testing_key: true } }],
  ])('refuses for its %s: %j', (reason, members) => {
    expect(judge(members)).toEqual({ ok: false, error: { reason } })
  })

  it.each(['2026-11-21T11:55:00.000Z', '2026-11-21T12:00:30.000Z'])('takes the time %s', (time) => {
    expect(judge({ challenge_ts: time }).ok).toBe(true)
  })
})

interface Sent {
  readonly url: string
  readonly body: URLSearchParams
}

/** A challenge before a service that answers in turn as told. */
function asking(answers: readonly (() => Promise<Response>)[], config: Partial<BotChallengeConfig> = {}) {
  const sent: Sent[] = []
  const fetch = (url: string, init: RequestInit) => {
    sent.push({ url, body: new URLSearchParams(init.body as URLSearchParams) })
    return answers[sent.length - 1]?.() ?? Promise.reject(new Error('asked too often'))
  }
  const challenge = new BotChallenge({ secret: 'a real secret', isLocal: false, fetch, ...config })
  return { sent, verify: (token = 'token') => challenge.verify(token, '2001:db8::1', expected, NOW) }
}
const passed = async () => Response.json(PASSED)
const down = () => Promise.reject(new Error('down'))

describe('BotChallenge', () => {
  it('asks with secret, token, address and an idempotency key', async () => {
    const { sent, verify } = asking([passed])
    expect((await verify()).ok).toBe(true)
    expect(sent[0]?.url).toBe('https://challenges.cloudflare.com/turnstile/v0/siteverify')
    expect(Object.fromEntries(sent[0]?.body ?? [])).toEqual({
      secret: 'a real secret',
      response: 'token',
      remoteip: '2001:db8::1',
      idempotency_key: expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
  })

  it('asks a second time with the same key when the first has no answer', async () => {
    const { sent, verify } = asking([down, passed])
    expect((await verify()).ok).toBe(true)
    expect(sent.map(({ body }) => body.get('idempotency_key'))).toEqual(
      Array(2).fill(sent[0]?.body.get('idempotency_key')),
    )
  })

  it.each([
    ['does not answer', down],
    ['answers 500', async () => new Response('', { status: 500 })],
    ['answers nonsense', async () => Response.json({ success: 'yes' })],
    ['answers something other than JSON', async () => new Response('<html>')],
    [
      'does not know the secret',
      async () => Response.json({ success: false, 'error-codes': ['invalid-input-secret'] }),
    ],
    ['has a fault', async () => Response.json({ success: false, 'error-codes': ['internal-error'] })],
  ])('is a fault, after two attempts, when Turnstile %s', async (_, answer) => {
    const { sent, verify } = asking([answer, answer, passed])
    await expect(verify()).rejects.toBeInstanceOf(DependencyFault)
    expect(sent).toHaveLength(2)
  })

  it('refuses a spent token, and does not ask about one that cannot be', async () => {
    const spent = async () => Response.json({ success: false, 'error-codes': ['timeout-or-duplicate'] })
    expect(await asking([spent]).verify()).toEqual({ ok: false, error: { reason: 'token' } })
    const { sent, verify } = asking([passed])
    expect((await verify('')).ok || (await verify('x'.repeat(2049))).ok).toBe(false)
    expect(sent).toHaveLength(0)
  })

  it.each([undefined, ''])('is a fault without a secret: %j', async (secret) => {
    await expect(asking([passed], { secret }).verify()).rejects.toBeInstanceOf(DependencyFault)
  })

  it('answers for testing secrets itself, locally, and is a fault with one elsewhere', async () => {
    const verdicts = []
    for (const secret of Object.values(TESTING_SECRETS)) {
      const local = asking([], { secret, isLocal: true })
      verdicts.push((await local.verify(TESTING_TOKEN)).ok, (await local.verify('another')).ok)
      expect(local.sent).toHaveLength(0)
      await expect(asking([passed], { secret }).verify(TESTING_TOKEN)).rejects.toBeInstanceOf(DependencyFault)
    }
    expect(verdicts).toEqual([true, false, false, false, false, false])
  })
})
