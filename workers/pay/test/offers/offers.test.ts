import { env } from 'cloudflare:workers'
import type { Offer, OfferList } from '@svc/protocol/pay/offers'
import { expectRefusal, Prober } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import { service } from '../../src/app.ts'
import { BASE, dataOf, send, sendWith } from '../harness.ts'

const get = (path: string, headers: Record<string, string> = {}, sender = send) =>
  new Prober({ service, send: sender, base: BASE }).send({ method: 'GET', path, headers })
const list = async (query: string, headers = {}) => dataOf<OfferList>(await get(`/pay/offer${query}`, headers))
const priceIn = async (country: string, sku = 'provenance-month') =>
  dataOf<Offer>(await get(`/pay/offer/${sku}?country=${country}`)).price

describe('the offers', () => {
  it('are everything that there is, with a tier for each way to come by one', async () => {
    const { region, recommended, offers, tiers } = await list('?country=DE')
    expect({ region, recommended }).toEqual({ region: 'eu', recommended: 'provenance-month' })
    expect(offers.map(({ sku, kind, tier, interval }) => [sku, kind, tier, interval])).toEqual([
      ['notes-free', 'free', 'notes', null],
      ['provenance-month', 'subscription', 'provenance', 'month'],
      ['provenance-year', 'subscription', 'provenance', 'year'],
      ['provenance-pass-month', 'pass', 'provenance', 'month'],
      ['atelier-month', 'subscription', 'atelier', 'month'],
      ['atelier-year', 'subscription', 'atelier', 'year'],
    ])
    expect(tiers.map(({ tier, availability }) => [tier, availability])).toEqual([
      ['notes', 'signup'],
      ['provenance', 'offer'],
      ['atelier', 'offer'],
      ['research', 'contact'],
    ])
    expect(tiers[0]?.limits).toEqual({ capsule: 20, video: 5, text: 20, search: 100 })
  })

  it('cost nothing where they are free, and have a price each', async () => {
    expect(await priceIn('US', 'notes-free')).toEqual({ amount_minor: 0, currency: 'USD', display: '$0.00' })
    const { offers } = await list('?country=US')
    for (const { sku, price } of offers) expect(price, sku).toMatchObject({ currency: 'USD' })
    expectRefusal(await get('/pay/offer/research-contact'), 'unknown_sku')
  })

  it.each([
    ['US', { amount_minor: 900, currency: 'USD', display: '$9.00' }],
    ['DE', { amount_minor: 900, currency: 'EUR', display: '€9.00' }],
    ['GB', { amount_minor: 800, currency: 'GBP', display: '£8.00' }],
    ['JP', { amount_minor: 1400, currency: 'JPY', display: '¥1,400' }],
    ['KW', { amount_minor: 2750, currency: 'KWD', display: 'KWD 2.750' }],
    ['IN', { amount_minor: 49_900, currency: 'INR', display: '₹499.00' }],
    ['BR', { amount_minor: 900, currency: 'USD', display: '$9.00' }],
  ])('have the price of %s in minor units of its currency', async (country, price) => {
    const told = await priceIn(country)
    const plain = told && { ...told, display: told.display.replaceAll('\u00a0', ' ').replace('￥', '¥') }
    expect(plain).toEqual(price)
  })

  it('are all priced in every region', async () => {
    const { results } = await env.DB.prepare('SELECT country FROM region_countries').all<{ country: string }>()
    for (const country of ['BR', ...new Set(results.map((row) => row.country))]) {
      const { offers } = await list(`?country=${country}`)
      expect(offers.length, country).toBe(6)
    }
  })

  it('are those of the country that the edge names, unless the query names one', async () => {
    expect((await list('', { 'cf-ipcountry': 'GB' })).region).toBe('gb')
    expect((await list('?country=JP', { 'cf-ipcountry': 'GB' })).region).toBe('jp')
    for (const unknown of [{}, { 'cf-ipcountry': 'XX' }, { 'cf-ipcountry': 'T1' }, { 'cf-ipcountry': 'nonsense' }]) {
      expect((await list('', unknown)).region).toBe('world')
    }
  })

  it.each(['de', 'DEU', 'ZZ', 'XX', 'EU', '', 'D', '49'])('refuse the country %j', async (country) => {
    expectRefusal(await get(`/pay/offer?country=${country}`), 'invalid_request')
    expectRefusal(await get(`/pay/offer/provenance-month?country=${country}`), 'invalid_request')
  })

  it('name what they do not know', async () => {
    expectRefusal(await get('/pay/offer/city-month'), 'unknown_sku')
    expectRefusal(await get('/pay/offer/Notes'), 'unknown_sku')
    expectRefusal(await get('/pay/offer?currency=EUR'), 'invalid_request')
  })

  it('leave out what has no price in a region, and what is no longer offered', async () => {
    await env.DB.batch([
      env.DB.prepare(`DELETE FROM prices WHERE sku = 'atelier-year' AND region = 'ch'`),
      env.DB.prepare(`UPDATE skus SET is_offered = 0 WHERE sku = 'provenance-pass-month'`),
    ])
    expect((await list('?country=CH')).offers.map(({ sku }) => sku)).toEqual([
      'notes-free',
      'provenance-month',
      'provenance-year',
      'atelier-month',
    ])
    expectRefusal(await get('/pay/offer/atelier-year?country=CH'), 'unknown_sku')
    expectRefusal(await get('/pay/offer/provenance-pass-month'), 'unknown_sku')
  })

  it.each([
    ['mailto:sales@example.com', 'For more than these offers, write to sales@example.com.'],
    ['https://example.com/contact', 'For more than these offers, see https://example.com/contact.'],
  ])('name the way to the operator at %s in their note', async (contact, note) => {
    const body = dataOf<OfferList>(await get('/pay/offer', {}, sendWith({ SALES_CONTACT: contact })))
    expect(body.note).toBe(note)
  })

  it('have no note if the deployment names no way to its operator', async () => {
    for (const SALES_CONTACT of ['', undefined]) {
      expect(dataOf<OfferList>(await get('/pay/offer', {}, sendWith({ SALES_CONTACT })))).not.toHaveProperty('note')
    }
  })

  it('are unavailable, and not empty, when the catalogue cannot be read', async () => {
    const down = sendWith({
      DB: { prepare: () => ({ bind: () => ({}) }), batch: () => Promise.reject(new Error('down')) },
    })
    expectRefusal(await get('/pay/offer', {}, down), 'dependency_unavailable')
    expectRefusal(await get('/pay/offer/provenance-month', {}, down), 'dependency_unavailable')
  })
})
