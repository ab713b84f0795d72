import type { Page } from 'playwright-core'
import type { Visit } from '../browser.fixture.ts'
import { openConsole } from '../console-page.fixture.ts'

export interface Sent {
  readonly method: string
  readonly url: string
  readonly body: string | null
}

/** The verifier, with everything that its browser complains about and everything that it sends. */
export async function openVerifier(
  visit: Visit,
  { fragment = '', ...options }: NonNullable<Parameters<Visit['newPage']>[0]> & { fragment?: string } = {},
): Promise<{ readonly page: Page; readonly complaints: string[]; readonly sent: Sent[] }> {
  const { page, complaints } = await openConsole(visit, `/verify/${fragment}`, options)
  const sent: Sent[] = []
  page.context().on('request', (request) => {
    sent.push({ method: request.method(), url: request.url(), body: request.postData() })
  })
  return { page, complaints, sent }
}

const pasted = (what: unknown) => (typeof what === 'string' ? what : JSON.stringify(what))

export async function check(page: Page, what: unknown): Promise<void> {
  await page.getByRole('textbox', { name: /^Or paste it/ }).fill(pasted(what))
  await page.getByRole('button', { name: 'Check', exact: true }).click()
}

export async function choose(page: Page, name: string, bytes: Uint8Array, mimeType: string): Promise<void> {
  await page.locator('.dropped input').setInputFiles({ name, mimeType, buffer: Buffer.from(bytes) })
}

export const verdictOf = (page: Page) => page.getByRole('heading', { level: 2 })

/** Waits for a verdict, and returns all of its text. */
export async function judged(page: Page, verdict: string): Promise<string> {
  const heading = page.getByRole('heading', { level: 2, name: verdict, exact: true })
  await heading.waitFor().catch(async (error: unknown) => {
    const told = await page.locator('main').innerText()
    throw new Error(`no “${verdict}”, but: ${told}`, { cause: error })
  })
  return page.locator('article').innerText()
}
