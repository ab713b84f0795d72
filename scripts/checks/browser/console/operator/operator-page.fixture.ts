import { Client, Identity } from '@svc/client'
import { exportOperatorKey, Operator, operatorKeyOf } from '@svc/client/operator'
import type { Page } from 'playwright-core'
import { freshAddress } from '../../../running-platform/fresh-address.ts'
import type { Visit } from '../../browser.fixture.ts'
import { openConsole, press, says } from '../../console-page.fixture.ts'

const PASSPHRASE = 'correct horse battery staple'
export const keyFile = async (seed: Uint8Array) => JSON.stringify(await exportOperatorKey(seed, PASSPHRASE))

export async function someone({ platform }: Visit): Promise<Client> {
  const headers = { 'cf-connecting-ip': freshAddress() }
  const client = await Client.connect({ core: platform.urls.core, identity: await Identity.create(), headers })
  await client.chain.genesis()
  return client
}

export async function openKey(page: Page, file: string, passphrase = PASSPHRASE): Promise<void> {
  const chosen = { name: 'operator.json', mimeType: 'application/json', buffer: Buffer.from(file) }
  await page.getByLabel('File with the encrypted key').setInputFiles(chosen)
  await page.getByLabel('Passphrase').fill(passphrase)
  await press(page, 'Open the key')
}

export async function openOperator(visit: Visit, options: Parameters<Visit['newPage']>[0] = {}) {
  const opened = await openConsole(visit, '/operator', options)
  await openKey(opened.page, await keyFile(visit.platform.secrets.operatorSeed))
  await says(opened.page, 'The key is open.')
  return opened
}

/** The operator without a console, to see what the console did. */
export async function operatorOf({ platform }: Visit): Promise<Operator> {
  const key = operatorKeyOf(platform.secrets.operatorSeed)
  return Operator.connect({ core: platform.urls.core, key, headers: { 'cf-connecting-ip': freshAddress() } })
}

/** Somebody asks for an invitation, on the page of core. Returns the address for the answer. */
export async function askForInvitation(visit: Visit, name: string): Promise<string> {
  const email = `ada-${crypto.randomUUID().slice(0, 8)}@example.org`
  const page = await visit.newPage()
  await page.goto(`${visit.platform.urls.core}/invite-request`)
  await page.getByRole('textbox', { name: 'E-mail address' }).fill(email)
  await page.getByRole('textbox', { name: 'Name' }).fill(name)
  await page.getByRole('textbox', { name: 'What would you like to do?' }).fill('Keep notes on an engine.')
  await page.getByRole('button', { name: 'Send the request' }).click()
  await page.getByRole('heading', { name: 'Your request was received' }).waitFor()
  return email
}
