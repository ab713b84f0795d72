import { sendOperatorAct } from '@svc/operations/operator-act'
import type { Page } from 'playwright-core'
import { afterAll, expect, it } from 'vitest'
import { addAuthenticator, Visit } from '../../browser.fixture.ts'
import { follow, openConsole, press, says, titled } from '../../console-page.fixture.ts'
import { downloaded, looksWellInBoth, ownDid, pairWith } from '../own-browsers.fixture.ts'
import { panel } from '../own-page.fixture.ts'
import { begin, confirmedHere, type Kept, takenOver, windowMs } from './recovery.fixture.ts'

const visit = await Visit.begin()
afterAll(() => visit.end())

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
  await page.waitForTimeout((await windowMs(visit)) + 500)
  await begin(page, kept)
  if (!(await confirmedHere(page))) await addAuthenticator(page)
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
