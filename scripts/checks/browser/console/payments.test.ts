import { newCode, sendOperatorAct } from '@svc/operations/operator-act'
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { freshAddress } from '../../running-platform/fresh-address.ts'
import { Visit } from '../browser.fixture.ts'
import { press, says } from '../console-page.fixture.ts'
import { looksWellInBoth } from './own-browsers.fixture.ts'
import { looksWell, openOwn, panel, TWO_LOOKS } from './own-page.fixture.ts'
import { openPaired } from './paired.fixture.ts'

const visit = await Visit.begin()
afterAll(() => visit.end())

const TITLE = 'Plan and payments'

async function issuedCode(): Promise<string> {
  const { urls, secrets } = visit.platform
  const { code, act } = newCode('atelier', 30)
  const headers = { 'cf-connecting-ip': freshAddress() }
  const { status } = await sendOperatorAct({ service: urls.pay, realm: urls.core }, secrets.operatorSeed, act, headers)
  expect(status).toBe(200)
  return code
}

/** Presses a button on the page of the local payment provider, which opens in a tab of its own. */
async function atProvider(page: Page, name: string): Promise<void> {
  const opening = page.waitForEvent('popup')
  await page.getByRole('link', { name: 'Open the payment page' }).click()
  const provider = await opening
  await provider.getByRole('button', { name, exact: true }).click()
  await provider.getByRole('heading', { name: /^The payment is / }).waitFor()
  await provider.close()
}

describe.each(TWO_LOOKS)('in $look', ({ look, ...options }) => {
  it('shows the plan, the meters and the offers, and a code changes them', async () => {
    const { page, complaints } = await openOwn(visit, '/payments', TITLE, options)
    await panel(page, 'Your plan').getByText('Free, without an end.').waitFor()
    await panel(page, 'Usage this month').getByText('0 of 100').waitFor()
    await panel(page, 'What is kept')
      .getByText(/^0(\.\d)? of 134\.2 MB$/)
      .waitFor()
    await panel(page, 'Offers').getByText('Atelier, monthly').waitFor()
    await looksWell(page, `payments-${look}`)

    await page.getByLabel('Code').fill('not a code')
    await press(page, 'Redeem the code')
    await says(page, 'Enter the sixteen letters and digits of your code.')
    await page.getByLabel('Code').fill('0000-0000-0000-0000')
    await press(page, 'Redeem the code')
    await says(page, 'This code does not work: it is unknown, used or too old.')
    await page.getByLabel('Code').fill((await issuedCode()).toLowerCase().replaceAll('-', ''))
    await press(page, 'Redeem the code')
    await page.getByText('You have the plan Atelier until').waitFor()
    await panel(page, 'Your plan').getByText('Atelier', { exact: true }).first().waitFor()
    await panel(page, 'Usage this month').getByText('0 of 50000').waitFor()
    await looksWell(page, `payments-redeemed-${look}`)
    expect(complaints).toEqual([])
  })
})

it('a payment at the provider gives the plan, whose renewal can be ended', async () => {
  const { page, complaints } = await openOwn(visit, '/payments', TITLE)
  await press(page, 'Buy: Atelier, monthly')
  await panel(page, 'Payment').getByText('Waiting for the payment …').waitFor()
  await looksWellInBoth(page, 'payments-waiting')
  await atProvider(page, 'Pay')
  await panel(page, 'Payment').getByText('The payment arrived.').waitFor()
  await panel(page, 'Your plan').getByText('Renews after').waitFor()
  await looksWellInBoth(page, 'payments-paid')
  await press(page, 'Change to this: Provenance, monthly')
  await says(page, 'The change was sent. It shows here once the payment provider confirms it.')
  expect(complaints).toEqual([])
})

it('a payment that is declined or cancelled gives nothing', async () => {
  const { page, complaints } = await openOwn(visit, '/payments', TITLE)
  await press(page, 'Buy: Provenance, monthly')
  await atProvider(page, 'Decline')
  await panel(page, 'Payment').getByText('The payment failed.').waitFor()
  await press(page, 'Buy: Provenance, monthly')
  await press(page, 'Cancel the payment')
  await panel(page, 'Payment').getByText('The payment was cancelled.').waitFor()
  await panel(page, 'Your plan').getByText('Free, without an end.').waitFor()
  expect(complaints).toEqual([])
})

it('a meter is as long as what is used of it', async () => {
  const { page, client } = await openPaired(visit, {
    menu: 'Plan',
    title: TITLE,
    before: async (owner) => {
      for (let searches = 0; searches < 20; searches++) await owner.quota.consume('search')
    },
  })
  const meter = panel(page, 'Usage this month').locator('dt:text-is("Searches") + dd')
  await meter.getByText('20 of 100').waitFor()
  const width = async (part: string) => (await meter.locator(part).boundingBox())?.width ?? 0
  expect((await width('.used')) / (await width('.whole'))).toBeCloseTo(0.2, 2)
  expect((await client.quota.meters()).find(({ kind }) => kind === 'search')).toMatchObject({ used: 20, limit: 100 })
})
