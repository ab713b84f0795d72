import { readFileSync } from 'node:fs'
import type { Identity } from '@svc/client'
import { exportKeys } from '@svc/client/backup'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { addAuthenticator } from '../browser.fixture.ts'
import { press, titled } from '../console-page.fixture.ts'
import { create, looksWell, TWO_LOOKS } from './own-page.fixture.ts'
import { protectedIfNeeded } from './paired.fixture.ts'

/** Looks at a page in each look. It stays in the first. */
export async function looksWellInBoth(page: Page, name: string): Promise<void> {
  for (const { look, colorScheme, viewport } of TWO_LOOKS.toReversed()) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize(viewport)
    await looksWell(page, `${name}-${look}`)
  }
}

/** Creates an identity in the console, which a passkey protects, and returns the DID. */
export async function createIdentity(page: Page): Promise<string> {
  await create(page)
  return ownDid(page)
}

/** On the overview. */
export async function ownDid(page: Page): Promise<string> {
  await titled(page, 'Your identity')
  return (await page.locator('.identity-card code').textContent()) ?? ''
}

const PASSPHRASE = 'correct horse battery staple'

/** The backup file of an identity that was made elsewhere. */
export const backupOf = async (identity: Identity) => JSON.stringify(await exportKeys({ identity }, PASSPHRASE))

/** Makes this browser a device of that identity, with its root key. */
export async function useBackup(
  page: Page,
  { did, backup }: { readonly did: string; readonly backup: string },
): Promise<void> {
  await addAuthenticator(page)
  await press(page, 'I have a backup file')
  const file = { name: 'backup.json', mimeType: 'application/json', buffer: Buffer.from(backup) }
  await page.getByLabel('Backup file').setInputFiles(file)
  await page.getByLabel('Passphrase of the file').fill(PASSPHRASE)
  await press(page, 'Open the file')
  await press(page, 'Use a passkey')
  expect(await ownDid(page)).toBe(did)
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
  const joins = await second.locator('[data-name="identity that is joined"]').textContent()
  expect(joins).toBe(await first.locator('.identity-card code').textContent())
  await first.getByLabel('Code that the other device shows').fill(code)
  await press(first, 'The codes match')
  await protectedIfNeeded(second)
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
