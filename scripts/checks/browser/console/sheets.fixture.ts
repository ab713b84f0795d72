import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { press, titled } from '../console-page.fixture.ts'

type Look = (name: string) => Promise<void>
const unseen: Look = async () => {}

/** Returns the words of the sheet on the page, without their numbers. */
export const shownWords = (page: Page) => page.locator('.word-list li').allInnerTexts()

/** Writes down one sheet, and types the two words that the page asks for. Returns all words. */
export async function writeDown(page: Page, title: string, looks = unseen): Promise<readonly string[]> {
  await titled(page, title)
  const words = await shownWords(page)
  expect(words).toHaveLength(24)
  await looks('sheet-words')
  await press(page, 'I have written them down')
  await titled(page, 'Check what you wrote down')
  for (const field of await page.getByLabel(/^Word \d+$/).all()) {
    const label = await field.evaluate((input: HTMLInputElement) => input.labels?.[0]?.textContent)
    await field.fill(words[Number(label?.replace('Word ', '')) - 1] ?? '')
  }
  await looks('sheet-check')
  await press(page, 'Check')
  return words
}

/** Creates one sheet. Returns its words. */
export async function writeOneSheet(page: Page, looks = unseen): Promise<readonly string[]> {
  const words = await writeDown(page, 'Write down your recovery words', looks)
  await titled(page, 'A second sheet?')
  await looks('sheet-another')
  await press(page, 'One sheet is enough')
  return words
}

/** Takes the steps with one sheet that follow the choice of how to encrypt the root key. Returns its words. */
export async function keepOneSheet(page: Page, looks = unseen): Promise<readonly string[]> {
  const words = await writeOneSheet(page, looks)
  await titled(page, 'Keep the recovery file')
  await looks('recovery-file')
  return words
}
