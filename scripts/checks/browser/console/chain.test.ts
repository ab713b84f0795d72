import { readFileSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { Visit } from '../browser.fixture.ts'
import { press, says } from '../console-page.fixture.ts'
import { looksWell, panel, TWO_LOOKS } from './own-page.fixture.ts'
import { openPaired } from './paired.fixture.ts'

const visit = await Visit.begin()
afterAll(() => visit.end())

describe.each(TWO_LOOKS)('in $look', ({ look, ...options }) => {
  it('a paired device reads the chain, verifies it and saves it for the verifier', async () => {
    const { page, complaints } = await openPaired(visit, {
      menu: 'Chain',
      title: 'Chain',
      look: options,
      before: async ({ chain }) => {
        for (let i = 1; i <= 25; i++)
          await chain.append({ payload: new TextEncoder().encode(`entry ${i}`), contentType: 'text/plain' })
      },
    })
    await page.getByText('Block 25').click()
    await panel(page, 'Blocks').getByText('valid', { exact: true }).waitFor()
    await press(page, 'Show the payload')
    await panel(page, 'Blocks').getByText('entry 25').waitFor()
    await press(page, 'Verify the whole chain')
    await says(page, 'The chain was verified.')
    await panel(page, 'Verification').getByText('All 26 blocks').waitFor()
    await looksWell(page, `chain-${look}`)
    await press(page, 'Older')
    await panel(page, 'Blocks').getByText('Block 0').waitFor()

    const saved = page.waitForEvent('download')
    await press(page, 'Save as a file')
    const buffer = readFileSync(await (await saved).path())
    await page.goto(`${visit.platform.consoleUrl}/verify/`)
    await page.getByLabel('Choose a file').setInputFiles({ name: 'chain.json', mimeType: 'application/json', buffer })
    await page.getByRole('heading', { name: /^Valid: / }).waitFor()
    expect(complaints).toEqual([])
  })
})
