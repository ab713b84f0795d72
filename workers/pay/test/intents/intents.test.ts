import { env } from 'cloudflare:workers'
import type { Entitlement } from '@svc/protocol/pay/entitlements'
import type { Intent } from '@svc/protocol/pay/intents'
import { expectRefusal, Prober } from '@svc/service/testing'
import type { TestCaller } from '@svc/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { service } from '../../src/app.ts'
import { BASE, call, caller, dataOf, send, sendWith } from '../harness.ts'

const HOUR = 3_600_000
const make = (by: TestCaller, sku = 'provenance-month', key: string = crypto.randomUUID(), more: object = {}) =>
  call(by, 'POST', '/pay/intent', { body: { sku, ...more }, key })
const made = async (by: TestCaller, sku?: string) => dataOf<Intent>(await make(by, sku))
const read = async (by: TestCaller, id: string) => dataOf<Intent>(await call(by, 'GET', `/pay/intent/${id}`))
const press = (id: string, outcome: string) => {
  const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: BASE }
  const body = new TextEncoder().encode(new URLSearchParams({ id, outcome }).toString())
  return new Prober({ service, send, base: BASE }).send({ method: 'POST', path: '/pay/dev/checkout', headers, body })
}
const entitlement = async (by: TestCaller) => dataOf<Entitlement>(await call(by, 'GET', '/entitlement'))

afterEach(() => vi.useRealTimers())

describe('an intent', () => {
  it('keeps the price of the region and says where to pay', async () => {
    const by = await caller()
    const intent = dataOf<Intent>(await make(by, 'atelier-year', 'k', { country: 'JP' }))
    expect(intent).toMatchObject({
      state: 'open',
      provider: 'local',
      offer: { sku: 'atelier-year', price: { amount_minor: 44_000, currency: 'JPY' }, region: 'jp' },
      checkoutUrl: `${BASE}/pay/dev/checkout/${intent.id}`,
    })
    expect(intent.expiresAt - intent.createdAt).toBe(23 * HOUR)
    expect(await read(by, intent.id)).toEqual(intent)
  })

  it('is the same under the same key, also when the price has changed, and another under another', async () => {
    const by = await caller()
    const first = dataOf<Intent>(await make(by, 'provenance-year', 'same'))
    await env.DB.prepare(`UPDATE prices SET amount_minor = amount_minor + 100 WHERE sku = 'provenance-year'`).run()
    expect(dataOf<Intent>(await make(by, 'provenance-year', 'same'))).toEqual(first)
    const second = dataOf<Intent>(await make(by, 'provenance-year', 'other'))
    expect(second.offer.price?.amount_minor).toBe((first.offer.price?.amount_minor ?? 0) + 100)
    const elsewhere = dataOf<Intent>(await make(await caller(), 'provenance-year', 'same'))
    expect(elsewhere.id).not.toBe(first.id)
  })

  it('is refused under a key that was used for something else', async () => {
    const by = await caller()
    await make(by, 'provenance-month', 'same')
    expectRefusal(await make(by, 'atelier-month', 'same'), 'idempotency_conflict')
    expectRefusal(await make(by, 'provenance-month', 'same', { country: 'DE' }), 'idempotency_conflict')
  })

  it.each([
    ['what is not offered', 'city-month', 'unknown_sku'],
    ['what is free', 'notes-free', 'sku_not_payable'],
    ['what is granted by the operator alone', 'research-contact', 'unknown_sku'],
  ] as const)('is refused for %s', async (_, sku, error) => {
    expectRefusal(await make(await caller(), sku), error)
  })

  it.each(['', 'two words', 'x'.repeat(256)])('is refused under %j, which cannot be a key', async (key) => {
    const answer = await call(await caller(), 'POST', '/pay/intent', { body: { sku: 'provenance-month' }, key })
    expectRefusal(answer, 'invalid_request')
  })

  it('is made without a key, and each request makes another', async () => {
    const by = await caller()
    const keyless = () => call(by, 'POST', '/pay/intent', { body: { sku: 'provenance-pass-month' } })
    const [first, second] = [dataOf<Intent>(await keyless()), dataOf<Intent>(await keyless())]
    expect(first).toMatchObject({ state: 'open', checkoutUrl: `${BASE}/pay/dev/checkout/${first.id}` })
    expect(second.id).not.toBe(first.id)
    for (const intent of [first, second]) expect(await read(by, intent.id)).toEqual(intent)
    const many = await Promise.all(Array.from({ length: 30 }, keyless))
    expect(many.filter(({ status }) => status === 200)).toHaveLength(18)
    expect(many.filter(({ error }) => error === 'intent_limit')).toHaveLength(12)
  })

  it('is one of a hundred requests that an identity may send in a day', async () => {
    const by = await caller()
    for (let i = 0; i < 100; i++) expect((await make(by)).status).toBe(200)
    const refused = await make(by)
    expect(refused).toMatchObject({ status: 429, body: { tier: 'payments' } })
    expect((await make(await caller())).status).toBe(200)
    vi.setSystemTime(Date.now() + 24 * HOUR)
    expect((await make(by)).status).toBe(200)
  })

  it('is shown to its owner alone', async () => {
    const { id } = await made(await caller())
    expectRefusal(await call(await caller(), 'GET', `/pay/intent/${id}`), 'not_found')
    expectRefusal(await call(await caller(), 'POST', `/pay/intent/${id}/cancel`), 'not_found')
  })

  it('is refused when twenty are open, until one is cancelled', async () => {
    const by = await caller()
    const open = []
    for (let i = 0; i < 20; i++) open.push(await made(by, 'provenance-pass-month'))
    expectRefusal(await make(by, 'provenance-pass-month'), 'intent_limit')
    const cancelled = dataOf<Intent>(await call(by, 'POST', `/pay/intent/${open[0]?.id}/cancel`))
    expect(cancelled).toMatchObject({ state: 'cancelled', checkoutUrl: null })
    expect((await make(by)).status).toBe(200)
  })

  it('is one of twenty that are open, when thirty are made at once', async () => {
    const by = await caller()
    const answers = await Promise.all(Array.from({ length: 30 }, () => make(by, 'provenance-pass-month')))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(20)
    expect(answers.filter(({ error }) => error === 'intent_limit')).toHaveLength(10)
  })

  it('has expired when its page has closed', async () => {
    const by = await caller()
    const intent = await made(by)
    vi.setSystemTime(intent.expiresAt - 1000)
    expect((await read(by, intent.id)).state).toBe('open')
    vi.setSystemTime(intent.expiresAt)
    expect(await read(by, intent.id)).toMatchObject({ state: 'expired', checkoutUrl: null })
    expectRefusal(await call(by, 'POST', `/pay/intent/${intent.id}/cancel`), 'intent_state')
  })

  it('is not made where nobody takes payments', async () => {
    const replaced = { STRIPE_WEBHOOK_SECRET: '' }
    const options = { body: { sku: 'provenance-month' }, key: 'k', replaced }
    expectRefusal(await call(await caller(), 'POST', '/pay/intent', options), 'payments_unavailable')
    const deployed = { ...options, replaced: { ENVIRONMENT: 'production' } }
    expectRefusal(await call(await caller(), 'POST', '/pay/intent', deployed), 'payments_unavailable')
  })
})

describe('the development page', () => {
  it('makes a subscription when the payment is made', async () => {
    const by = await caller()
    const intent = await made(by, 'atelier-month')
    const shown = await new Prober({ service, send, base: BASE }).send({
      method: 'GET',
      path: `/pay/dev/checkout/${intent.id}`,
    })
    expect(shown.body).toContain('$29.00')
    expect((await press(intent.id, 'pay')).body).toContain('The payment is paid')
    expect(await read(by, intent.id)).toMatchObject({ state: 'paid', checkoutUrl: null })
    expect(await entitlement(by)).toMatchObject({
      tier: 'atelier',
      source: 'subscription',
      renews: true,
      next: 'atelier',
    })
    expectRefusal(await call(by, 'POST', `/pay/intent/${intent.id}/cancel`), 'intent_state')
    expect((await press(intent.id, 'decline')).body).toContain('The payment is paid')
  })

  it('makes a pass that does not renew', async () => {
    const by = await caller()
    const intent = await made(by, 'provenance-pass-month')
    await press(intent.id, 'pay')
    expect(await entitlement(by)).toMatchObject({ tier: 'provenance', source: 'pass', renews: false, next: 'notes' })
  })

  it('changes nothing when the payment is declined', async () => {
    const by = await caller()
    const intent = await made(by)
    expect((await press(intent.id, 'decline')).body).toContain('The payment is failed')
    expect((await read(by, intent.id)).state).toBe('failed')
    expect(await entitlement(by)).toMatchObject({ tier: 'notes', source: 'signup', grants: [] })
  })

  it('ends a subscription with its period, and takes that back', async () => {
    const by = await caller()
    await press((await made(by)).id, 'pay')
    const [grant] = (await entitlement(by)).grants
    vi.setSystemTime(Date.now() + 1000)
    const renewal = (renews: boolean) => call(by, 'POST', '/entitlement/renewal', { body: { id: grant?.id, renews } })
    expect((await renewal(false)).status).toBe(200)
    expect(await entitlement(by)).toMatchObject({ tier: 'provenance', renews: false, next: 'notes' })
    vi.setSystemTime(Date.now() + 1000)
    expect((await renewal(true)).status).toBe(200)
    expect(await entitlement(by)).toMatchObject({ renews: true, next: 'provenance' })
    const other = { body: { id: grant?.id, renews: false } }
    expectRefusal(await call(await caller(), 'POST', '/entitlement/renewal', other), 'not_found')
  })

  it('is nowhere but on a local deployment', async () => {
    const { id } = await made(await caller())
    for (const replaced of [{ ENVIRONMENT: 'production' }, { STRIPE_SECRET_KEY: 'sk_test_1' }]) {
      const prober = new Prober({ service, send: sendWith(replaced), base: BASE })
      expectRefusal(await prober.send({ method: 'GET', path: `/pay/dev/checkout/${id}` }), 'not_found')
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      const body = new TextEncoder().encode(`id=${id}&outcome=pay`)
      expectRefusal(await prober.send({ method: 'POST', path: '/pay/dev/checkout', headers, body }), 'not_found')
    }
  })

  it.each(['id=x&outcome=pay', 'outcome=pay', `id=${crypto.randomUUID()}&outcome=steal`, ''])(
    'refuses the form %j',
    async (form) => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      const body = new TextEncoder().encode(form)
      const prober = new Prober({ service, send, base: BASE })
      expectRefusal(await prober.send({ method: 'POST', path: '/pay/dev/checkout', headers, body }), 'invalid_request')
    },
  )
})
