/** Accounts with passwords and with passkeys, and their logins in this deployment, over HTTP. */
import * as opaque from '@serenity-kit/opaque'
import { type LoadRequest, send } from '@svc/platform/callers/send'
import { runtimeMs } from '../figures/processor-time.ts'
import { DUMMY_TOKEN } from '../restore/memories/cast.ts'
import { Authenticator, ORIGIN } from './authenticator.ts'
import type { Take } from './rounds.ts'
import { taken } from './taken.ts'

export const ACCOUNTS = 24
export const CONCURRENCY = 8
export const PASSWORD = 'correct horse battery staple'
/** The client stretches, which is not what is measured. */
export const keyStretching = { 'argon2id-custom': { iterations: 1, memory: 64, parallelism: 1 } } as const

async function posted<T>(url: string, body: object): Promise<T> {
  const answer = await send(post(url, body))
  if (answer.status !== 200) throw new Error(`${url}: ${answer.status} ${answer.body.toString()}`)
  return dataIn<T>(answer.body)
}

const dataIn = <T>(body: Buffer) => (JSON.parse(body.toString()) as { readonly data: T }).data

function post(url: string, body: object): LoadRequest {
  return { method: 'POST', url, body: new TextEncoder().encode(JSON.stringify(body)), headers: { origin: ORIGIN } }
}

async function grantAt(auth: string): Promise<string> {
  const { grant } = await posted<{ grant: string }>(`${auth}/turnstile/verify`, {
    token: DUMMY_TOKEN,
    action: 'register',
  })
  return grant
}

export async function passwordAccounts(auth: string): Promise<string[]> {
  const names: string[] = []
  for (let i = 0; i < ACCOUNTS; i++) {
    const [grant, identifier] = [await grantAt(auth), `person-${i}-${crypto.randomUUID().slice(0, 8)}`]
    const { clientRegistrationState, registrationRequest } = opaque.client.startRegistration({ password: PASSWORD })
    const begun = await posted<{ registrationResponse: string }>(`${auth}/opaque/register/init`, {
      grant,
      identifier,
      registrationRequest,
    })
    const { registrationRecord } = opaque.client.finishRegistration({
      password: PASSWORD,
      registrationResponse: begun.registrationResponse,
      clientRegistrationState,
      keyStretching,
    })
    await posted(`${auth}/opaque/register/finish`, { grant, identifier, registrationRecord })
    names.push(identifier)
  }
  return names
}

export async function passkeyAccounts(auth: string): Promise<Authenticator[]> {
  const authenticators: Authenticator[] = []
  for (let i = 0; i < ACCOUNTS; i++) {
    const authenticator = new Authenticator()
    const grant = await grantAt(auth)
    const url = `${auth}/passkey/register`
    const begun = await posted<Begun>(url, { step: 'options', grant, name: `Person ${i}` })
    const response = authenticator.create(begun.options)
    await posted(url, { step: 'verify', ceremonyId: begun.ceremonyId, response })
    authenticators.push(authenticator)
  }
  return authenticators
}

interface Begun {
  readonly ceremonyId: string
  readonly options: { readonly challenge: string; readonly user?: { readonly id: string } }
}

/** Both requests of each; what the client does between them is in no figure. */
export async function passwordLogins(auth: string, names: readonly string[]): Promise<Take> {
  const begun = names.map((identifier) => ({ identifier, ...opaque.client.startLogin({ password: PASSWORD }) }))
  const first = await counted(
    begun.map(({ identifier, startLoginRequest }) =>
      post(`${auth}/opaque/login/init`, { identifier, startLoginRequest }),
    ),
  )
  const second = await counted(
    first.bodies.map((body, i) => {
      const { ceremonyId, loginResponse } = dataIn<{ ceremonyId: string; loginResponse: string }>(body)
      const clientLoginState = begun[i]?.clientLoginState ?? ''
      const finished = opaque.client.finishLogin({ clientLoginState, loginResponse, password: PASSWORD, keyStretching })
      const finishLoginRequest = finished?.finishLoginRequest ?? ''
      return post(`${auth}/opaque/login/finish`, { ceremonyId, finishLoginRequest })
    }),
  )
  return together(first, second)
}

export async function passkeyLogins(auth: string, authenticators: readonly Authenticator[]): Promise<Take> {
  const url = `${auth}/passkey/authenticate`
  const first = await counted(authenticators.map(() => post(url, { step: 'options' })))
  const second = await counted(
    authenticators.map((authenticator, i) => {
      const { ceremonyId, options } = dataIn<Begun>(first.bodies[i] ?? Buffer.of())
      return post(url, { step: 'verify', ceremonyId, response: authenticator.get(options.challenge) })
    }),
  )
  return together(first, second)
}

type Counted = Awaited<ReturnType<typeof taken>>

const counted = (requests: readonly LoadRequest[]) => taken(requests, 200, runtimeMs, { concurrency: CONCURRENCY })

const together = (first: Counted, second: Counted): Take => ({
  count: first.count,
  milliseconds: first.milliseconds + second.milliseconds,
  processorMs: first.processorMs + second.processorMs,
})
