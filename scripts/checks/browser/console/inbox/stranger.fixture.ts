/** The side of a stranger: a message by the form of a site, and the answer to it. */
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { accessibilityFaults, beyondScreen } from '../../axe.fixture.ts'
import { faintParts, keepScreenshot, type Visit } from '../../browser.fixture.ts'
import { openConsole, press, says, titled } from '../../console-page.fixture.ts'
import * as form from '../../contact-page.fixture.ts'
import { downloaded, looksWellInBoth } from '../own-browsers.fixture.ts'
import { TWO_LOOKS } from '../own-page.fixture.ts'
import { freshEmail, type Owner } from './messages.fixture.ts'

/** Writes by the form on a site, asking for a sealed answer. Ends on the last step, with the private link. */
export async function writeByForm(visit: Visit, site: form.Site, { did, assetId }: Owner) {
  const stranger = await visit.newPage({ permissions: ['clipboard-read', 'clipboard-write'] })
  const sent: string[] = []
  stranger.on('request', (request) => sent.push(`${request.url()} ${request.postData() ?? ''}`))
  await stranger.goto(site.page(assetId, { owner: did, replies: `${visit.platform.consoleUrl}/reply` }))
  const email = freshEmail()
  await form.fill(stranger, email)
  await stranger.getByRole('checkbox', { name: 'Let the owner encrypt the answer' }).check()
  await formLooksWell(stranger, 'contact-sealed-form')
  await form.ask(stranger)
  await form.titled(stranger, 'Enter the code from your mail')
  await form.codeOf(stranger).fill(await visit.platform.mail.codeIn(email))
  await form.send(stranger)
  await form.titled(stranger, 'Your message was sent')
  await formLooksWell(stranger, 'contact-sealed-done')
  const link = await form.fieldOf(stranger, 'Private link').inputValue()
  await press(stranger, 'Copy the link')
  await says(stranger, 'The link was copied.')
  expect(await stranger.evaluate(() => navigator.clipboard.readText())).toBe(link)
  const saved = await downloaded(stranger, 'Save the link as a file')
  expect([saved.name, saved.bytes.toString()]).toEqual(['private-link.txt', `${link}\n`])
  return { email, link, sent }
}

/** In both looks, as a page of a site. */
async function formLooksWell(page: Page, name: string): Promise<void> {
  for (const { look, colorScheme, viewport } of TWO_LOOKS) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize(viewport)
    expect({
      wider: await beyondScreen(page),
      faint: await faintParts(page),
      faults: await accessibilityFaults(page),
    }).toEqual({ wider: 0, faint: [], faults: [] })
    await keepScreenshot(page, `${name}-${look}`)
  }
}

/** In a browser that has nothing but the link and the file from the mail. */
export async function openAnswer(visit: Visit, link: string, reply: Buffer, { did }: Owner) {
  const { page, complaints } = await openConsole(visit, link.slice(visit.platform.consoleUrl.length))
  const sent: string[] = []
  page.on('request', (request) => sent.push(`${request.url()} ${request.postData() ?? ''}`))
  await page.locator('[data-name="DID of the owner"]').getByText(did).waitFor()
  await looksWellInBoth(page, 'reply')
  await choose(page, Buffer.from('{"format":"svc/contact-reply/v1"}'))
  await says(page, 'This file is not an encrypted answer.')
  await looksWellInBoth(page, 'reply-refused')
  await choose(page, reply)
  await titled(page, 'The answer to your message')
  expect(await page.locator('.letter .text').textContent()).toBe('You may, with pleasure.')
  await page.locator('.letter').getByRole('link', { name: did }).waitFor()
  await looksWellInBoth(page, 'reply-opened')
  expect(complaints).toEqual([])
  return { sent }
}

export async function choose(page: Page, buffer: Buffer): Promise<void> {
  await page
    .getByLabel('File with the answer')
    .setInputFiles({ name: 'reply.json', mimeType: 'application/json', buffer })
  await press(page, 'Open the answer')
}
