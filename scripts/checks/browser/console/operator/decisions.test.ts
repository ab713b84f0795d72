import { createHmac } from 'node:crypto'
import { Identity } from '@svc/client'
import type { Page } from 'playwright-core'
import { afterAll, expect, it } from 'vitest'
import { Visit } from '../../browser.fixture.ts'
import { press, says } from '../../console-page.fixture.ts'
import { looksWellInBoth } from '../own-browsers.fixture.ts'
import { panel } from '../own-page.fixture.ts'
import { askForInvitation, openOperator, operatorOf } from './operator-page.fixture.ts'

const visit = await Visit.begin()
afterAll(() => visit.end())

const freshName = () => `Ada ${crypto.randomUUID().slice(0, 8)}`
const inPanel = (page: Page, title: string, act: string) => panel(page, title).getByRole('button', { name: act })

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}

/** Answers the question that a button asks. */
async function confirmed(page: Page, button: string, answer: string): Promise<void> {
  await page.getByRole('button', { name: button, exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: answer, exact: true }).click()
}

/** An event of the payment provider, signed as it signs them. Returns the status of the answer. */
async function deliver(event: object): Promise<number> {
  const payload = JSON.stringify(event)
  const at = Math.floor(Date.now() / 1000)
  const { webhookSecret } = visit.platform.secrets
  const signature = createHmac('sha256', webhookSecret).update(`${at}.${payload}`).digest('hex')
  const response = await fetch(`${visit.platform.urls.pay}/pay/webhook/stripe`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'stripe-signature': `t=${at},v1=${signature}` },
    body: payload,
  })
  return response.status
}

/** A subscription to an offer that there is not. */
async function notUnderstood() {
  const { did } = await Identity.create()
  const object = {
    id: `sub_${did.slice(-32)}`,
    object: 'subscription',
    status: 'active',
    metadata: { did, sku: 'shoes' },
  }
  const created = Math.floor(Date.now() / 1000)
  const event = {
    id: `evt_${crypto.randomUUID()}`,
    object: 'event',
    api_version: '2026-10-28.endive',
    created,
    livemode: false,
  }
  return { ...event, type: 'customer.subscription.created', data: { object } }
}

it('declines one request for an invitation, and deletes another', async () => {
  const { page, complaints } = await openOperator(visit)
  const operator = await operatorOf(visit)
  const stateOf = async (name: string) => (await all(operator.invites())).find((one) => one.name === name)?.state
  const [unwanted, mistaken] = [freshName(), freshName()]
  await askForInvitation(visit, unwanted)
  await askForInvitation(visit, mistaken)
  await press(page, 'Read: Invitations')
  await confirmed(page, `Decline: ${unwanted}`, 'Decline')
  await says(page, 'Declined.')
  expect(await stateOf(unwanted)).toMatch(/^declin(ing|ed)$/)
  await inPanel(page, 'Invitations', `Decline: ${unwanted}`).waitFor({ state: 'detached' })
  expect(await stateOf(mistaken)).toBe('open')
  await looksWellInBoth(page, 'operator-declined')

  await confirmed(page, `Delete: ${mistaken}`, 'Delete')
  await says(page, 'Deleted.')
  expect(await stateOf(mistaken)).toBeUndefined()
  await panel(page, 'Invitations').getByText(mistaken).waitFor({ state: 'detached' })
  expect(complaints).toEqual([])
})

it('applies a dead letter again, which is still not understood, and gives it up', async () => {
  const event = await notUnderstood()
  expect(await deliver(event)).toBe(503)
  const operator = await operatorOf(visit)
  const letter = async () => (await all(operator.deadLetters())).find(({ eventId }) => eventId === event.id)
  expect(await letter()).toMatchObject({ attempts: 1 })

  const { page } = await openOperator(visit)
  await press(page, 'Read: Dead letters')
  await panel(page, 'Dead letters').getByText(event.id).waitFor()
  await panel(page, 'Dead letters')
    .getByText(/^Came on /)
    .first()
    .waitFor()
  await looksWellInBoth(page, 'operator-dead-letter')
  await press(page, `Apply again: ${event.id}`)
  await says(page, 'The event is not understood; it was kept, and the operator is told')
  expect(await letter()).toMatchObject({ attempts: 2 })

  await confirmed(page, `Give up: ${event.id}`, 'Give up')
  await says(page, 'Given up.')
  await panel(page, 'Dead letters').getByText(event.id).waitFor({ state: 'detached' })
  expect(await letter()).toBeUndefined()
  await looksWellInBoth(page, 'operator-given-up')
  // Its repetition is taken, and changes nothing.
  expect(await deliver(event)).toBe(200)
  expect(await letter()).toBeUndefined()
})
