import { sharedAddress } from '@svc/platform/shared-platform'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accessibilityFaults } from './axe.fixture.ts'
import { faintParts, keepScreenshot, Visit } from './browser.fixture.ts'
import { ask, codeOf, DRAFT, fieldOf, fill, freshOwner, problemOf, Site, send, titled } from './contact-page.fixture.ts'

let begun: Visit | undefined
let visit: Visit
let site: Site
let elsewhere: Site

beforeAll(async () => {
  const core = () => begun?.platform.urls.core ?? ''
  begun = await Visit.begin()
  visit = begun
  site = await Site.open(core, sharedAddress().sitePort)
  elsewhere = await Site.open(core)
})
afterAll(async () => {
  site.close()
  elsewhere.close()
  await begun?.end()
})

/** A page after requesting a code, and the code from the mail. */
async function begunOn(assetId: string, options: Parameters<Visit['newPage']>[0] = {}) {
  const page = await visit.newPage(options)
  await page.goto(site.page(assetId))
  await fill(page)
  await ask(page)
  await titled(page, 'Enter the code from your mail')
  return { page, code: await visit.platform.mail.codeIn(assetId) }
}

describe('the contact form', () => {
  it('sends a message that only the owner can read: plaintext never leaves the browser', async () => {
    const { client, assetId, identity } = await freshOwner(visit.platform)
    const page = await visit.newPage()
    const sent: { url: string; body: string }[] = []
    const complaints: string[] = []
    page.on('request', (request) => sent.push({ url: request.url(), body: request.postData() ?? '' }))
    page.on('console', (message) => complaints.push(message.text()))
    await page.goto(site.page(assetId, { owner: identity.did }))
    await page.evaluate(() => {
      addEventListener('svc-contact-delivered', (event) => {
        document.title = (event as CustomEvent<{ requestId: string }>).detail.requestId
      })
    })
    await page.getByText(`Only the owner can read it: ${identity.did}`).waitFor()
    await keepScreenshot(page, 'contact-form-light')
    await fill(page)
    await ask(page)
    await titled(page, 'Enter the code from your mail')
    expect(await page.getByText('We sent six digits to ada@example.org').count()).toBe(1)
    await page.getByText('Only the owner can read your message:').waitFor()
    expect(await page.getByText('this page does not confirm it').count()).toBe(0)
    const code = await visit.platform.mail.codeIn(assetId)
    await codeOf(page).fill(code)
    await keepScreenshot(page, 'contact-code-light')
    await send(page)
    await titled(page, 'Your message was sent')
    await keepScreenshot(page, 'contact-done-light')

    const [message] = (await client.inbox.list()).messages
    const sentAt = expect.any(Number) as number
    expect(await client.inbox.open(message!)).toEqual({ ...DRAFT, assetId, sentAt, sealedWith: 'x-wing' })
    expect(await page.title()).toBe(message?.requestId)

    const bodies = sent.filter(({ body }) => body !== '')
    expect(bodies.map(({ url }) => new URL(url).pathname)).toEqual([
      '/api/inbox/contact-request',
      '/api/inbox/verify-otp',
    ])
    const [first, second] = bodies.map(({ body }) => JSON.parse(body) as Record<string, unknown>)
    expect(first).toEqual({ assetId, fromEmail: DRAFT.email, challengeToken: 'XXXX.DUMMY.TOKEN.XXXX' })
    expect(Object.keys(second ?? {}).toSorted()).toEqual(['code', 'envelope', 'requestId'])
    const everything = sent.map(({ url, body }) => `${url} ${body}`).join('\n')
    for (const secret of [DRAFT.name, DRAFT.subject, 'May I print', 'Lovelace'])
      expect(everything).not.toContain(secret)
    expect(bodies[1]?.body).not.toContain(DRAFT.email)
    expect(complaints).toEqual([])
  })

  it('without an owner says whose key it encrypts to, and that the service alone names it', async () => {
    const { assetId, identity } = await freshOwner(visit.platform)
    const page = await visit.newPage()
    await page.goto(site.page(assetId))
    await page.getByText('Before you send it, you see whose key it is encrypted to').waitFor()
    expect(await page.getByText('Only the owner can read').locator('visible=true').count()).toBe(0)
    await fill(page)
    await ask(page)
    await titled(page, 'Enter the code from your mail')
    await page.getByText(identity.did).locator('visible=true').waitFor()
    await page.getByText('this page does not confirm it').waitFor()
    await keepScreenshot(page, 'contact-claimed-light')
    await codeOf(page).fill(await visit.platform.mail.codeIn(assetId))
    await send(page)
    await page.getByText(`It was encrypted for ${identity.did}`).waitFor()
  })

  it('refuses to work on a site that is not allowed, with a message', async () => {
    const { assetId, client } = await freshOwner(visit.platform)
    const page = await visit.newPage()
    await page.goto(elsewhere.page(assetId))
    await fill(page)
    await ask(page)
    expect(await problemOf(page)).toContain('this site is not allowed to send messages here')
    expect(await fieldOf(page, 'Message').inputValue()).toBe(DRAFT.message)
    await keepScreenshot(page, 'contact-refused-light')
    const asked = await fetch(`${visit.platform.urls.core}/api/inbox/contact-request`, {
      method: 'POST',
      headers: { origin: elsewhere.origin, 'content-type': 'application/json' },
      body: '{}',
    })
    expect(asked.status).toBe(403)
    expect(await asked.json()).toMatchObject({ error: 'cors_denied' })
    expect((await client.inbox.list()).total).toBe(0)
  })

  it('shows an error beside each field, and accepts the corrections, by keyboard alone', async () => {
    const { assetId, client } = await freshOwner(visit.platform)
    const page = await visit.newPage()
    await page.goto(site.page(assetId))
    const focused = () =>
      page.evaluate(() => {
        const active = document.activeElement?.shadowRoot?.activeElement ?? document.activeElement
        return active?.id || active?.textContent?.trim()
      })
    const tab = async () => {
      await page.keyboard.press('Tab')
      return focused()
    }
    expect(await tab()).toBe('name')
    await page.keyboard.press('Enter')
    expect(await focused()).toBe('name')
    expect(await page.getByRole('textbox', { name: 'Your name', description: 'Enter your name' }).count()).toBe(1)
    expect(await fieldOf(page, 'Message').getAttribute('aria-invalid')).toBe('true')
    await keepScreenshot(page, 'contact-errors-light')
    await page.keyboard.type(DRAFT.name)
    expect(await tab()).toBe('email')
    await page.keyboard.type('no address')
    expect(await tab()).toBe('subject')
    await page.keyboard.type(DRAFT.subject)
    expect(await tab()).toBe('message')
    await page.keyboard.type('Typed.')
    expect(await tab()).toBe('Send me a code')
    await page.keyboard.press('Space')
    expect(await focused()).toBe('email')
    const described = { name: 'Your e-mail address', description: /Enter an address like name@example\.org/ }
    expect(await page.getByRole('textbox', described).count()).toBe(1)
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type('keys@example.org')
    await page.keyboard.press('Enter')
    await titled(page, 'Enter the code from your mail')
    expect(await focused()).toBe('code-title')
    expect(await tab()).toBe('code')
    const code = await visit.platform.mail.codeIn(assetId)
    await page.keyboard.type(String((Number(code) + 1) % 1_000_000).padStart(6, '0'))
    await page.keyboard.press('Enter')
    const wrong = { name: 'Code', description: 'That is not the code. 4 attempts are left' }
    await page.getByRole('textbox', wrong).waitFor()
    expect(await focused()).toBe('code')
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type(code)
    await page.keyboard.press('Enter')
    await titled(page, 'Your message was sent')
    expect(await focused()).toBe('done-title')
    const [message] = (await client.inbox.list()).messages
    expect(await client.inbox.open(message!)).toMatchObject({ email: 'keys@example.org', message: 'Typed.' })
  })

  it('requests another code after a delay, and goes back without losing input', async () => {
    const { assetId } = await freshOwner(visit.platform)
    const { page } = await begunOn(assetId)
    await page.getByRole('button', { name: 'Send another code' }).click()
    expect(await problemOf(page)).toMatch(/^That was too often\. Please try again in \d+ seconds\.$/)
    await page.getByRole('button', { name: 'Back' }).click()
    await titled(page, 'Write to the owner')
    expect(await fieldOf(page, 'Message').inputValue()).toBe(DRAFT.message)
    expect(await page.getByRole('alert').count()).toBe(0)
  })

  it('starts over when no attempts are left', async () => {
    const { assetId } = await freshOwner(visit.platform)
    const { page, code } = await begunOn(assetId)
    for (let wrong = 1; wrong <= 5; wrong += 1) {
      await codeOf(page).fill(String((Number(code) + wrong) % 1_000_000).padStart(6, '0'))
      await send(page)
      if (wrong < 5)
        await page.getByText(new RegExp(`${5 - wrong} attempts? (?:is|are) left|One attempt is left`)).waitFor()
    }
    expect(await problemOf(page)).toContain('no attempt is left')
    await titled(page, 'Write to the owner')
    expect(await fieldOf(page, 'Subject').inputValue()).toBe(DRAFT.subject)
  })

  it('encrypts to the named owner only', async () => {
    const [{ assetId }, other] = [await freshOwner(visit.platform), await freshOwner(visit.platform)]
    const page = await visit.newPage()
    await page.goto(site.page(assetId, { owner: other.identity.did }))
    await fill(page)
    await ask(page)
    expect(await problemOf(page)).toBe('The key of the owner could not be verified, so nothing was sent.')
  })

  it('reports an owner who cannot be reached', async () => {
    const page = await visit.newPage()
    await page.goto(site.page(`asset:sha3-384:${'0'.repeat(96)}`))
    await fill(page)
    await ask(page)
    expect(await problemOf(page)).toBe('The owner of this cannot be reached here.')
  })

  it('uses the Turnstile widget if the page has loaded it, with the action "contact"', async () => {
    const { assetId } = await freshOwner(visit.platform)
    const page = await visit.newPage()
    await page.goto(site.page(assetId, { turnstile: '', key: '0x4AAAAAAAsite' }))
    await page.getByText('widget for contact under 0x4AAAAAAAsite').waitFor()
    await fill(page)
    await ask(page)
    await titled(page, 'Enter the code from your mail')
    await page.getByRole('button', { name: 'Back' }).click()
    await ask(page)
    await titled(page, 'Enter the code from your mail')
  })

  it('does not continue without a challenge', async () => {
    const { assetId } = await freshOwner(visit.platform)
    const page = await visit.newPage()
    await page.goto(site.page(assetId, { key: '0x4AAAAAAAsite' }))
    await fill(page)
    await ask(page)
    expect(await problemOf(page)).toContain('finish the check that you are a person')
  })

  it.each(['light', 'dark'] as const)(
    'fits 320 pixels, with enough contrast on a %s background',
    async (colorScheme) => {
      const { assetId } = await freshOwner(visit.platform)
      const page = await visit.newPage({ colorScheme, viewport: { width: 320, height: 640 } })
      const looksWell = async (name: string) => {
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320)
        expect(await faintParts(page)).toEqual([])
        expect(await accessibilityFaults(page)).toEqual([])
        await keepScreenshot(page, `contact-${name}-320-${colorScheme}`)
      }
      await page.goto(site.page(assetId))
      await titled(page, 'Write to the owner')
      await looksWell('form')
      await ask(page)
      await looksWell('errors')
      await fill(page, 'an.address.that.is.rather.long.for.a.narrow.screen@example.org')
      await ask(page)
      await titled(page, 'Enter the code from your mail')
      await send(page)
      await looksWell('code')
      await codeOf(page).fill(await visit.platform.mail.codeIn(assetId))
      await send(page)
      await titled(page, 'Your message was sent')
      await looksWell('done')
    },
  )
})
