import { DeploymentSigner } from '@svc/protocol/base/deployment-signer'
import { describe, expect, it } from 'vitest'
import { fetchOf } from '../../test/fetch.ts'
import { REALM, REALMS } from '../../test/realm.ts'
import { Client } from '../client.ts'
import { Identity } from '../identity/identity.ts'
import { ServiceError } from '../transport/service-error.ts'

const NOW = 1_790_000_000_000
const PAY = 'https://pay.test'
const alice = await Identity.fromSeeds({ signing: new Uint8Array(32).fill(1), kem: new Uint8Array(32).fill(2) })
const signer = new DeploymentSigner('0b'.repeat(32), REALMS)
const other = new DeploymentSigner('0c'.repeat(32), REALMS)
const quotaReceiptKeyB64u = (await signer.publicKey(0)) ?? ''

const facts = {
  type: 'svc/quota-receipt/v1',
  operation: 'consume',
  did: alice.did,
  key: 'k',
  kind: 'search',
  amount: 2,
  used: 2,
  limit: 100,
  tier: 'notes',
  period: '2026-09',
  issuedAt: NOW,
} as const
const offer = {
  sku: 'provenance-month',
  display: 'Provenance, monthly',
  kind: 'subscription',
  tier: 'provenance',
  interval: 'month',
  price: { amount_minor: 900, currency: 'EUR', display: '€9.00' },
  region: 'eu',
}
const intent = {
  id: '0c1f7f0e-6f0b-4f5e-9b68-0d2f3f6d7a11',
  state: 'open',
  offer,
  provider: 'stripe',
  checkoutUrl: 'https://checkout.stripe.com/c/pay/cs_test_1',
  createdAt: NOW,
  expiresAt: NOW + 1,
}

/** Pay as it answers a client that has its key. */
function answering(data: unknown, options: { status?: number; pay?: boolean } = {}) {
  const { status = 200, pay = true } = options
  const requests: Request[] = []
  const fetch = async (request: Request) => {
    requests.push(request)
    return Response.json(status === 200 ? { success: true, data } : data, { status })
  }
  const places = { core: 'https://core.test', did: 'https://did.test', quotaReceiptKeyB64u, ...(pay && { pay: PAY }) }
  return { requests, client: new Client({ ...places, identity: alice, fetch: fetchOf(fetch), now: () => NOW }) }
}

describe('a client that was not told where payments are', () => {
  it('says so', () => {
    const { client } = answering({}, { pay: false })
    for (const use of [() => client.pay, () => client.entitlement, () => client.quota]) expect(use).toThrow(TypeError)
  })
})

describe('payments', () => {
  it('are begun under a key: the caller’s, or one of their own', async () => {
    const { client, requests } = answering(intent)
    expect(await client.pay.intent('provenance-month', { country: 'DE', key: 'mine' })).toEqual(intent)
    expect(await requests[0]?.json()).toEqual({ sku: 'provenance-month', country: 'DE' })
    await client.pay.intent('provenance-month')
    await client.pay.intent('provenance-month')
    const keys = requests.map(({ headers }) => headers.get('idempotency-key'))
    expect(keys[0]).toBe('mine')
    expect(new Set(keys).size).toBe(3)
    expect(requests[0]?.headers.get('authorization')).toMatch(/^ServiceAssertion /)
  })

  it('are read of no other offer than the one that was asked for', async () => {
    const { client } = answering(intent)
    await expect(client.pay.intent('atelier-month')).rejects.toThrow('a different offer')
    await expect(answering(offer).client.pay.offer('atelier-month', 'DE')).rejects.toThrow('a different offer')
  })

  it('show their offers to anyone, for a country', async () => {
    const { client, requests } = answering(offer)
    expect(await client.pay.offer('provenance-month', 'DE')).toEqual(offer)
    expect(requests[0]?.url).toBe(`${PAY}/pay/offer/provenance-month?country=DE`)
    expect(requests[0]?.headers.has('authorization')).toBe(false)
  })
})

describe('a subscription', () => {
  it('is changed to another plan', async () => {
    const change = { id: 'subscription:sub_1', sku: 'atelier-month' }
    const { client, requests } = answering(change)
    await client.entitlement.changePlan(change.id, change.sku)
    expect(requests[0]?.url).toBe(`${PAY}/entitlement/change`)
    expect(await requests[0]?.json()).toEqual(change)
  })

  it('that is refused says what can be done instead', async () => {
    const details = { grantId: 'subscription:sub_1', ways: ['change', 'stack', 'wait'], until: NOW }
    const body = { success: false, error: 'already_subscribed', message: 'x', timestamp: NOW, details }
    const refused = await answering(body, { status: 409 })
      .client.pay.intent('provenance-month')
      .catch((error: unknown) => error)
    expect(refused).toMatchObject({ status: 409, error: 'already_subscribed', details })
  })
})

describe('a use', () => {
  const consume = (client: Client) => client.quota.consume('search', { amount: 2, key: 'k' })

  it('is counted when its receipt holds', async () => {
    const receipt = await signer.sign(facts)
    const { client, requests } = answering(receipt)
    expect(await consume(client)).toEqual(receipt)
    expect(requests.map(({ url }) => url.slice(PAY.length))).toEqual(['/quota/consume'])
    expect(await requests[0]?.json()).toEqual({ kind: 'search', amount: 2, key: 'k' })
  })

  it.each([
    ['of another identity', { did: `did:svc:${'A'.repeat(32)}` }],
    ['under another key', { key: 'other' }],
    ['of another kind', { kind: 'text' as const }],
    ['of more', { amount: 3 }],
    ['of a reversal', { operation: 'refund' as const }],
  ])('is not believed by a receipt %s', async (_, changes) => {
    const { client } = answering(await signer.sign({ ...facts, ...changes }))
    await expect(consume(client)).rejects.toMatchObject({ subject: 'receipt', reason: 'different_answer' })
  })

  it('is not believed by a receipt that another key has signed, or that was changed', async () => {
    await expect(consume(answering(await other.sign(facts)).client)).rejects.toMatchObject({ reason: 'wrong_key' })
    const receipt = await signer.sign(facts)
    const changed = { ...receipt, statement: { ...facts, realm: REALM, used: 1 } }
    await expect(consume(answering(changed).client)).rejects.toThrow('The receipt is invalid')
  })

  it('that is refused says how the meter stands', async () => {
    const body = { success: false, error: 'quota_exhausted', kind: 'search', used: 100, limit: 100, tier: 'notes' }
    const refused = await consume(answering(body, { status: 402 }).client).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(ServiceError)
    expect(refused).toMatchObject({
      status: 402,
      error: 'quota_exhausted',
      details: { kind: 'search', used: 100, limit: 100, tier: 'notes' },
    })
  })

  it('is taken back whole or in part', async () => {
    const whole = answering(await signer.sign({ ...facts, operation: 'refund', used: 0 }))
    expect((await whole.client.quota.refund('k')).statement.used).toBe(0)
    const part = answering(await signer.sign({ ...facts, operation: 'delta', amount: 1, used: 1 }))
    await part.client.quota.reduce('search', 'k', 1)
    expect(await part.requests[0]?.json()).toEqual({ kind: 'search', key: 'k', delta: -1 })
  })
})
