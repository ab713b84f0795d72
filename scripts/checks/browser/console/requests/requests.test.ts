import { spawnSync } from 'node:child_process'
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { looksWell as pageLooksWell } from '../../axe.fixture.ts'
import { Visit } from '../../browser.fixture.ts'
import { LOOKS, openConsole, press, titled } from '../../console-page.fixture.ts'

const visit = await Visit.begin()
afterAll(() => visit.end())

const looksWell = (page: Page, name: string) => pageLooksWell(page, `requests-${name}`)

const shown = (page: Page, name: string | RegExp) => page.getByRole('textbox', { name })
const answered = (page: Page, text: string) => page.getByRole('heading', { level: 2, name: text }).waitFor()

describe.each(LOOKS.filter(({ look }) => look === 'light-1280' || look === 'dark-360'))(
  'in $look',
  ({ look, ...options }) => {
    it('finds an operation, signs it with a throw-away identity, and shows what was sent', async () => {
      const { page, complaints } = await openConsole(visit, '/requests', options)
      await page.getByLabel('Find an operation').fill('newest block')
      await page.getByLabel('Find an operation').fill('chain/head')
      await page.getByText('One operation').waitFor()
      await looksWell(page, `list-${look}`)
      await page.getByRole('link', { name: 'GET /api/chain/head' }).click()
      await page.getByLabel('Signed by').waitFor()
      await press(page, 'Send')
      await answered(page, 'Answer: 200 OK')
      const answer = JSON.parse(await shown(page, /^Answer/).inputValue())
      expect(answer).toMatchObject({ success: true, data: { index: '0' } })
      const assertion = JSON.parse(await shown(page, 'The assertion, decoded').inputValue())
      expect(assertion).toMatchObject({ version: 1, aud: 'chain', htm: 'GET' })
      expect(await shown(page, 'With the SDK').inputValue()).toContain("audience: 'chain'")
      await looksWell(page, `answer-${look}`)
      expect(complaints).toEqual([])
    })
  },
)

it('every service has its operations, and each of them opens', async () => {
  const { page } = await openConsole(visit, '/requests')
  for (const service of ['core', 'provenance', 'consent', 'did', 'keys', 'auth', 'pay', 'docs']) {
    await page.getByLabel('Service').selectOption(service)
    const first = page.locator('.operations a').first()
    await first.waitFor()
    expect(await first.getAttribute('href')).toMatch(new RegExp(`^#${service}\\.\\w+$`))
  }
})

it('a link leads to an operation, which is filled from its example', async () => {
  const { page } = await openConsole(visit, '/requests#consent.readConsentBatch')
  await page.getByLabel(/^Body/).waitFor()
  expect(JSON.parse(await page.getByLabel(/^Body/).inputValue())).toHaveProperty('hashes')
  await press(page, 'Send')
  await answered(page, 'Answer: 200 OK')
})

it('each operation of the API reference leads there', async () => {
  const { consoleUrl, urls } = visit.platform
  const page = await visit.newPage()
  await page.goto(`${urls.docs}/developer/api-core-chain`)
  await page.locator('a[href$="/requests#core.readHead"]').click()
  await titled(page, 'Read the index and hash of the caller’s newest block')
  expect(page.url()).toBe(`${consoleUrl}/requests#core.readHead`)
})

it('the parameters of the identity that signs are filled in, and a missing one is named', async () => {
  const { page } = await openConsole(visit, '/requests#core.readNote')
  await page.getByLabel('noteId').fill('')
  await press(page, 'Send')
  await page.getByText('Enter a value for noteId.').waitFor()
  await page.getByLabel('noteId').fill('nothing-here')
  await press(page, 'Send')
  await answered(page, 'Answer: 404 Not Found')
  expect(await page.getByLabel(/^did/).inputValue()).toMatch(/^did:svc:/)
})

it('a request without a credential is refused as the service says, and the command sends the same', async () => {
  const { page } = await openConsole(visit, '/requests#core.readHead')
  await titled(page, 'Read the index and hash of the caller’s newest block')
  await page.getByLabel('Signed by').selectOption('Nobody')
  await press(page, 'Send')
  await answered(page, 'Answer: 401 Unauthorized')
  await page.getByText('The request was sent without an assertion.').waitFor()
  const command = await shown(page, 'With curl').inputValue()
  const { stdout } = spawnSync('sh', ['-c', command], { encoding: 'utf8' })
  const { timestamp: _, ...answer } = JSON.parse(await shown(page, /^Answer/).inputValue())
  expect(JSON.parse(stdout)).toMatchObject(answer)
})

it('an answer that the page may not read is told, with the command that gets it', async () => {
  const { page } = await openConsole(visit, '/requests#docs.readHealth')
  await press(page, 'Send')
  await page.getByText('The service does not let this page read its answer').waitFor()
  const { stdout } = spawnSync('sh', ['-c', await shown(page, 'With curl').inputValue()], { encoding: 'utf8' })
  expect(JSON.parse(stdout)).toMatchObject({ status: 'ok', service: 'docs' })
})

it('without an identity in this browser, it says so, and leads to the start page and back', async () => {
  const { page } = await openConsole(visit, '/requests#core.readHead')
  await page.getByLabel('Signed by').selectOption('This browser, as a device')
  await press(page, 'Send')
  await page.getByRole('status').getByText('There is no identity in this browser.').waitFor()
  await looksWell(page, 'without-identity')
  await page.getByRole('link', { name: 'Start page' }).click()
  await page.getByRole('button', { name: 'Create an identity' }).waitFor()
  await page.goBack()
  await titled(page, 'Read the index and hash of the caller’s newest block')
  expect(await page.getByLabel('Signed by').inputValue()).toBe('own')
})
