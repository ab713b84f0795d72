import { Client, Identity } from '@svc/client'
import { sharedPlatform } from '@svc/platform/shared-platform'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AiConsent, type AiConsentOptions, byAddress } from '../../../../examples/ai-consent-hono/ai-consent.ts'
import { appOf } from '../../../../examples/ai-consent-hono/app.fixture.ts'
import { startExample } from './running-example.ts'

const { core } = sharedPlatform().urls as { readonly core: string }
const SITE = 'https://photos.example'
const NAMES = ['x-svc-consent', 'content-usage', 'x-robots-tag']
const sent = ({ headers }: Response) => NAMES.map((name) => headers.get(name))

describe('the demo', () => {
  const demo = startExample('ai-consent-hono/demo.ts')
  let address = ''
  beforeAll(async () => {
    address = /http:\/\/localhost:\d+/.exec(await demo.nextLine())?.[0] ?? ''
  }, 60_000)
  afterAll(() => demo.stop())

  it('sends the declaration of a picture with it', async () => {
    const response = await fetch(`${address}/pictures/lighthouse.svg`)
    expect([response.status, ...sent(response)]).toEqual([200, 'train-ai=n, search=y', 'train-ai=n, search=y', 'noai'])
    expect(await response.text()).toContain('lighthouse')
  })

  it('sends nothing that was not declared', async () => {
    const response = await fetch(`${address}/pictures/harbour.svg`)
    expect([response.status, ...sent(response)]).toEqual([200, null, null, null])
  })

  it('answers robots.txt with the declaration of the site', async () => {
    const text = await (await fetch(`${address}/robots.txt`)).text()
    expect(text).toContain(`# Declared preferences: ${sharedPlatform().urls.consent}/.well-known/ai-consent\n# noai\n`)
    expect(text).toContain('Content-Usage: / train-ai=n, search=y\nContent-Signal: search=yes, ai-train=no\n')
  })
})

describe('the middleware', () => {
  /** A new site whose picture has the given declaration, and a client that counts its lookups. */
  async function siteWith(options: Partial<AiConsentOptions> & { readonly isDown?: () => boolean } = {}) {
    const identity = await Identity.create()
    const author = await Client.connect({ core, identity })
    await author.chain.genesis()
    const path = `/${crypto.randomUUID()}.jpg`
    await author.consent.publish(`${SITE}${path}`, { ai_training: 'disallow' })
    let lookups = 0
    const counted: typeof fetch = (input, init) => {
      lookups += Number(String(input instanceof Request ? input.url : input).includes('/api/v1/consent/'))
      return options.isDown?.() === true ? Promise.reject(new TypeError('fetch failed')) : fetch(input, init)
    }
    const client = await Client.connect({ core, fetch: counted, retries: false })
    const consent = new AiConsent({
      client,
      creators: [identity.did],
      onFailure: 'open',
      onUnknown: () => {},
      ...options,
    })
    const app = appOf(consent.headers(byAddress(SITE)), consent.robots(`${SITE}${path}`))
    return { author, path, get: async (at = path) => app.request(at), lookups: () => lookups }
  }

  it('asks once for requests at the same time, and again after five minutes', async () => {
    let now = Date.now()
    const { author, path, get, lookups } = await siteWith({ now: () => now })
    const answers = await Promise.all(Array.from({ length: 20 }, () => get()))
    expect(new Set(answers.map((answer) => sent(answer).join()))).toEqual(new Set(['train-ai=n,train-ai=n,noai']))
    await author.consent.update(`${SITE}${path}`, { ai_training: 'allow' })
    now += 299_000
    await get()
    expect(lookups()).toBe(1)
    now += 1_001
    await get()
    expect(lookups()).toBe(2)
  })

  it('asks again for a miss after a minute', async () => {
    let now = Date.now()
    const { get, lookups } = await siteWith({ now: () => now })
    for (const step of [0, 59_000, 1_001]) {
      now += step
      expect(sent(await get('/undeclared.jpg'))).toEqual([null, null, null])
    }
    expect(lookups()).toBe(2)
  })

  it('does not publish what somebody else declared', async () => {
    const { get } = await siteWith({ creators: [(await Identity.create()).did] })
    expect(sent(await get())).toEqual([null, null, null])
  })

  it.each([
    ['open', 200, 200],
    ['closed', 503, 503],
  ] as const)('fails %s when the service does not answer, and recovers', async (onFailure, status, robots) => {
    let [now, isDown] = [Date.now(), false]
    const { get } = await siteWith({ onFailure, now: () => now, isDown: () => isDown })
    isDown = true
    const answer = await get()
    expect([answer.status, ...sent(answer)]).toEqual([status, null, null, null])
    expect((await get('/robots.txt')).status).toBe(robots)
    isDown = false
    now += 5_001
    expect(sent(await get())).toEqual(['train-ai=n', 'train-ai=n', 'noai'])
  })
})
