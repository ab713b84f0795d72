import { readFileSync } from 'node:fs'
import type { KeptBundle } from '@svc/client'
import { hashOf, rootOfFile } from '@svc/client/functions'
import { afterAll, describe, expect, it } from 'vitest'
import { Visit } from '../browser.fixture.ts'
import { press, says } from '../console-page.fixture.ts'
import { looksWell, openOwn, panel, TWO_LOOKS } from './own-page.fixture.ts'

const visit = await Visit.begin()
afterAll(() => visit.end())

describe.each(TWO_LOOKS)('in $look', ({ look, ...options }) => {
  it('anchors a file, and its proof verifies without a network', async () => {
    const { page, complaints } = await openOwn(visit, '/anchors', 'Anchors', options)
    const sent: string[] = []
    page.on('request', (request) => sent.push(`${request.url()} ${request.postData() ?? ''}`))
    const secret = crypto.randomUUID()
    const buffer = Buffer.from(`a report that stays here: ${secret}`)
    const file = { name: 'report 1.pdf', mimeType: 'application/pdf', buffer }
    await page.getByLabel('File', { exact: true }).setInputFiles(file)
    await panel(page, 'Anchor a file')
      .getByText(await hashOf(buffer))
      .waitFor()
    await page.getByText('Nobody finds this record by the file.').waitFor()
    await looksWell(page, `anchors-file-${look}`)
    await page.getByRole('button', { name: 'Anchor it' }).click()
    await press(page, 'Anchor it')
    await says(page, 'The hash was submitted.')
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save the proof: report 1.pdf' }).click()
    const path = await (await saved).path()
    await looksWell(page, `anchors-${look}`)
    const hash = await hashOf(buffer)
    for (const hidden of [secret, hash, 'report'])
      expect(sent.filter((request) => request.includes(hidden))).toEqual([])
    const { record, nonceB64u } = JSON.parse(readFileSync(path, 'utf8')) as KeptBundle
    expect(record).toMatchObject({ root: rootOfFile(hash, nonceB64u), epoch: '-' })
    expect(record.root).not.toBe(hash)

    // The verifier has its files and the public answers once it was used; then nobody is asked.
    await page.goto(`${visit.platform.consoleUrl}/verify/`)
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))
    const proof = { name: 'proof.json', mimeType: 'application/json', buffer: readFileSync(path) }
    const verifies = async () => {
      await page.getByText('Options').click()
      await page.getByLabel('Content that it must be about').setInputFiles(file)
      await page.getByLabel('Choose a file').setInputFiles(proof)
      await page.getByRole('heading', { name: /^Valid: / }).waitFor()
    }
    await verifies()
    await page.context().setOffline(true)
    await page.reload()
    await verifies()
    await page.context().setOffline(false)
    expect(complaints.filter((text) => !text.includes('ERR_INTERNET_DISCONNECTED'))).toEqual([])
  })
})
