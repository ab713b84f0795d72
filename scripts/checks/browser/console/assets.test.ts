import { readFileSync } from 'node:fs'
import { Client, Identity } from '@svc/client'
import { afterAll, describe, expect, it } from 'vitest'
import { freshAddress } from '../../running-platform/fresh-address.ts'
import { Visit } from '../browser.fixture.ts'
import { press, says } from '../console-page.fixture.ts'
import { looksWell, openOwn, panel, TWO_LOOKS } from './own-page.fixture.ts'

const visit = await Visit.begin()
afterAll(() => visit.end())

describe.each(TWO_LOOKS)('in $look', ({ look, ...options }) => {
  it('records a file, saves it for the verifier, and gives it away', async () => {
    const heir = await Identity.create()
    const headers = { 'cf-connecting-ip': freshAddress() }
    const client = await Client.connect({ core: visit.platform.urls.core, identity: heir, headers })
    await client.chain.genesis()

    const { page, complaints } = await openOwn(visit, '/assets', 'Assets', options)
    const buffer = Buffer.from(`a picture ${crypto.randomUUID()}`)
    await page.getByLabel('File', { exact: true }).setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer })
    await page.getByRole('button', { name: 'Record it' }).click()
    await press(page, 'Record it')
    await says(page, 'The asset was recorded.')
    const asset = panel(page, 'Asset')
    await asset.getByText('Signatures prove the owner').waitFor()
    const assetId = (await asset.locator('dd code').first().textContent()) ?? ''
    await panel(page, 'In this browser').getByText(assetId).waitFor()
    const saved = page.waitForEvent('download')
    await press(page, 'Save with its history')
    const exported = JSON.parse(readFileSync(await (await saved).path(), 'utf8')) as { record: { owner: string } }
    expect(exported).toMatchObject({ record: { asset: { assetId } }, transfers: [] })
    await looksWell(page, `assets-${look}`)

    await page.getByLabel('DID of the new owner').fill(heir.did)
    await page.getByRole('button', { name: 'Give it' }).click()
    await press(page, 'Give it')
    await says(page, 'The asset belongs to somebody else now.')
    await asset.getByText(/^Given on/).waitFor()
    expect(await client.assets.read(assetId)).toMatchObject({ proof: { owner: 'proved', did: heir.did } })
    expect(await asset.getByRole('button', { name: 'Give it' }).count()).toBe(0)
    expect(complaints).toEqual([])
  })
})
