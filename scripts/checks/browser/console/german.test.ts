import { afterAll, expect, it } from 'vitest'
import { Visit } from '../browser.fixture.ts'
import { follow, openConsole, press, titled } from '../console-page.fixture.ts'
import { looksWell, openOwn, TWO_LOOKS } from './own-page.fixture.ts'

const visit = await Visit.begin()
afterAll(() => visit.end())

const [, narrow] = TWO_LOOKS

it.each([
  ['/sign-in', 'Anmelden'],
  ['/create-account', 'Konto anlegen'],
  ['/recover', 'Konto wiederherstellen'],
  ['/operator', 'Betreiber'],
  ['/reply', 'Antwort öffnen'],
])('%s is in German for somebody who reads it, and fits a phone', async (path, title) => {
  const { page, complaints } = await openConsole(visit, path, { ...narrow, locale: 'de-DE' })
  await titled(page, title)
  expect(await page.locator('html').getAttribute('lang')).toBe('de')
  await looksWell(page, `german${path.replaceAll('/', '-')}`)
  expect(complaints).toEqual([])
})

it('the pages of an identity are in German after the language was chosen', async () => {
  const { page, complaints } = await openOwn(visit, '/consent', 'What AI may do with your content', narrow)
  await page.getByLabel('Language').selectOption('Deutsch')
  const unlock = page.getByRole('button', { name: 'Öffnen', exact: true })
  await page.locator('.own-pages').or(unlock).first().waitFor()
  if (!(await page.locator('.own-pages').isVisible())) await press(page, 'Öffnen')
  for (const [link, title] of [
    ['KI-Nutzung', 'Was KI mit Ihren Inhalten darf'],
    ['Kapseln', 'Was Sie geschaffen haben'],
    ['Tarif', 'Tarif und Zahlungen'],
  ] as const) {
    await page.locator('.own-pages').waitFor()
    await follow(page, link)
    await titled(page, title)
    await page.getByText('Wird geladen').first().waitFor({ state: 'detached' })
    await looksWell(page, `german-${link}`)
  }
  expect(complaints).toEqual([])
})
