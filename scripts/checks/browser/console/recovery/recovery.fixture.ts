import { Client } from '@svc/client'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { freshAddress } from '../../../running-platform/fresh-address.ts'
import type { Visit } from '../../browser.fixture.ts'
import { press, titled } from '../../console-page.fixture.ts'
import { type Downloaded, looksWellInBoth, ownDid } from '../own-browsers.fixture.ts'
import { panel } from '../own-page.fixture.ts'

/** What an owner keeps for a recovery. */
export interface Kept {
  readonly did: string
  /** As they are printed. */
  readonly words: string
  readonly file: Downloaded
}

/** At `/recovery`. */
export async function begin(page: Page, { file, words }: Kept): Promise<void> {
  await titled(page, 'Recover your identity')
  await page
    .getByLabel('Recovery file')
    .setInputFiles({ name: file.name, mimeType: 'application/json', buffer: file.bytes })
  await page.getByLabel('Recovery words').fill(words)
  await press(page, 'Start the recovery')
}

/**
 * Confirms the recovery of an identity without recovery words with the device of this browser, and waits until it is due.
 * Returns whether its key was locked. With `delay`, somebody delays the recovery first.
 */
export async function confirmedHere(page: Page, delay?: () => Promise<unknown>): Promise<boolean> {
  await titled(page, 'Your recovery')
  // Where the browser has no such keys in WebCrypto, those of the device are encrypted.
  const unlock = page.getByRole('button', { name: 'Unlock and confirm' })
  const confirmed = page.getByText('A device has confirmed it.')
  await unlock.or(confirmed).first().waitFor()
  const isLocked = await unlock.isVisible()
  if (isLocked) {
    await looksWellInBoth(page, 'recovery-locked')
    await unlock.click()
  }
  await confirmed.waitFor()
  await page.getByRole('timer').waitFor()
  if (delay) {
    await delay()
    await press(page, 'Check again')
    await page.getByText('Somebody has delayed it with the old root key.').waitFor()
  }
  await looksWellInBoth(page, delay ? 'recovery-delayed' : 'recovery-waiting')
  await finished(page)
  return isLocked
}

/** Waits until the recovery is due, and finishes it. */
export async function finished(page: Page): Promise<void> {
  await page.getByText('It can take effect now.').waitFor()
  await press(page, 'Check again')
}

const IN_A_DAY = 'can recover this identity in a day'
/** Shown for an identity that had no recovery words. */
export const NOT_YET = 'if a device or the operator confirms it'

/** From the new root key to the overview. */
export async function takenOver(page: Page, did: string, name: string, means = IN_A_DAY): Promise<void> {
  await titled(page, 'You have your identity back')
  await looksWellInBoth(page, `${name}-done`)
  await press(page, 'Use a passkey')
  await titled(page, 'Keep the recovery file')
  await looksWellInBoth(page, `${name}-file`)
  await press(page, 'Continue')
  expect(await ownDid(page)).toBe(did)
  await page.getByText('Root epoch 1 · The root key is here too, encrypted.').waitFor()
  await panel(page, 'Recovery').getByText(means).waitFor()
}

/** Checks that the devices of the old root key are shown as ended. */
export async function showsEnded(page: Page): Promise<void> {
  const devices = panel(page, 'Devices')
  await devices.locator('.tag').getByText('ended', { exact: true }).first().waitFor()
  await devices.getByText('Pair it again to use it.').waitFor()
}

/** How long a local deployment waits. */
export async function windowMs({ platform }: Visit): Promise<number> {
  const headers = { 'cf-connecting-ip': freshAddress() }
  const client = await Client.connect({ core: platform.urls.core, headers })
  const { features } = await client.capabilities()
  return features.rotation.windowMs
}
