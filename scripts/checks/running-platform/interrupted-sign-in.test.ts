import type { Fetch } from '@svc/client'
import { ServiceError, SignIn } from '@svc/client/sign-in'
import { sharedPlatform } from '@svc/platform/shared-platform'
import { expect, it } from 'vitest'
import { PlatformMachine } from '../command-line/machine.ts'
import { freshAddress } from './fresh-address.ts'

const { urls, mail } = sharedPlatform()
const ORIGIN = 'http://localhost:3000'
const CHALLENGE = 'XXXX.DUMMY.TOKEN.XXXX'
const userName = () => `ann-${crypto.randomUUID().slice(0, 8)}`

/** Refuses the first request to begin a login, as a rate limit does. */
function refusingOnce(): Fetch {
  const headers = { 'cf-connecting-ip': freshAddress() }
  let isRefused = false
  return async (url, init) => {
    if (isRefused || !url.endsWith('/opaque/login/init'))
      return fetch(url, { ...init, headers: { ...Object.fromEntries(new Headers(init?.headers)), ...headers } })
    isRefused = true
    const refusal = { success: false, error: 'rate_limited', message: 'Rate limit exceeded' }
    // Longer than the SDK waits by itself.
    return Response.json(refusal, { status: 429, headers: { 'retry-after': '60' } })
  }
}

const refusal = (error: unknown) => {
  if (error instanceof ServiceError) return `${error.status} ${error.error}`
  throw error
}

const service = () => new SignIn({ auth: urls.auth, origin: ORIGIN, fetch: refusingOnce() })

async function grantOf(signIn: SignIn): Promise<string> {
  const { grant } = await signIn.challenge(CHALLENGE, 'register')
  if (grant === null) throw new Error('no grant')
  return grant
}

it('a registration whose login was refused is continued by the next call with its grant', async () => {
  const signIn = service()
  const [grant, name] = [await grantOf(signIn), userName()]
  const register = () => signIn.register(grant, name, 'her password').then(({ outcome }) => outcome, refusal)
  expect(await register()).toBe('429 rate_limited')
  expect(await register()).toBe('signed-in')
})

it('a code from the mail is not needed again if the login after it was refused', async () => {
  const signIn = service()
  const address = `${userName()}@example.org`
  const made = await signIn.register(await grantOf(signIn), address, 'her password')
  if (made.outcome !== 'confirm-by-mail') throw new Error(made.outcome)
  const code = await mail.codeIn(address)
  const confirm = () => made.confirm(code).then(() => 'signed-in', refusal)
  expect(await confirm()).toBe('429 rate_limited')
  expect(await confirm()).toBe('signed-in')
})

it('svc continues a registration and a change of the password whose login was refused', async () => {
  const machine = new PlatformMachine()
  try {
    await machine.json(`init --core ${urls.core} --origin ${ORIGIN}`)
    await machine.json('id new')
    const name = userName()
    const typed = (words: string, expected: number, send: Fetch) =>
      machine.json(`signin ${words} --password-fd 8`, expected, { fetch: send })
    const refusing = refusingOnce()
    await machine.run(`signin register ${name} --challenge ${CHALLENGE} --password-fd 8`, { fetch: refusing })
    expect(await typed(`register ${name}`, 0, refusing)).toMatchObject({ outcome: 'signed-in' })
    const again = refusingOnce()
    await machine.run(`signin password ${name} --password-fd 8`, { fetch: again })
    expect(await typed(`password ${name}`, 0, again)).toMatchObject({ outcome: 'signed-in' })
    expect(await machine.json('signin show')).toMatchObject({ hasPassword: true })
  } finally {
    machine.remove()
  }
})
