import { readFileSync } from 'node:fs'
import { importKeys } from '@svc/client/backup'
import { afterAll, expect, it } from 'vitest'
import { addAuthenticator, Visit } from '../browser.fixture.ts'
import { follow, openConsole, press, says, titled } from '../console-page.fixture.ts'
import { createIdentity, downloaded, looksWellInBoth, ownDid } from './own-browsers.fixture.ts'
import { panel } from './own-page.fixture.ts'

const visit = await Visit.begin()
afterAll(() => visit.end())

const PASSPHRASE = 'correct horse battery staple'

it('a backup of the root key opens in a new browser, which then acts with it', async () => {
  const first = await openConsole(visit, '/')
  const did = await createIdentity(first.page)
  await follow(first.page, 'Backup')
  await titled(first.page, 'Backup')
  await looksWellInBoth(first.page, 'backup')
  await first.page.getByLabel('Passphrase for the file').fill(PASSPHRASE)
  await first.page.getByLabel('The same again').fill('another passphrase')
  await press(first.page, 'Continue')
  await says(first.page, 'The two passphrases differ.')
  await first.page.getByLabel('The same again').fill(PASSPHRASE)
  await press(first.page, 'Continue')
  const file = await downloaded(first.page, 'Download the backup')
  await says(first.page, 'The file was downloaded.')
  expect(file.name).toBe(`backup-${did.slice(8, 16)}.json`)
  const exported = JSON.parse(file.bytes.toString()) as unknown
  const { identity, recovery, devices } = await importKeys(exported, PASSPHRASE)
  expect([identity?.did, recovery?.did, devices]).toEqual([did, did, []])

  const second = await openConsole(visit, '/')
  await looksWellInBoth(second.page, 'welcome-ways')
  await press(second.page, 'I have a backup file')
  await titled(second.page, 'Use a backup file')
  await looksWellInBoth(second.page, 'backup-open')
  await second.page
    .getByLabel('Backup file')
    .setInputFiles({ name: file.name, mimeType: 'application/json', buffer: file.bytes })
  await second.page.getByLabel('Passphrase of the file').fill('wrong horse battery')
  await press(second.page, 'Open the file')
  await says(second.page, 'The passphrase is wrong, or the file was changed.')
  await second.page.getByLabel('Passphrase of the file').fill(PASSPHRASE)
  await press(second.page, 'Open the file')
  await titled(second.page, 'Protect the root key')
  expect(await second.page.locator('[data-name="DID of the backup"]').textContent()).toBe(did)
  await looksWellInBoth(second.page, 'backup-opened')
  await addAuthenticator(second.page)
  await press(second.page, 'Use a passkey')
  expect(await ownDid(second.page)).toBe(did)

  await panel(second.page, 'Devices').getByText('this browser').waitFor()
  await second.page.getByRole('button', { name: /^Revoke / }).click()
  await press(second.page, 'Revoke')
  await says(second.page, 'The device was revoked.')
  expect([...first.complaints, ...second.complaints]).toEqual([])
})

it('the recovery file is downloaded again, and what is not a backup is refused', async () => {
  const { page, complaints } = await openConsole(visit, '/')
  const did = await createIdentity(page)
  await follow(page, 'Backup')
  await press(page, 'Get the recovery file')
  const { bytes } = await downloaded(page, 'Download the recovery file')
  expect(JSON.parse(bytes.toString())).toMatchObject({ format: 'svc/recovery/v1', did, epoch: 1 })

  const other = await openConsole(visit, '/')
  await press(other.page, 'I have a backup file')
  await press(other.page, 'Open the file')
  await says(other.page, 'Choose the backup file first.')
  const here = readFileSync(import.meta.filename)
  for (const buffer of [bytes, here]) {
    await other.page.getByLabel('Backup file').setInputFiles({ name: 'x.json', mimeType: 'application/json', buffer })
    await press(other.page, 'Open the file')
    await says(other.page, 'This is not a backup file.')
  }
  expect([...complaints, ...other.complaints]).toEqual([])
})
