import type { Page } from 'playwright-core'
import { looksWell as pageLooksWell } from '../axe.fixture.ts'
import { addAuthenticator, type Visit } from '../browser.fixture.ts'
import { LOOKS, openConsole, press, titled } from '../console-page.fixture.ts'
import { keepOneSheet } from './sheets.fixture.ts'

/** A desk in light, and a narrow phone in dark. */
export const TWO_LOOKS = LOOKS.filter(({ look }) => look === 'light-1280' || look === 'dark-360')

export const panel = (page: Page, title: string) =>
  page.locator('section').filter({ has: page.getByRole('heading', { level: 2, name: title, exact: true }) })

export const looksWell = (page: Page, name: string) => pageLooksWell(page, `console-${name}`)

/** Creates an identity, which a passkey protects. The page is then the one that was asked for. */
export async function create(page: Page): Promise<void> {
  await addAuthenticator(page)
  await press(page, 'Create an identity')
  await titled(page, 'Protect the root key')
  await press(page, 'Use a passkey')
  await keepOneSheet(page)
  await press(page, 'Continue')
}

/** A page of somebody who has created an identity on the way to it. */
export async function openOwn(
  visit: Visit,
  path: string,
  title: string,
  options: Parameters<Visit['newPage']>[0] = {},
): Promise<Awaited<ReturnType<typeof openConsole>>> {
  const opened = await openConsole(visit, path, options)
  const { page } = opened
  await create(page)
  await titled(page, title)
  return opened
}
