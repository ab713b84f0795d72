import { afterAll, describe, expect, it } from 'vitest'
import { accessibilityFaults } from '../axe.fixture.ts'
import { keepScreenshot, Visit } from '../browser.fixture.ts'
import {
  accountOf,
  createAccount,
  fill,
  freshName,
  openConsole,
  press,
  says,
  signedIn,
  signIn,
  signOut,
} from '../console-page.fixture.ts'

const visit = await Visit.begin()
afterAll(() => visit.end())

describe('a password in a browser', () => {
  it('creates an account and signs in again, and is never sent', async () => {
    const { page, complaints } = await openConsole(visit)
    const sent: string[] = []
    page.on('request', (request) => sent.push(request.postData() ?? ''))
    const name = freshName()
    await createAccount(page, name)
    await keepScreenshot(page, 'console-account')
    const account = await accountOf(page)
    await signOut(page)
    await signIn(page, name.toUpperCase())
    await signedIn(page)
    expect(await accountOf(page)).toBe(account)
    expect(sent.some((body) => body.includes('finishLoginRequest'))).toBe(true)
    // The second login presents this device as known.
    const logins = sent.filter((body) => body.includes('startLoginRequest'))
    expect(logins.map((body) => body.includes('knownDevice'))).toEqual([false, true])
    expect(sent.filter((body) => body.includes('correct horse'))).toEqual([])
    expect(complaints).toEqual([])
  })

  it('is refused if wrong, like one for an unknown name', async () => {
    const { page } = await openConsole(visit)
    const name = freshName()
    await createAccount(page, name)
    await signOut(page)
    for (const attempt of [name, 'nobody-has-this']) {
      await signIn(page, attempt, 'wrong password')
      await says(page, 'Name or password is wrong. Check both, or recover your account.')
    }
    await keepScreenshot(page, 'console-refused')
    expect(await accessibilityFaults(page)).toEqual([])
  })

  it('that is too short is not accepted, and nothing is sent', async () => {
    const { page } = await openConsole(visit, '/create-account')
    await fill(page, freshName(), 'short')
    const sent: string[] = []
    page.on('request', (request) => sent.push(request.url()))
    await press(page, 'Create with a password')
    await says(page, 'Use at least 8 characters.')
    expect(await accessibilityFaults(page)).toEqual([])
    expect(sent).toEqual([])
  })
})

it('a new password whose login failed is used by the next attempt, although the session has ended', async () => {
  const { page } = await openConsole(visit)
  const name = freshName()
  await createAccount(page, name)
  let isDown = true
  await page.route('**/opaque/login/init', (route) => (isDown ? route.abort() : route.continue()))
  await press(page, 'Change password')
  await page.getByLabel('User name or e-mail address').fill(name)
  await page.getByLabel('New password').fill('correct horse battery')
  await press(page, 'Save password')
  await says(page, 'The service cannot be reached. Check your connection, and try again.')
  isDown = false
  await press(page, 'Save password')
  await says(page, 'Your new password is set.')
})

it('another password after a failed login is told about the first one, which then signs in', async () => {
  const { page } = await openConsole(visit, '/create-account')
  const name = freshName()
  let isDown = true
  await page.route('**/opaque/login/init', (route) => (isDown ? route.abort() : route.continue()))
  const tryWith = async (password: string) => {
    await fill(page, name, password)
    await press(page, 'Create with a password')
  }
  await tryWith('the first password')
  await says(page, 'The service cannot be reached. Check your connection, and try again.')
  isDown = false
  await tryWith('another password')
  await says(
    page,
    'The password that you entered first may already be set. Enter that one, or recover your account. If the name belongs to somebody else, choose another one.',
  )
  await tryWith('the first password')
  await signedIn(page)
})

it('an account is deleted after a question, and then there is no way in', async () => {
  const { page } = await openConsole(visit)
  const name = freshName()
  await createAccount(page, name)
  await press(page, 'Delete account')
  await keepScreenshot(page, 'console-delete')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete account' }).click()
  await says(page, 'Your account was deleted.')
  await signIn(page, name)
  await says(page, 'Name or password is wrong. Check both, or recover your account.')
})
