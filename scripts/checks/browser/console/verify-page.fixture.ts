import type { Pixels } from '@svc/client/images'
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

/** Has the hash of the file sent to the services, which nothing does before. */
export async function searchRecords(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Search the public records' }).click()
}

/** A picture of half the size as JPEG, made by the browser. */
export async function smallCopyOf(page: Page, { data, width, height }: Pixels): Promise<Uint8Array> {
  const base64 = await page.evaluate(
    async ([bytes, columns, rows]) => {
      const rgba = Uint8ClampedArray.from(atob(bytes), (character) => character.charCodeAt(0))
      const whole = await createImageBitmap(new ImageData(rgba, columns, rows))
      const canvas = new OffscreenCanvas(columns / 2, rows / 2)
      canvas.getContext('2d')?.drawImage(whole, 0, 0, columns / 2, rows / 2)
      const blob = await canvas.convertToBlob({ type: 'image/jpeg', quality: 0.8 })
      return btoa(String.fromCharCode(...new Uint8Array(await blob.arrayBuffer())))
    },
    [Buffer.from(data).toString('base64'), width, height] as const,
  )
  return new Uint8Array(Buffer.from(base64, 'base64'))
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
