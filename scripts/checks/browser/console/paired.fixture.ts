import { Client, Identity } from '@svc/client'
import { commitmentOf, type SuccessorSheet } from '@svc/client/recovery-words'
import type { Page } from 'playwright-core'
import { freshAddress } from '../../running-platform/fresh-address.ts'
import { addAuthenticator, type Visit } from '../browser.fixture.ts'
import { follow, openConsole, press, titled } from '../console-page.fixture.ts'

interface PairedOptions {
  /** The name of the page in the menu, and its heading. */
  readonly menu: string
  readonly title: string
  /** Whose keys may follow; default: every key. */
  readonly sheets?: readonly SuccessorSheet[]
  /** What the owner has done before. */
  readonly before?: (client: Client, identity: Identity) => Promise<void>
  readonly look?: Parameters<Visit['newPage']>[0]
}

/** A page of a console that was paired: the root key is elsewhere, with the SDK. */
export async function openPaired(visit: Visit, { menu, title, sheets = [], before, look = {} }: PairedOptions) {
  const headers = { 'cf-connecting-ip': freshAddress() }
  const { core } = visit.platform.urls
  const identity = await Identity.create()
  const client = await Client.connect({ core, identity, headers, origin: 'http://localhost:3000' })
  const committed = sheets.length > 0 && { commitment: await commitmentOf(sheets, { scope: identity.scope, epoch: 1 }) }
  await client.chain.genesis(committed || {})
  await before?.(client, identity)
  const opened = await openConsole(visit, '/pair', look)
  const { page } = opened
  const { invitation } = await client.pairing.offer()
  await page.getByLabel('Text or address').fill(invitation)
  await press(page, 'Join')
  const code = (await page.locator('[data-name="confirmation code"]').textContent()) ?? ''
  await client.pairing.seal(invitation, await client.pairing.approve(invitation, code))
  await protectedIfNeeded(page)
  await titled(page, 'Your identity')
  await follow(page, menu)
  await titled(page, title)
  return { ...opened, client, identity }
}

/** Where the browser has no such keys in WebCrypto, they are encrypted. */
export async function protectedIfNeeded(page: Page): Promise<void> {
  await page.getByRole('heading', { name: /^(Your identity|Protect the key of this browser)$/ }).waitFor()
  if ((await page.getByRole('heading', { level: 1 }).textContent()) === 'Your identity') return
  await addAuthenticator(page)
  await press(page, 'Use a passkey')
}
