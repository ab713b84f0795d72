import { gzipSync } from 'node:zlib'
import type { Page, Response } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { looksWell as pageLooksWell } from './axe.fixture.ts'
import { addAuthenticator, Visit } from './browser.fixture.ts'
import { createAccount, freshName, LOOKS, openConsole, press, says } from './console-page.fixture.ts'

/**
 * Scripts and styles of the first load, compressed with gzip, in bytes. Passwords load WebAssembly when they are used. The
 * sign-in page offers a passkey when it opens, and reads the answer with Zod.
 */
const FIRST_LOAD_BYTES = [
  ['sign-in', 85_000],
  ['', 150_000],
  ['log', 150_000],
  ['requests', 150_000],
] as const

const visit = await Visit.begin()
afterAll(() => visit.end())

const looksWell = (page: Page, name: string) => pageLooksWell(page, `console-${name}`)

describe.each(LOOKS)('in $look', ({ look, ...options }) => {
  it.each(['sign-in', 'create-account', 'recover', 'nothing-here'])(
    '/%s is accessible, and breaks no policy',
    async (path) => {
      const { page, complaints } = await openConsole(visit, `/${path}`, options)
      await looksWell(page, `${path}-${look}`)
      expect(complaints).toEqual([])
    },
  )

  it('the account page is accessible, with its questions open, and breaks no policy', async () => {
    const { page, complaints } = await openConsole(visit, '/sign-in', options)
    await addAuthenticator(page)
    await createAccount(page, freshName())
    await press(page, 'Add a passkey')
    await says(page, 'The passkey was added.')
    await press(page, 'Change password')
    await looksWell(page, `account-${look}`)
    await press(page, 'Delete account')
    await looksWell(page, `question-${look}`)
    expect(complaints).toEqual([])
  })
})

it.each(FIRST_LOAD_BYTES)('the first load of /%s stays in its budget', async (path, bytes) => {
  const page = await visit.newPage()
  const sizes: Promise<number>[] = []
  page.on('response', (response: Response) => {
    if (/\.(js|css)$/.test(response.url())) sizes.push(response.body().then((body) => gzipSync(body).length))
  })
  await page.goto(`${visit.platform.consoleUrl}/${path}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.waitForLoadState('networkidle')
  const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
  expect(total).toBeGreaterThan(5_000)
  expect(total).toBeLessThan(bytes)
})
