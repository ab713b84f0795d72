import { commitmentOf, SuccessorSheet } from '@svc/client/recovery-words'
import { didOf, userIdOfKey } from '@svc/protocol/base/identity'
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { Visit } from '../browser.fixture.ts'
import { follow, openConsole, press, says, titled } from '../console-page.fixture.ts'
import { createIdentity, looksWellInBoth } from './own-browsers.fixture.ts'
import { looksWell, panel, TWO_LOOKS } from './own-page.fixture.ts'
import { openPaired, protectedIfNeeded } from './paired.fixture.ts'
import { keepOneSheet, writeOneSheet } from './sheets.fixture.ts'

const visit = await Visit.begin()
afterAll(() => visit.end())

const PASSPHRASE = 'correct horse battery staple'

async function usePassphrase(page: Page): Promise<void> {
  await page.getByLabel('Passphrase', { exact: true }).fill(PASSPHRASE)
  await page.getByLabel('The same again').fill(PASSPHRASE)
  await press(page, 'Use this passphrase')
}

/** An act of the root key, which the passkey opens for it. */
async function asRoot(page: Page, act: string | RegExp, action: string): Promise<void> {
  await page.getByRole('button', { name: act }).click()
  await press(page, action)
}

describe.each(TWO_LOOKS)('in $look', ({ look, ...options }) => {
  it('creates an identity, and every screen on the way is accessible', async () => {
    const { page, complaints } = await openConsole(visit, '/', options)
    await looksWell(page, `welcome-${look}`)
    await press(page, 'Create an identity')
    await titled(page, 'Protect the root key')
    await looksWell(page, `protect-${look}`)
    await usePassphrase(page)
    await keepOneSheet(page, (name) => looksWell(page, `${name}-${look}`))
    await press(page, 'Continue')
    await titled(page, 'Your identity')
    await panel(page, 'Safety').getByText('Nothing is pending').waitFor()
    await panel(page, 'Recovery').getByText('can recover this identity in a day').waitFor()
    await panel(page, 'Devices').getByText('this browser').waitFor()
    await panel(page, 'Usage this month').getByText('Registrations').waitFor()
    await panel(page, 'What happened').getByText('A device was added').waitFor()
    await looksWell(page, `home-${look}`)
    expect(complaints).toEqual([])
  })
})

it('a creation that failed half-way continues with the same identity', async () => {
  const { page } = await openConsole(visit, '/')
  const begun = new Set<string>()
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (request.method() === 'POST' && pathname === '/api/genesis/init')
      begun.add(didOf(userIdOfKey(request.postDataJSON().block.ownerPublicKey)))
  })
  const register = /\/1\.0\/register/
  await page.route(register, (route) => route.fulfill({ status: 403, json: { error: 'forbidden' } }))
  await press(page, 'Create an identity')
  await usePassphrase(page)
  await writeOneSheet(page)
  await page.locator('.status.bad').waitFor()
  await page.unroute(register)
  await press(page, 'One sheet is enough')
  await titled(page, 'Keep the recovery file')
  await press(page, 'Continue')
  await titled(page, 'Your identity')
  const did = await page.locator('.identity-card code').textContent()
  expect([...begun]).toEqual([did])
})

it('keys that a passkey protects outlive a reload, and neither they nor the root key can be read', async () => {
  const { page } = await openConsole(visit, '/')
  const did = await createIdentity(page)
  await page.reload()
  await unlocked(page)
  expect(await page.locator('.identity-card code').textContent()).toBe(did)
  const stored = await page.evaluate(readStores)
  expect(stored.extractable).toEqual([])
  expect(stored.text).not.toContain('signingSeedB64u')
})

it('two browsers pair: the second never sees the root key, and freezes and revocation reach it', async () => {
  const first = await openConsole(visit, '/')
  const second = await openConsole(visit, '/pair')
  const did = await createIdentity(first.page)
  await asRoot(first.page, 'Pair a device', 'Pair a device')
  await first.page.getByRole('img', { name: 'Pairing code' }).waitFor()
  const address = (await first.page.locator('[data-name="pairing address"]').textContent()) ?? ''
  await looksWellInBoth(first.page, 'pairing-offer')

  await second.page.getByLabel('Text or address').fill(address)
  await press(second.page, 'Join')
  await titled(second.page, 'Compare the code')
  const code = (await second.page.locator('[data-name="confirmation code"]').textContent()) ?? ''
  await looksWellInBoth(second.page, 'pairing-code')
  await first.page.getByLabel('Code that the other device shows').fill(code)
  await press(first.page, 'The codes match')
  await says(first.page, 'The device is paired.')

  await protectedIfNeeded(second.page)
  await titled(second.page, 'Your identity')
  expect(await second.page.locator('.identity-card code').textContent()).toBe(did)
  await second.page.getByText('The root key is on another device.').waitFor()
  await looksWellInBoth(second.page, 'home-paired')

  // The device freezes writing; the other console is told by the feed, and its root key lifts it.
  await press(second.page, 'Freeze writing')
  await panel(first.page, 'Safety').getByText('Writing is frozen since').waitFor()
  await asRoot(first.page, 'Lift the freeze', 'Lift the freeze')
  await panel(first.page, 'Safety').getByText('Nothing is pending').waitFor()

  expect([...first.complaints, ...second.complaints]).toEqual([])
  await asRoot(first.page, /^Revoke /, 'Revoke')
  await says(first.page, 'The device was revoked.')
  expect(first.complaints).toEqual([])
  // Its feed of events is refused from now on.
  const refused = 'Failed to load resource: the server responded with a status of 401 (Unauthorized)'
  await expect.poll(() => second.complaints, { timeout: 60_000 }).toContain(refused)
  expect(second.complaints.filter((complaint) => complaint !== refused)).toEqual([])
})

it('a wrong code pairs nobody', async () => {
  const first = await openConsole(visit, '/')
  const second = await openConsole(visit, '/pair')
  await createIdentity(first.page)
  await asRoot(first.page, 'Pair a device', 'Pair a device')
  const address = (await first.page.locator('[data-name="pairing address"]').textContent()) ?? ''
  await second.page.goto(address)
  await press(second.page, 'Join')
  await titled(second.page, 'Compare the code')
  await first.page.getByLabel('Code that the other device shows').fill('AAAA-AAAA')
  await press(first.page, 'The codes match')
  await first.page.getByText('The codes differ, so nothing was sent.').waitFor()
  expect(await panel(first.page, 'Devices').getByRole('listitem').count()).toBe(1)
})

const overviewOfPaired = (own: { readonly sheets?: readonly SuccessorSheet[] } = {}) =>
  openPaired(visit, { menu: 'Overview', title: 'Your identity', ...own })

it('a device that was paired vetoes a rotation by somebody who has the root key', async () => {
  const { page, client: thief, identity: stolen } = await overviewOfPaired()
  await panel(page, 'Safety').getByText('Nothing is pending').waitFor()

  await thief.rotation.request(await thief.rotation.makeRequest(await stolen.successor(), { version: 2 }))
  await panel(page, 'Safety').getByText('Somebody wants to replace the root key.').waitFor()
  await panel(page, 'Safety')
    .getByText(/It can take effect/)
    .waitFor()
  await looksWellInBoth(page, 'pending-rotation')
  await press(page, 'Freeze it')
  await panel(page, 'Safety').getByText('It is frozen').waitFor()
  expect(await panel(page, 'Safety').getByText('Nothing is pending').count()).toBe(0)
  await looksWellInBoth(page, 'frozen-rotation')
  expect((await thief.rotation.current()).latest?.status).toBe('frozen')
})

it('a rotation by root key and words is shown without a freeze, which no device has, and leads to the recovery', async () => {
  const sheet = SuccessorSheet.create()
  const { page, client: thief, identity } = await overviewOfPaired({ sheets: [sheet] })
  const { scope } = identity
  const commitment = await commitmentOf([SuccessorSheet.create()], { scope, epoch: 2 })
  const successor = await sheet.successor({ scope, epoch: 1 })
  await thief.rotation.request(await thief.rotation.makeRequest(successor, { version: 2, commitment }))
  const safety = panel(page, 'Safety')
  await safety.getByText('so no device can stop it').waitFor()
  await safety.getByText(/It can take effect/).waitFor()
  expect(await safety.getByRole('button', { name: 'Freeze it' }).count()).toBe(0)
  await looksWellInBoth(page, 'pending-full-rotation')
  await safety.getByRole('link', { name: 'Recover the identity' }).click()
  await titled(page, 'Recover your identity')
})

it('a rotation that was requested while the page opened is shown as well', async () => {
  const { page, client, identity } = await overviewOfPaired()
  await follow(page, 'Chain')
  await titled(page, 'Chain')
  // The state of the identity is read before the feed answers, and the request comes in between.
  const { promise: isRequested, resolve: requested } = Promise.withResolvers<void>()
  await page.route(/\/api\/events/, async (route) => {
    await isRequested
    await route.continue()
  })
  await follow(page, 'Overview')
  await panel(page, 'Safety').getByText('Nothing is pending').waitFor()
  await client.rotation.request(await client.rotation.makeRequest(await identity.successor(), { version: 2 }))
  requested()
  await panel(page, 'Safety').getByText('Somebody wants to replace the root key.').waitFor()
})

it('the keys are removed from the browser after a question', async () => {
  const { page } = await openConsole(visit, '/')
  await createIdentity(page)
  await press(page, 'Remove from this browser')
  await page.getByRole('dialog').getByRole('button', { name: 'Remove from this browser' }).click()
  await titled(page, 'Welcome')
})

async function unlocked(page: Page): Promise<void> {
  const unlock = page.getByRole('button', { name: 'Unlock' })
  await page.locator('.identity-card').or(unlock).first().waitFor()
  if (await unlock.isVisible()) await unlock.click()
  await page.locator('.identity-card code').waitFor()
}

/** Everything in IndexedDB: as text, and the keys that could be exported. */
async function readStores(): Promise<{ text: string; extractable: string[] }> {
  const extractable: string[] = []
  const values: unknown[] = []
  for (const { name = '' } of await indexedDB.databases()) {
    const database = await new Promise<IDBDatabase>((resolve, reject) => {
      const opening = indexedDB.open(name)
      opening.addEventListener('success', () => resolve(opening.result))
      opening.addEventListener('error', () => reject(opening.error))
    })
    for (const store of database.objectStoreNames) {
      const all = database.transaction(store).objectStore(store).getAll()
      await new Promise((resolve) => all.addEventListener('success', resolve))
      values.push(...all.result)
    }
    database.close()
  }
  const text = JSON.stringify(values, (_, value: unknown) => {
    if (!(value instanceof CryptoKey)) return value
    if (value.extractable && value.type !== 'public') extractable.push(value.type)
    return 'key'
  })
  return { text, extractable }
}
