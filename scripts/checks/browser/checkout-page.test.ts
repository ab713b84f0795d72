import { Client, Identity } from '@svc/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accessibilityFaults } from './axe.fixture.ts'
import { faintParts, keepScreenshot, Visit } from './browser.fixture.ts'

let visit: Visit
beforeAll(async () => {
  visit = await Visit.begin()
}, 120_000)
afterAll(() => visit?.end())

/** An identity with an open payment. */
async function payer(sku: string) {
  const { core, did, pay } = visit.platform.urls
  const identity = await Identity.create()
  const client = new Client({ core, did, pay, identity, origin: 'http://localhost:3000' })
  await client.chain.genesis()
  const { id, checkoutUrl } = await client.pay.intent(sku, { country: 'DE' })
  const page = await visit.newPage()
  await page.goto(checkoutUrl ?? '')
  return { client, page, id }
}

describe('the development checkout', () => {
  it('describes the purchase, is readable, and works by keyboard', async () => {
    const { page } = await payer('atelier-month')
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Atelier, monthly')
    expect(await page.getByText('€29.00, every month').count()).toBe(1)
    expect(await faintParts(page)).toEqual([])
    expect(await accessibilityFaults(page)).toEqual([])
    await keepScreenshot(page, 'development-checkout')
    await page.keyboard.press('Tab')
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Pay')
  })

  it('pays with one button and declines with the other', async () => {
    for (const [button, state, tier] of [
      ['Pay', 'paid', 'atelier'],
      ['Decline', 'failed', 'notes'],
    ] as const) {
      const { client, page, id } = await payer('atelier-month')
      await page.getByRole('button', { name: button }).click()
      await page.getByRole('heading', { name: `The payment is ${state}` }).waitFor()
      expect(await accessibilityFaults(page)).toEqual([])
      expect((await client.pay.readIntent(id)).state).toBe(state)
      expect((await client.entitlement.current()).tier).toBe(tier)
    }
  })
})
