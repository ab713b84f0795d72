import { Client } from '@svc/client'
import { sendOperatorAct } from '@svc/operations/operator-act'
import type { Page } from 'playwright-core'
import { afterAll, expect, it } from 'vitest'
import { freshAddress } from '../../running-platform/fresh-address.ts'
import { addAuthenticator, Visit } from '../browser.fixture.ts'
import { follow, openConsole, press, says, titled } from '../console-page.fixture.ts'
import { type Downloaded, downloaded, looksWellInBoth, ownDid, pairWith } from './own-browsers.fixture.ts'
import { panel } from './own-page.fixture.ts'

const visit = await Visit.begin()
afterAll(() => visit.end())

interface Kept {
  readonly did: string
  readonly words: string
  readonly file: Downloaded
}

/** What somebody keeps who creates an identity: the recovery key as it is printed, and the file that goes with it. */
async function created(page: Page): Promise<Kept> {
  await addAuthenticator(page)
  await press(page, 'Create an identity')
  await press(page, 'Use a passkey')
  await titled(page, 'Write down your recovery key')
  const words = await page.locator('.word-list').innerText()
  const file = await downloaded(page, 'Download the recovery file')
  await press(page, 'I have kept it')
  return { did: await ownDid(page), words, file }
}

async function begin(page: Page, { file, words }: Kept): Promise<void> {
  await titled(page, 'Recover your identity')
  await page
    .getByLabel('Recovery file')
    .setInputFiles({ name: file.name, mimeType: 'application/json', buffer: file.bytes })
  await page.getByLabel('Recovery key').fill(words)
  await press(page, 'Start the recovery')
}

/** From the new root key to the overview. */
async function takenOver(page: Page, did: string, name: string): Promise<void> {
  await titled(page, 'You have your identity back')
  await looksWellInBoth(page, `${name}-done`)
  await press(page, 'Use a passkey')
  await titled(page, 'Write down your recovery key')
  await press(page, 'I have kept it')
  expect(await ownDid(page)).toBe(did)
  await page.getByText('Root epoch 1 · The root key is here too, encrypted.').waitFor()
}

it('with one device left, the recovery key replaces the root key after the waiting period', async () => {
  const first = await openConsole(visit, '/')
  const second = await openConsole(visit, '/pair')
  const kept = await created(first.page)
  await pairWith(first.page, second.page)
  await first.page.context().close()

  const { page } = second
  await page.goto(`${visit.platform.consoleUrl}/recovery`)
  await titled(page, 'Recover your identity')
  await looksWellInBoth(page, 'recovery')
  // A device counts once it was active for a waiting period.
  await page.waitForTimeout((await windowMs()) + 500)
  await begin(page, kept)
  await titled(page, 'Your recovery')
  // Where the browser has no such keys in WebCrypto, those of the device are encrypted.
  const unlock = page.getByRole('button', { name: 'Unlock and confirm' })
  const confirmed = page.getByText('A device has confirmed it.')
  await unlock.or(confirmed).first().waitFor()
  const isLocked = await unlock.isVisible()
  if (isLocked) {
    await looksWellInBoth(page, 'recovery-locked')
    await unlock.click()
  }
  await confirmed.waitFor()
  await page.getByRole('timer').waitFor()
  await looksWellInBoth(page, 'recovery-waiting')
  await page.getByText('It can take effect now.').waitFor()
  await press(page, 'Check again')
  if (!isLocked) await addAuthenticator(page)
  await takenOver(page, kept.did, 'recovery')
  await panel(page, 'Devices').getByText('this browser').waitFor()
  expect(second.complaints).toEqual([])
})

it('without any device, the operator confirms the recovery in a new browser', async () => {
  const first = await openConsole(visit, '/')
  const kept = await created(first.page)
  await first.page.context().close()

  const { page, complaints } = await openConsole(visit, '/')
  await follow(page, 'I have my recovery key')
  await titled(page, 'Recover your identity')
  await begin(page, { ...kept, words: 'not the words' })
  await says(page, 'The recovery key has 24 words.')
  await begin(page, kept)
  await titled(page, 'Your recovery')
  await page.getByText('This browser is not a device of your identity.').waitFor()
  await looksWellInBoth(page, 'recovery-needs-operator')
  const request = JSON.parse((await downloaded(page, 'Download the request for the operator')).bytes.toString()) as {
    readonly did: string
    readonly rotationId: string
  }
  expect(request.did).toBe(kept.did)
  await press(page, 'Check again')
  await says(page, 'Checked.')

  const { core } = visit.platform.urls
  const act = { type: 'svc/operator-rotation-approve/v1', service: 'core', members: { ...request } } as const
  const { status } = await sendOperatorAct({ service: core, realm: core }, visit.platform.secrets.operatorSeed, act)
  expect(status).toBe(200)
  await press(page, 'Check again')
  await addAuthenticator(page)
  await takenOver(page, kept.did, 'recovery-by-operator')
  expect(complaints).toEqual([])
})

/** How long a local deployment waits. */
async function windowMs(): Promise<number> {
  const headers = { 'cf-connecting-ip': freshAddress() }
  const client = await Client.connect({ core: visit.platform.urls.core, headers })
  const { features } = await client.capabilities()
  return features.rotation.windowMs
}
