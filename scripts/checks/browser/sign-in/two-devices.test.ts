import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { accessibilityFaults } from '../axe.fixture.ts'
import { addAuthenticator, keepScreenshot, Visit } from '../browser.fixture.ts'
import {
  accountOf,
  createAccount,
  createWithPasskey,
  follow,
  freshName,
  moved,
  openConsole,
  PASSWORD,
  press,
  says,
  signedIn,
  signIn,
  signOut,
} from '../console-page.fixture.ts'

const visit = await Visit.begin()
afterAll(() => visit.end())

const identityOf = (page: Page) => page.locator('dt:text-is("Identity") + dd').textContent()
const storedOf = (page: Page) => page.locator('dt:text-is("Stored") + dd').textContent()

/** Creates an identity; the text of it on the page. */
async function createIdentity(page: Page): Promise<string> {
  await press(page, 'Create an identity')
  await says(page, 'Your identity was created.')
  const did = (await identityOf(page)) ?? ''
  expect(did).toMatch(/^did:svc:[\w-]{32}$/)
  return did
}

/** Reads the PRF output that the passkey of a page returned when it was last used. */
async function prfOf(page: Page): Promise<() => Promise<number[]>> {
  await page.evaluate(() => {
    const get = navigator.credentials.get.bind(navigator.credentials)
    navigator.credentials.get = async (options) => {
      const credential = (await get(options)) as PublicKeyCredential
      const first = credential.getClientExtensionResults().prf?.results?.first as ArrayBuffer
      sessionStorage.setItem('prf', JSON.stringify([...new Uint8Array(first)]))
      return credential
    }
  })
  return () => page.evaluate(() => JSON.parse(sessionStorage.getItem('prf') ?? '[]') as number[])
}

/**
 * Makes the passkey of a page return this PRF output. A passkey that its provider synchronizes returns the same output on
 * every device. Chromium's virtual authenticator cannot show this: `WebAuthn.addCredential` imports the key pair, but not
 * the PRF seed. The output of the first device therefore stands in for that of the second. The rest of the sign-in is real.
 */
async function syncPrf(page: Page, prf: readonly number[]): Promise<void> {
  await page.evaluate((bytes) => {
    const get = navigator.credentials.get.bind(navigator.credentials)
    navigator.credentials.get = async (options) => {
      const credential = (await get(options)) as PublicKeyCredential
      const told = credential.getClientExtensionResults()
      const results = { first: new Uint8Array(bytes).buffer }
      credential.getClientExtensionResults = () => ({ ...told, prf: { results } })
      return credential
    }
  }, prf)
}

/** Everything that the page sends, to look for what must not be in it. */
function sentBy(page: Page): string[] {
  const sent: string[] = []
  page.on('request', (request) => sent.push(request.postData() ?? ''))
  return sent
}

describe('what a login unlocks', () => {
  it('follows a synchronized passkey to a new device, by its PRF', async () => {
    const { page: old, complaints: first } = await openConsole(visit)
    const { cdp, authenticatorId } = await addAuthenticator(old)
    await createWithPasskey(old)
    const prf = await prfOf(old)
    await press(old, 'Use the passkey')
    await says(old, 'You are signed in with your passkey.')
    const did = await createIdentity(old)
    expect(await storedOf(old)).toBe('in this browser, and with your passkey for your other devices')
    const account = await accountOf(old)
    const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId })
    const [credential] = credentials
    if (!credential) throw new Error('no credential')

    // A new device: its own storage, and the passkey that its provider has synchronized.
    const { page: fresh, complaints: second } = await openConsole(visit, '/create-account')
    const other = await addAuthenticator(fresh)
    await other.cdp.send('WebAuthn.addCredential', {
      authenticatorId: other.authenticatorId,
      credential: { ...credential, signCount: credential.signCount + 1 },
    })
    const synchronized = await prf()
    expect(synchronized).toHaveLength(32)
    await syncPrf(fresh, synchronized)
    const sent = sentBy(fresh)
    expect(await fresh.evaluate(() => localStorage.length)).toBe(0)
    await follow(fresh, 'Sign in')
    // Autofill picks the virtual passkey by itself.
    await signedIn(fresh)
    await fresh.getByText(did).waitFor()
    expect(await accountOf(fresh)).toBe(account)
    await keepScreenshot(fresh, 'console-unlocked-by-passkey')
    const secret = Buffer.from(synchronized).toString('base64url')
    expect(sent.length).toBeGreaterThan(1)
    expect(sent.filter((body) => body.includes(secret) || /"results"|"seed"/.test(body))).toEqual([])
    expect([first, second]).toEqual([[], []])

    // It stays when the passkey signs in again, and is in this browser too.
    await signOut(fresh)
    await press(fresh, 'Sign in with a passkey')
    await signedIn(fresh)
    await fresh.getByText(did).waitFor()
    expect(await fresh.evaluate(() => JSON.stringify(Object.entries(localStorage)))).not.toContain(did)
  })

  it('moves to a new device by pairing with the old one', async () => {
    const name = freshName()
    const { page: old, complaints: first } = await openConsole(visit)
    await createAccount(old, name)
    const did = await createIdentity(old)
    expect(await storedOf(old)).toBe('in this browser')

    const { page: fresh, complaints: second } = await openConsole(visit)
    await signIn(fresh, name)
    await signedIn(fresh)
    await fresh.getByText('There is no identity on this device yet.').waitFor()

    // The text is shown on the old device and typed on the new one.
    await press(old, 'Move to another device')
    const text = (await old.locator('[data-name="invitation"]').textContent()) ?? ''
    await old.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await press(old, 'Copy the text')
    await says(old, 'The text was copied.')
    expect(await old.evaluate(() => navigator.clipboard.readText())).toBe(text)
    await press(fresh, 'Get it from another device')
    await fresh.getByLabel('Text from the other device').fill(` ${text} `)
    await press(fresh, 'Continue')
    const shown = fresh.locator('[data-name="confirmation code"]')
    await shown.waitFor()
    await keepScreenshot(old, 'console-pairing-old')
    await keepScreenshot(fresh, 'console-pairing-new')
    expect(await accessibilityFaults(old)).toEqual([])
    expect(await accessibilityFaults(fresh)).toEqual([])

    // The code is shown on the new device and confirmed on the old one.
    await old.getByLabel('Code on the other device').fill((await shown.textContent()) ?? '')
    await press(old, 'The codes match')
    await says(old, 'The other device has your identity now.')
    await says(fresh, 'Your identity is on this device now.')
    expect(await identityOf(fresh)).toBe(did)

    // From now on the new device opens it by itself, also with a new password. It changes its address because sign-in
    // accepts 20 requests a minute from each.
    await moved(fresh)
    await signOut(fresh)
    await signIn(fresh, name)
    await signedIn(fresh)
    await fresh.getByText(did).waitFor()
    await press(fresh, 'Change password')
    await fresh.getByLabel('User name or e-mail address').fill(name)
    await fresh.getByLabel('New password').fill('another horse battery')
    await press(fresh, 'Save password')
    await says(fresh, 'Your new password is set.')
    await fresh.getByText(did).waitFor()
    await signOut(fresh)
    await signIn(fresh, name, 'another horse battery')
    await signedIn(fresh)
    await fresh.getByText(did).waitFor()
    expect([first, second]).toEqual([[], []])
  })

  it('is not given to a device with another code', async () => {
    const name = freshName()
    const { page: old } = await openConsole(visit)
    await createAccount(old, name)
    await createIdentity(old)
    const { page: thief } = await openConsole(visit)
    await createAccount(thief, freshName())
    await press(old, 'Move to another device')
    const text = (await old.locator('[data-name="invitation"]').textContent()) ?? ''
    await press(thief, 'Get it from another device')
    await thief.getByLabel('Text from the other device').fill('unlike it')
    await press(thief, 'Continue')
    await says(thief, 'Group 1 has a character that is never used. Compare it with the other device.')
    await thief.getByLabel('Text from the other device').fill(text)
    await press(thief, 'Continue')
    await thief.locator('[data-name="confirmation code"]').waitFor()
    await old.getByLabel('Code on the other device').fill('AAAA-AAAA')
    await press(old, 'The codes match')
    await says(old, 'The codes differ, so nothing was sent. Start again, and compare the codes carefully.')
    await says(thief, 'The other device did not confirm. Start again there with a new text.')
  })
})

it('sessions and known devices are listed, and ended one by one or at once', async () => {
  const name = freshName()
  const { page } = await openConsole(visit)
  await createAccount(page, name)
  const { page: other } = await openConsole(visit)
  await signIn(other, name, PASSWORD)
  await signedIn(other)
  await press(page, 'Show sessions')
  await page.getByText('This page', { exact: true }).waitFor()
  await press(page, 'Show devices')
  await page.getByText('Chrome on Linux', { exact: true }).nth(1).waitFor()
  await keepScreenshot(page, 'console-sessions')
  await press(page, 'End all other sessions')
  await says(page, 'You are signed out everywhere else.')
  await page.getByRole('button', { name: 'Forget Chrome on Linux' }).first().click()
  await says(page, 'The device was forgotten.')
  expect(await page.getByText('Chrome on Linux', { exact: true }).count()).toBe(1)
  await press(other, 'Show sessions')
  await says(other, 'Your session has ended. Sign in again.')
})
