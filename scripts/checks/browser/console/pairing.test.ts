import { join } from 'node:path'
import { ROOT } from '@svc/platform/workspace'
import { build } from 'esbuild'
import type { Page } from 'playwright-core'
import { afterAll, expect, it } from 'vitest'
import { Visit } from '../browser.fixture.ts'
import { openConsole, press, says, titled } from '../console-page.fixture.ts'
import { createIdentity, looksWellInBoth } from './own-browsers.fixture.ts'
import { panel } from './own-page.fixture.ts'
import { protectedIfNeeded } from './paired.fixture.ts'

const visit = await Visit.begin()
afterAll(() => visit.end())

/** What a browser is called by itself. */
const UNNAMED = /^Chrome on \w+$/

/** Reads the QR code of a picture, as the camera of a phone does. */
async function scanned(picture: Buffer): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: "export { decodeQR } from 'qr/decode.js'", resolveDir: join(ROOT, 'packages/console') },
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'reader',
    platform: 'browser',
  })
  const page = await visit.newPage()
  await page.evaluate(outputFiles[0]?.text ?? '')
  return page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))
    const { width, height } = await createImageBitmap(new Blob([bytes]))
    const context = new OffscreenCanvas(width, height).getContext('2d')
    context?.drawImage(await createImageBitmap(new Blob([bytes])), 0, 0)
    const { reader } = globalThis as unknown as { reader: { decodeQR(image: object): string } }
    return reader.decodeQR({ width, height, data: context?.getImageData(0, 0, width, height).data })
  }, picture.toString('base64'))
}

/** The names in the list of devices, in its order. */
const devicesOf = (page: Page) => panel(page, 'Devices').getByRole('listitem').locator('strong').allTextContents()

it('a browser pairs by the QR code that the other one shows, and has a name in both', async () => {
  const first = await openConsole(visit, '/')
  await createIdentity(first.page)
  await first.page.getByRole('button', { name: 'Pair a device' }).click()
  await press(first.page, 'Pair a device')
  const code = first.page.getByRole('img', { name: 'Pairing code' })
  await code.waitFor()
  const address = await scanned(await code.screenshot())
  expect(address).toBe(await first.page.locator('[data-name="pairing address"]').textContent())

  const second = await openConsole(visit, address.replace(visit.platform.consoleUrl, ''))
  const name = second.page.getByLabel('Name of this browser')
  expect(await name.inputValue()).toMatch(UNNAMED)
  await looksWellInBoth(second.page, 'pair')
  await name.fill('Kitchen laptop')
  await press(second.page, 'Join')
  await titled(second.page, 'Compare the code')
  await second.page.getByText('also enter its name: Kitchen laptop.').waitFor()
  const shown = (await second.page.locator('[data-name="confirmation code"]').textContent()) ?? ''
  await first.page.getByLabel('Code that the other device shows').fill(shown)
  await first.page.getByLabel('Name of the device').fill('Kitchen laptop')
  await press(first.page, 'The codes match')
  await says(first.page, 'The device is paired.')
  await expect
    .poll(() => devicesOf(first.page), { timeout: 30_000 })
    .toEqual([expect.stringMatching(UNNAMED), 'Kitchen laptop'])

  await protectedIfNeeded(second.page)
  await titled(second.page, 'Your identity')
  await panel(second.page, 'Devices').getByText('this browser').waitFor()
  expect(await devicesOf(second.page)).toEqual([visit.platform.consoleUrl, 'Kitchen laptop'])
  await looksWellInBoth(first.page, 'devices')
  expect([...first.complaints, ...second.complaints]).toEqual([])
})
