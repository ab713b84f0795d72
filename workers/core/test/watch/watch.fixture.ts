/** Watch tokens, and the root response as different callers see it. */

import { runInDurableObject } from 'cloudflare:test'
import { env, exports } from 'cloudflare:workers'
import { WATCH_HEADER, type WatchTokenRecord, watchTokenHash } from '@svc/protocol/chain/watch'
import type { TestCaller } from '@svc/testing'
import { vi } from 'vitest'
import { CORE, freshAddress } from '../harness.ts'

type Signer = Pick<TestCaller['identity'], 'assertion'>
export interface Answer {
  readonly status: number
  readonly error: unknown
  readonly data: Record<string, unknown>
}

export function newToken(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url')
}

/** Sends a request with the assertion of a key; a body is sent as JSON. */
export async function act(signer: Signer, method: string, path: string, body?: object): Promise<Answer> {
  const url = CORE + path
  const bytes = body && new TextEncoder().encode(JSON.stringify(body))
  const authorization = await signer.assertion({ audience: 'chain', method, url, body: bytes, now: Date.now() })
  const headers = { authorization, 'cf-connecting-ip': freshAddress(), 'content-type': 'application/json' }
  const response = await exports.default.fetch(new Request(url, { method, headers, ...(bytes && { body: bytes }) }))
  const answer = await response.json<{ error?: unknown; data?: Record<string, unknown> }>()
  return { status: response.status, error: answer.error, data: answer.data ?? {} }
}

export async function register(signer: Signer, token = newToken()): Promise<string> {
  const { status, error } = await act(signer, 'POST', '/api/chain/watch', { tokenHash: watchTokenHash(token) })
  if (status !== 200) throw new Error(`not registered: ${status} ${String(error)}`)
  return token
}

export function withdraw(signer: Signer, token: string): Promise<Answer> {
  return act(signer, 'DELETE', `/api/chain/watch/${watchTokenHash(token)}`)
}

export async function tokensOf(signer: Signer): Promise<WatchTokenRecord[]> {
  const { data } = await act(signer, 'GET', '/api/chain/watch')
  return data['tokens'] as WatchTokenRecord[]
}

/** Returns the response as it was sent. Requests from a new address. */
export async function seen(did: string, headers: Record<string, string> = {}) {
  const request = new Request(`${CORE}/api/chain/root/${did}`, {
    headers: { 'cf-connecting-ip': freshAddress(), ...headers },
  })
  const response = await exports.default.fetch(request)
  const { 'x-request-id': _, ...sent } = Object.fromEntries(response.headers)
  return { status: response.status, headers: sent, text: await response.text() }
}

export async function look(did: string, headers: Record<string, string> = {}): Promise<Record<string, unknown>> {
  const { text } = await seen(did, headers)
  return (JSON.parse(text) as { data: Record<string, unknown> }).data
}

export const lookWith = (did: string, token: string) => look(did, { [WATCH_HEADER]: token })

/** Returns a list that collects the SQL statements that an object runs from now on. */
export async function statementsOf(did: string): Promise<string[]> {
  const queries: string[] = []
  await runInDurableObject(env.IDENTITIES.getByName(did), ({ stored: { sql } }) => {
    const exec = sql.exec.bind(sql)
    vi.spyOn(sql, 'exec').mockImplementation(((...query: Parameters<typeof exec>) => {
      queries.push(query[0])
      return exec(...query)
    }) as typeof exec)
  })
  return queries
}
