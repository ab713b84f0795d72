import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { addAuthenticator, keepScreenshot, Visit } from '../browser.fixture.ts'
import {
  accountOf,
  approve,
  chooseAtProvider,
  createAccount,
  fill,
  follow,
  freshName,
  openConsole,
  press,
  says,
  signedIn,
  signOut,
  titled,
} from '../console-page.fixture.ts'

const visit = await Visit.begin()
afterAll(() => visit.end())

/** Creates an account with a password for somebody who came from a provider. */
async function createAfter(provider: string, page: Page, email: string): Promise<void> {
  await press(page, `Continue with ${provider}`)
  await chooseAtProvider(page, email)
  await approve(page)
  await fill(page, freshName())
  await press(page, 'Create with a password')
  await signedIn(page)
}

describe('recovery', () => {
  it('leads back in after the password and the passkey are lost', async () => {
    const email = `${freshName()}@example.org`
    const { page } = await openConsole(visit, '/create-account')
    await addAuthenticator(page)
    await createAfter('Google', page, email)
    const account = await accountOf(page)
    await press(page, 'Add a passkey')
    await says(page, 'The passkey was added.')

    // Another browser without either of them.
    const { page: back, complaints } = await openConsole(visit)
    await addAuthenticator(back)
    await follow(back, 'Recover your account')
    await press(back, 'Continue with Google')
    await chooseAtProvider(back, email)
    await approve(back)
    await titled(back, 'Recover your account')
    await keepScreenshot(back, 'console-recover')
    const name = freshName()
    await back.getByLabel('User name or e-mail address').fill(name)
    await back.getByLabel('New password').fill('a third horse battery')
    await press(back, 'Set a new password')
    await signedIn(back)
    expect(await accountOf(back)).toBe(account)
    expect(complaints).toEqual([])

    // The sessions of before have ended.
    await press(page, 'Show sessions')
    await says(page, 'Your session has ended. Sign in again.')
  })

  it('adds a passkey where that is wanted', async () => {
    const email = `${freshName()}@example.org`
    const { page } = await openConsole(visit, '/create-account')
    await createAfter('Microsoft', page, email)
    const account = await accountOf(page)
    const { page: back } = await openConsole(visit, '/recover')
    await addAuthenticator(back)
    await press(back, 'Continue with Microsoft')
    await chooseAtProvider(back, email)
    await approve(back)
    await press(back, 'Add a new passkey')
    await signedIn(back)
    expect(await accountOf(back)).toBe(account)
  })
})

describe('an e-mail address', () => {
  it('is confirmed by the code from a mail', async () => {
    const address = `${freshName()}@${crypto.randomUUID().slice(0, 8)}.example`
    const { page, complaints } = await openConsole(visit, '/create-account')
    await fill(page, address)
    await press(page, 'Create with a password')
    const code = page.getByLabel('Code from the mail')
    await code.fill('12')
    await press(page, 'Confirm')
    await says(page, 'Enter the six digits from the mail.')
    await keepScreenshot(page, 'console-mail-code')
    await code.fill(await visit.platform.mail.codeIn(address))
    await press(page, 'Confirm')
    await signedIn(page)
    expect(complaints).toEqual([])
  })

  it('a user name that is taken is told at once', async () => {
    const name = freshName()
    const { page } = await openConsole(visit)
    await createAccount(page, name)
    await signOut(page)
    await follow(page, 'Create an account')
    await fill(page, name, 'another horse battery')
    await press(page, 'Create with a password')
    await says(page, 'That name is taken. Choose another one.')
  })
})
