import { client, ready, server } from '@serenity-kit/opaque'
import { beforeAll, describe, expect, it } from 'vitest'
import { fetchOf } from '../../test/fetch.ts'
import type { Fetch } from '../transport/fetch.ts'
import { SignIn } from './sign-in.ts'

const GRANT = 'R'.repeat(42).concat('A')
const TOKEN = `signin_${'A'.repeat(43)}`
const COMPOSED = 'Cr\u00e8me f\u00fcr \u304c\u3093'
const DECOMPOSED = 'Cre\u0300me fu\u0308r \u304b\u3099\u3093'

type Body = Readonly<Record<'identifier' | 'registrationRequest' | 'registrationRecord' | 'startLoginRequest', string>>

/** The sign-in service, as far as passwords need it: one record for each name. */
function authService(): Fetch {
  const serverSetup = server.createSetup()
  const records = new Map<string, string>()
  const answers: Readonly<Record<string, (body: Body) => object>> = {
    'register/init': ({ identifier: userIdentifier, registrationRequest }) =>
      server.createRegistrationResponse({ serverSetup, userIdentifier, registrationRequest }),
    'register/finish': ({ identifier, registrationRecord }) => {
      records.set(identifier, registrationRecord)
      return { received: true }
    },
    'login/init': ({ identifier: userIdentifier, startLoginRequest }) => {
      const registrationRecord = records.get(userIdentifier)
      const { loginResponse } = server.startLogin({
        serverSetup,
        userIdentifier,
        registrationRecord,
        startLoginRequest,
      })
      return { ceremonyId: 'Q'.repeat(43), loginResponse, expiresAt: 1_790_000_120_000 }
    },
    'login/finish': () => ({
      token: TOKEN,
      accountId: 'A'.repeat(22),
      expiresAt: 1_790_000_900_000,
      method: 'password',
      knownDevice: 'S'.repeat(42).concat('A'),
    }),
  }
  return fetchOf(async (request) => {
    const answer = answers[new URL(request.url).pathname.replace('/api/auth/opaque/', '')]
    const data = answer?.(await request.json())
    return Response.json({ success: true, data, timestamp: 1_790_000_000_000 })
  })
}

const newService = () => new SignIn({ auth: 'https://auth.example', fetch: authService() })

describe('a password', () => {
  beforeAll(() => ready)

  it.each([
    ['decomposed', COMPOSED, DECOMPOSED],
    ['composed', DECOMPOSED, COMPOSED],
  ])('signs in %s, whatever keyboard it was chosen on', async (_, chosen, typed) => {
    const signIn = newService()
    const made = await signIn.register(GRANT, 'zoe', chosen)
    const entered = await signIn.logIn('zoe', typed)
    if (made.outcome !== 'signed-in') throw new Error('It was not registered')
    expect(entered?.exportKey).toEqual(made.exportKey)
  })

  it('registers as its NFKC form in UTF-8, as other clients type it', async () => {
    const service = authService()
    await new SignIn({ auth: 'https://auth.example', fetch: service }).register(GRANT, 'zoe', DECOMPOSED)
    const password = COMPOSED
    const { clientLoginState, startLoginRequest } = client.startLogin({ password })
    const body = new Uint8Array(Buffer.from(JSON.stringify({ identifier: 'zoe', startLoginRequest })))
    const answer = await service('https://auth.example/api/auth/opaque/login/init', {
      method: 'POST',
      headers: {},
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(10_000),
    })
    const { data }: { readonly data: { readonly loginResponse: string } } = await answer.json()
    const finished = client.finishLogin({
      clientLoginState,
      loginResponse: data.loginResponse,
      password,
      keyStretching: 'memory-constrained',
    })
    expect(finished).toBeDefined()
  })

  it('that is another one does not sign in', async () => {
    const signIn = newService()
    await signIn.register(GRANT, 'zoe', COMPOSED)
    expect(await signIn.logIn('zoe', COMPOSED.toUpperCase())).toBeNull()
  })

  it('that is empty protects no account', async () => {
    await expect(newService().register(GRANT, 'zoe', '')).rejects.toMatchObject({
      name: 'ConfigurationError',
      option: 'password',
    })
  })
})
