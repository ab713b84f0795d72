import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { accessibilityFaults, beyondScreen } from '../axe.fixture.ts'
import { addAuthenticator, keepScreenshot } from '../browser.fixture.ts'
import { LOOKS, press, titled } from '../console-page.fixture.ts'

const LOOKED_AT = LOOKS.filter(({ look }) => look === 'light-1280' || look === 'dark-360')

/** Keeps a screenshot of each look that is looked at, and finds what is wrong with it. The page stays in the first. */
export async function looksWell(page: Page, name: string): Promise<void> {
  for (const { look, colorScheme, viewport } of LOOKED_AT.toReversed()) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize(viewport)
    await keepScreenshot(page, `console-${name}-${look}`)
    expect(await beyondScreen(page), `${name} ${look}`).toBe(0)
    expect(await accessibilityFaults(page), `${name} ${look}`).toEqual([])
  }
}

/** The part of a page under this heading. */
export const panel = (page: Page, title: string) =>
  page.locator('section').filter({ has: page.getByRole('heading', { level: 2, name: title, exact: true }) })

/** Creates an identity in the console, which a passkey protects, and returns the DID. */
export async function createIdentity(page: Page): Promise<string> {
  await addAuthenticator(page)
  await press(page, 'Create an identity')
  await titled(page, 'Protect the root key')
  await press(page, 'Use a passkey')
  await titled(page, 'Write down your recovery key')
  await press(page, 'I have kept it')
  return ownDid(page)
}

/** On the overview. */
export async function ownDid(page: Page): Promise<string> {
  await titled(page, 'Your identity')
  return (await page.locator('.identity-card code').textContent()) ?? ''
}

/** Pairs the console of the second page, at `/pair`, with the overview of the first. */
export async function pairWith(first: Page, second: Page): Promise<void> {
  await first.getByRole('button', { name: 'Pair a device' }).click()
  await press(first, 'Pair a device')
  await second
    .getByLabel('Text or address')
    .fill((await first.locator('[data-name="pairing address"]').textContent()) ?? '')
  await press(second, 'Join')
  await titled(second, 'Compare the code')
  const code = (await second.locator('[data-name="confirmation code"]').textContent()) ?? ''
  await first.getByLabel('Code that the other device shows').fill(code)
  await press(first, 'The codes match')
  await second.getByRole('heading', { name: /^(Your identity|Protect the key of this browser)$/ }).waitFor()
  // Where the browser has no such keys in WebCrypto, they are encrypted.
  if ((await second.getByRole('heading', { level: 1 }).textContent()) !== 'Your identity') {
    await addAuthenticator(second)
    await press(second, 'Use a passkey')
  }
  await titled(second, 'Your identity')
}

export interface Downloaded {
  readonly name: string
  readonly bytes: Buffer
}

/** The file that a button downloads. */
export async function downloaded(page: Page, button: string): Promise<Downloaded> {
  const [download] = await Promise.all([page.waitForEvent('download'), press(page, button)])
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) }
}
