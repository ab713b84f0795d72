import { Client } from '@svc/client'
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { freshAddress } from '../../../running-platform/fresh-address.ts'
import { addAuthenticator, Visit } from '../../browser.fixture.ts'
import { accountOf, createWithPasskey, follow, openConsole, press, titled } from '../../console-page.fixture.ts'
import { createIdentity, looksWellInBoth } from '../own-browsers.fixture.ts'

const visit = await Visit.begin()
afterAll(() => visit.end())

const shown = (page: Page, name: string | RegExp) => page.getByRole('textbox', { name })
const credential = (page: Page, name: string) => page.getByLabel(new RegExp(`^${name}`))

/** Waits until the explorer has got a credential, and returns it. */
async function gotten(page: Page, name: string): Promise<string> {
  await expect.poll(() => credential(page, name).inputValue(), { timeout: 30_000 }).not.toBe('')
  return credential(page, name).inputValue()
}

/** Waits for the answer, and returns its data. */
async function answerOf(page: Page, status = '200 OK'): Promise<Record<string, unknown>> {
  await press(page, 'Send')
  const heading = page.getByRole('heading', { level: 2, name: /^Answer: / })
  const said = page.locator('p.status.bad')
  await heading.or(said).first().waitFor()
  expect(await heading.or(said).first().innerText()).toBe(`Answer: ${status}`)
  const answer = JSON.parse(await shown(page, /^Answer/).inputValue())
  return answer.data ?? answer
}

/** What is shown to be copied has no secret, and the page keeps none. */
async function keepsSecret(page: Page, secret: string, placeholder: string): Promise<void> {
  for (const name of ['With curl', 'With the SDK']) {
    const text = await shown(page, name).inputValue()
    expect(text).toContain(placeholder)
    expect(text).not.toContain(secret)
  }
  const kept = await page.evaluate(() =>
    JSON.stringify([...Object.entries(localStorage), ...Object.entries(sessionStorage), location.href]),
  )
  expect(kept).not.toContain(secret)
}

it('this browser signs as a device of its own identity', async () => {
  const { page, complaints } = await openConsole(visit, '/')
  const did = await createIdentity(page)
  await follow(page, 'Requests')
  await titled(page, 'Requests')
  await page.getByRole('link', { name: 'GET /api/chain/head' }).click()
  await page.getByLabel('Signed by').selectOption('This browser, as a device')
  expect(await answerOf(page)).toHaveProperty('index')
  const assertion = JSON.parse(await shown(page, 'The assertion, decoded').inputValue())
  expect(assertion).toMatchObject({ did, aud: 'chain', htm: 'GET' })
  expect(complaints).toEqual([])
})

it('another language keeps who signs, and a locked key is unlocked where it is needed', async () => {
  const { page, complaints } = await openConsole(visit, '/')
  await createIdentity(page)
  await page.goto(`${visit.platform.consoleUrl}/requests#core.readHead`)
  await page.getByLabel('Signed by').selectOption('This browser, as a device')
  await page.getByText('The key of this browser is locked.').waitFor()
  await looksWellInBoth(page, 'requests-locked')
  await page.getByLabel('Language').selectOption('Deutsch')
  await page.getByText('Der Schlüssel dieses Browsers ist verschlüsselt.').waitFor()
  expect(await page.getByLabel('Signiert von').inputValue()).toBe('own')
  await press(page, 'Öffnen')
  await page.getByText('Der Schlüssel dieses Browsers ist verschlüsselt.').waitFor({ state: 'detached' })
  await press(page, 'Senden')
  await page.getByRole('heading', { level: 2, name: 'Antwort: 200 OK' }).waitFor()
  expect(complaints).toEqual([])
})

it.each([
  ['cancelPairing', 'X-Pairing-Token', 'YOUR_PAIRING_TOKEN'],
  ['cancelAuthorization', 'X-Offer-Token', 'YOUR_OFFER_TOKEN'],
])('%s: an offer is opened, and its token does what it is for', async (operation, header, placeholder) => {
  const { page, complaints } = await openConsole(visit, `/requests#core.${operation}`)
  await credential(page, header).waitFor()
  expect(await credential(page, header).getAttribute('type')).toBe('password')
  await press(page, 'Open an offer and use its token')
  await gotten(page, header)
  await looksWellInBoth(page, `requests-${operation}`)
  // The token alone, without an assertion of its identity.
  await page.getByLabel('Signed by').selectOption('Nobody')
  await answerOf(page)
  await keepsSecret(page, await credential(page, header).inputValue(), placeholder)
  expect(complaints).toEqual([])
})

it('a token that is needed and not there is asked for', async () => {
  const { page } = await openConsole(visit, '/requests#core.takeSealed')
  await press(page, 'Send')
  await page.getByText('Enter a value for X-Pairing-Token.').waitFor()
  await page.getByLabel('Signed by').selectOption('Nobody')
  await press(page, 'Open an offer and use its token')
  await page.getByText('Choose who signs: this credential is for an identity.').waitFor()
})

it('the event socket opens with a ticket, and its first message is shown', async () => {
  const { page, complaints } = await openConsole(visit, '/requests#core.openEventSocket')
  await press(page, 'Get a ticket')
  expect(await gotten(page, 'Sec-WebSocket-Protocol')).toContain('svc.ticket.')
  expect(await answerOf(page, '101 Switching Protocols')).toEqual({ head: expect.any(Number) })
  expect(await shown(page, 'With the SDK').inputValue()).toContain('new WebSocket(')
  await keepsSecret(page, await credential(page, 'Sec-WebSocket-Protocol').inputValue(), 'YOUR_SOCKET_TICKET')
  expect(complaints).toEqual([])
})

it('a session of the sign-in comes from a passkey', async () => {
  const { page, complaints } = await openConsole(visit, '/sign-in')
  await addAuthenticator(page)
  await createWithPasskey(page)
  const account = await accountOf(page)
  await page.goto(`${visit.platform.consoleUrl}/requests#auth.readSession`)
  await credential(page, 'X-Sign-In-Session').waitFor()
  await press(page, 'Sign in with a passkey and use that session')
  await gotten(page, 'X-Sign-In-Session')
  expect(await answerOf(page)).toMatchObject({ accountId: account })
  await keepsSecret(page, await credential(page, 'X-Sign-In-Session').inputValue(), 'YOUR_SIGN_IN_SESSION')
  expect(complaints).toEqual([])
})

describe('preferences', () => {
  it('are signed by a throw-away identity, changed and revoked', async () => {
    const { page, complaints } = await openConsole(visit, '/requests#consent.createConsent')
    const url = `https://photos.example/${crypto.randomUUID()}.jpg`
    const { core } = visit.platform.urls
    const headers = { 'cf-connecting-ip': freshAddress() }
    const reader = await Client.connect({ core, headers })
    const declare = { content_hash: url, preferences: { ai_training: 'disallow' } }
    await page.getByLabel(/^Body/).fill(JSON.stringify(declare))
    await press(page, 'Sign these preferences')
    await gotten(page, 'X-Svc-Signature')
    expect(JSON.parse(await page.getByLabel(/^Body/).inputValue())).toMatchObject(declare)
    expect(await answerOf(page)).toMatchObject({ content_hash: url, version: 1 })
    expect(await reader.consent.read(url)).toMatchObject({ preferences: { ai_training: 'disallow' } })

    await page.evaluate(() => {
      location.hash = '#consent.updateConsent'
    })
    await page.getByLabel('hash (required)').fill(url)
    await page.getByLabel(/^Body/).fill(JSON.stringify({ preferences: { search: 'allow' } }))
    await press(page, 'Sign these preferences')
    await gotten(page, 'X-Svc-Signature')
    expect(await answerOf(page)).toMatchObject({ preferences: { search: 'allow' }, version: 2 })

    await page.evaluate(() => {
      location.hash = '#consent.deleteConsent'
    })
    await page.getByLabel('hash (required)').fill(url)
    await press(page, 'Sign these preferences')
    await gotten(page, 'X-Svc-Signature')
    expect(await answerOf(page)).toMatchObject({ revoked: true })
    expect(await reader.consent.read(url)).toMatchObject({ found: false })
    expect(complaints).toEqual([])
  })
})
