import { env, exports } from 'cloudflare:workers'
import { type Exchange, Prober } from '@svc/service/testing'
import { expect } from 'vitest'
import { service } from '../src/app.ts'

export const BASE = 'https://auth.test'

/** Sends to the Worker under test through its own `fetch`. */
export const send = (request: Request): Promise<Response> => exports.default.fetch(request)

export const prober = new Prober({ service, send, base: BASE })

/** The same Worker with other bindings, variables or secrets, in an isolate of its own for each request. */
export const proberWith = (replaced: object): Prober =>
  new Prober({ service, base: BASE, send: async (request) => service.app.fetch(request, { ...env, ...replaced }) })

/** The same in one isolate. */
export function isolateWith(replaced: object): Prober {
  const bindings = { ...env, ...replaced }
  return new Prober({ service, base: BASE, send: async (request) => service.app.fetch(request, bindings) })
}

/** One JSON request to this service. */
export function post(
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
  by = prober,
): Promise<Exchange> {
  return by.send({ method: 'POST', path: `/api/auth/${path}`, headers, body: JSON.stringify(body) })
}

/** The `data` of a success. */
export function dataOf<T = Record<string, unknown>>({ status, body }: Exchange): T {
  expect({ status, body }).toMatchObject({ status: 200, body: { success: true } })
  return (body as { data: T }).data
}

export const SESSION = 'X-Sign-In-Session'

/** A grant for a new account, from a passed challenge. */
export async function freshGrant(): Promise<string> {
  const answer = await post('turnstile/verify', { token: 'XXXX.DUMMY.TOKEN.XXXX', action: 'register' })
  return dataOf<{ grant: string }>(answer).grant
}

/** A grant for an account that exists. */
export async function grantOf(token: string): Promise<string> {
  const exchange = await prober.send({ method: 'POST', path: '/api/auth/session/grant', headers: { [SESSION]: token } })
  return dataOf<{ grant: string }>(exchange).grant
}

export const rowsOf = async (table: string): Promise<number> =>
  (await env.DB.prepare(`SELECT count(*) AS n FROM ${table}`).first<number>('n')) ?? -1
