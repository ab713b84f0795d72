import { readFileSync } from 'node:fs'
import { Client, Identity } from '@svc/client'
import { textAssetIdOf } from '@svc/client/functions'
import { fingerprintText } from '@svc/fingerprint'
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { freshAddress } from '../../running-platform/fresh-address.ts'
import { Visit } from '../browser.fixture.ts'
import { press, says, titled } from '../console-page.fixture.ts'
import { looksWellInBoth } from './own-browsers.fixture.ts'
import { looksWell, openOwn, panel, TWO_LOOKS } from './own-page.fixture.ts'
import { judged } from './verify-page.fixture.ts'

const visit = await Visit.begin()
afterAll(() => visit.end())

const TITLE = 'What you made'
const freshText =
  () => `The ferry to the island leaves when the bell of the old chapel rings, and nobody knows who pulls
the rope since the sexton moved away. ${crypto.randomUUID()} wrote that it is the wind, ${crypto.randomUUID()} that it
is the sea, and the children of the harbour say that the ferry rings the bell itself, because it wants to leave.`

async function type(page: Page, text: string): Promise<void> {
  await page.getByLabel('Text', { exact: true }).fill(text)
}

/** A picture with enough detail, unlike that of any other test. */
function drawn(page: Page, seed: number): Promise<string> {
  return page.evaluate(async (start) => {
    const canvas = new OffscreenCanvas(256, 256)
    const context = canvas.getContext('2d')
    if (!context) throw new Error('no canvas')
    let random = start
    for (let i = 0; i < 60; i++) {
      const next = () => {
        random = (random * 1_103_515_245 + 12_345) % 2_147_483_648
        return random / 2_147_483_648
      }
      context.fillStyle = `rgb(${next() * 255} ${next() * 255} ${next() * 255})`
      context.fillRect(next() * 256, next() * 256, next() * 120, next() * 120)
    }
    const bytes = new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer())
    return btoa(String.fromCharCode(...bytes))
  }, seed)
}

describe.each(TWO_LOOKS)('in $look', ({ look, ...options }) => {
  it('registers a text, finds a copy of it, and deletes the registration; the text stays here', async () => {
    const { page, complaints } = await openOwn(visit, '/capsules', TITLE, options)
    const sent: string[] = []
    page.on('request', (request) => sent.push(request.postData() ?? ''))
    await press(page, 'Sign and register')
    await says(page, 'Enter a text or choose a file.')
    await type(page, 'Too short')
    await press(page, 'Sign and register')
    await says(page, 'There is too little text or detail to tell it from others.')
    const text = freshText()
    await type(page, text)
    await press(page, 'Sign and register')
    await says(page, 'It is registered.')
    const id = textAssetIdOf(fingerprintText(text))
    await panel(page, 'Result').getByText(id).waitFor()
    await looksWell(page, `capsules-text-${look}`)

    await type(page, text.split('. ')[0] ?? '')
    await press(page, 'Search for copies')
    await panel(page, 'Copies').getByText(id).waitFor()
    await panel(page, 'Copies').getByText('100% of your text is found there').waitFor()
    await panel(page, 'Copies').getByText('yours').waitFor()
    await looksWell(page, `capsules-found-${look}`)
    expect(sent.filter((body) => body.includes('chapel'))).toEqual([])

    await panel(page, 'Registered in this browser').getByRole('button', { name: 'Delete: Typed text' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await says(page, 'The registration was deleted.')
    await panel(page, 'Registered in this browser').getByText('Nothing yet.').waitFor()
    expect(complaints).toEqual([])
  })
})

it('a picture becomes a capsule whose proof holds, and its copies are found', async () => {
  const { page, complaints } = await openOwn(visit, '/capsules', TITLE)
  const picture = Buffer.from(await drawn(page, Date.now() % 1_000_000), 'base64')
  await page.getByLabel('Or a file').setInputFiles({ name: 'harbour.png', mimeType: 'image/png', buffer: picture })
  await page.getByText('Chosen: harbour.png').waitFor()
  await press(page, 'Sign and register')
  await panel(page, 'Result').getByText('Nobody had registered this file before.').waitFor()
  await press(page, 'Search for copies')
  await panel(page, 'Copies').getByText('Differs in 0 of 256 bits').waitFor()
  await looksWellInBoth(page, 'capsules-picture')

  await press(page, 'Sign and register')
  await page.getByText('You have registered this file before, with another capsule.').waitFor()
  const mine = panel(page, 'Registered in this browser')
  await mine.getByRole('link', { name: 'Check the proof: harbour.png' }).click()
  await judged(page, 'Valid: hash')
  expect(complaints).toEqual([])
})

it('a commitment opens with the salt that was downloaded', async () => {
  const { page, complaints } = await openOwn(visit, '/capsules', TITLE)
  await type(page, 'The cat did it.')
  await press(page, 'Commit without showing it')
  await says(page, 'You have committed to it.')
  await looksWellInBoth(page, 'capsules-commitment')
  const downloading = page.waitForEvent('download')
  await press(page, 'Download the commitment and its salt')
  const kept = JSON.parse(readFileSync(await (await downloading).path(), 'utf8')) as {
    commitment: { id: string; commitment_hash: string }
    saltB64u: string
  }
  const headers = { 'cf-connecting-ip': freshAddress() }
  const identity = await Identity.create()
  const reader = await Client.connect({ core: visit.platform.urls.core, identity, headers })
  const { commitment_hash: hash } = await reader.provenance.commitment(kept.commitment.id)
  expect(hash).toBe(kept.commitment.commitment_hash)
  expect(kept.saltB64u).toHaveLength(43)
  await titled(page, TITLE)
  expect(complaints).toEqual([])
})
