import type { KeptRecovery } from '@svc/client'
import { printedKey, SuccessorSheet } from '@svc/client/recovery-words'
import { sendOperatorAct } from '@svc/operations/operator-act'
import type { Page } from 'playwright-core'
import { afterAll, expect, it } from 'vitest'
import { addAuthenticator, Visit } from '../../browser.fixture.ts'
import { follow, openConsole, press, says, titled } from '../../console-page.fixture.ts'
import { freshOwner } from '../inbox/messages.fixture.ts'
import { downloaded, looksWellInBoth, ownDid } from '../own-browsers.fixture.ts'
import { keepOneSheet, writeDown, writeOneSheet } from '../sheets.fixture.ts'
import { begin, finished, type Kept, NOT_YET, showsEnded, takenOver } from './recovery.fixture.ts'

const visit = await Visit.begin()
afterAll(() => visit.end())

const FILE = 'Download the recovery file'

async function protect(page: Page): Promise<void> {
  await addAuthenticator(page)
  await press(page, 'Create an identity')
  await press(page, 'Use a passkey')
}

/** What the creator of an identity keeps: the words and the recovery file. */
async function created(page: Page): Promise<Kept> {
  await protect(page)
  const words = await keepOneSheet(page)
  const file = await downloaded(page, FILE)
  await press(page, 'Continue')
  return { did: await ownDid(page), words: words.join(' '), file }
}

/** What the creator of an identity with two sheets keeps: `second` has the words of the second sheet. */
async function createdWithTwo(): Promise<Kept & { readonly second: string }> {
  const { page } = await openConsole(visit, '/')
  await protect(page)
  const words = await writeDown(page, 'Write down your recovery words')
  await press(page, 'Make a second sheet')
  const second = await writeDown(page, 'Write down the second sheet')
  await titled(page, 'Keep the recovery file')
  const file = await downloaded(page, FILE)
  await press(page, 'Continue')
  const did = await ownDid(page)
  await page.context().close()
  return { did, words: words.join(' '), second: second.join(' '), file }
}

async function waitsForNobody(page: Page): Promise<void> {
  await titled(page, 'Your recovery')
  await page.getByText('Only other recovery words can stop it').waitFor()
  await page.getByRole('timer').waitFor()
}

it('words and file recover an identity in a new browser, without any device', async () => {
  const first = await openConsole(visit, '/')
  const kept = await created(first.page)
  await first.page.context().close()

  const { page, complaints } = await openConsole(visit, '/')
  await follow(page, 'I have my recovery words')
  await titled(page, 'Recover your identity')
  await looksWellInBoth(page, 'recovery')
  await begin(page, { ...kept, words: 'not the words' })
  await says(page, 'There must be 24 words.')
  await begin(page, kept)
  await waitsForNobody(page)
  await looksWellInBoth(page, 'recovery-by-words')
  await finished(page)
  await addAuthenticator(page)
  await takenOver(page, kept.did, 'recovery')
  await showsEnded(page)
  expect(complaints).toEqual([])
})

it('either of two sheets recovers the identity, and both still work afterwards', async () => {
  const { did, words: one, second: two, file } = await createdWithTwo()

  const { page, complaints } = await openConsole(visit, '/recovery')
  await begin(page, { did, words: two, file })
  await waitsForNobody(page)
  await finished(page)
  await titled(page, 'Your other sheet')
  await looksWellInBoth(page, 'recovery-other-sheet')
  await page.getByLabel('The 24 words of the sheet').fill(two)
  await press(page, 'Use this sheet too')
  await says(page, 'These words belong to none of your sheets.')
  await page.getByLabel('The 24 words of the sheet').fill(one)
  await press(page, 'Use this sheet too')
  await addAuthenticator(page)
  await takenOver(page, did, 'recovery-second-sheet')
  await page.getByText(/^Sheet 2: checked on/).waitFor()
  expect(complaints).toEqual([])
})

it('asks whose another recovery is, and disputes it only if the owner says so', async () => {
  const { did, words: one, second: two, file } = await createdWithTwo()

  // A thief has the file and the words of one sheet.
  const { client: thief } = await freshOwner(visit)
  const kept = JSON.parse(new TextDecoder().decode(file.bytes)) as KeptRecovery
  const successor = await SuccessorSheet.fromWords(two).successor({ scope: kept.scope, epoch: 1 })
  await thief.recovery(kept).recover({ successor })
  const statusNow = async () => (await thief.recovery(kept).status()).rotation?.status

  const { page, complaints } = await openConsole(visit, '/recovery')
  await begin(page, { did, words: one, file })
  await titled(page, 'Another request is pending')
  await looksWellInBoth(page, 'recovery-rival')
  await press(page, 'It was me')
  expect(await statusNow()).toBe('pending')
  await begin(page, { did, words: one, file })
  await press(page, 'It was not me: dispute it')
  await titled(page, 'Your recovery')
  await page.getByText('It was stopped with a key of your identity.').waitFor()
  expect(await statusNow()).toBe('disputed')
  expect(complaints).toEqual([])
})

it('words without the file recover in 30 days, and an unchecked sheet can be checked later', async () => {
  const first = await openConsole(visit, '/')
  await protect(first.page)
  await titled(first.page, 'Write down your recovery words')
  const words = (await first.page.locator('.word-list li').allInnerTexts()).join(' ')
  await press(first.page, 'I have written them down')
  await press(first.page, 'Continue without checking')
  await press(first.page, 'One sheet is enough')
  await press(first.page, 'Continue')
  const did = await ownDid(first.page)
  await first.page.getByText('Sheet 1: not checked').waitFor()
  await first.page.getByText('No words were checked.').waitFor()
  await press(first.page, 'Check a sheet')
  await first.page.getByLabel('The 24 words of the sheet').fill(words)
  await looksWellInBoth(first.page, 'home-check-sheet')
  await press(first.page, 'Compare')
  await says(first.page, 'These are the words of sheet 1.')
  await first.page.getByText(/^Sheet 1: checked on/).waitFor()

  const { page, complaints } = await openConsole(visit, '/recovery')
  await press(page, 'I do not have the file')
  await page.getByLabel('DID of the identity').fill(did)
  await page.getByLabel('Recovery words').fill(words)
  await looksWellInBoth(page, 'recovery-without-file')
  await downloaded(page, 'Start the recovery')
  await titled(page, 'Your recovery')
  await page.getByText('Only the words have signed it.').waitFor()
  expect([...first.complaints, ...complaints]).toEqual([])
})

it('an identity without recovery words and devices needs the operator, and then gets words', async () => {
  const { identity, client } = await freshOwner(visit)
  const { successor, kept: recovery } = await identity.prepareRecovery(client)
  const file = { name: 'recovery.json', bytes: Buffer.from(JSON.stringify(recovery)) }
  const kept = { did: identity.did, words: printedKey(successor).words.signing, file }

  const { page, complaints } = await openConsole(visit, '/recovery')
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
  await writeOneSheet(page)
  await addAuthenticator(page)
  await takenOver(page, kept.did, 'recovery-by-operator', NOT_YET)
  expect(complaints).toEqual([])
})
