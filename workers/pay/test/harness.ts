import { env, exports } from 'cloudflare:workers'
import { INTERNAL_HEADER } from '@svc/service'
import { type Exchange, Prober } from '@svc/service/testing'
import { byHost, deviceOf, newCaller, type TestCaller, type TestDevice, type TestDeviceOptions } from '@svc/testing'
import { internalService, service } from '../src/app.ts'

export const BASE = 'https://pay.test'
export const INTERNAL_SECRET = 'internal-secret-of-the-tests-only'

/** Sends to the Worker under test through its own `fetch`. */
export const send = (request: Request): Promise<Response> => exports.default.fetch(request)

/** Sends to the same code over the same objects with some bindings or variables replaced. */
export function sendWith(replaced: object): (request: Request) => Promise<Response> {
  return async (request) => service.app.fetch(request, { ...env, ...replaced })
}

/** Sends to the internal side as a sibling: what the binding's props say. */
async function sendInternal(request: Request, sibling: unknown, bindings: object) {
  const context = { props: { caller: sibling }, waitUntil: () => {}, passThroughOnException: () => {} }
  return internalService.app.fetch(request, bindings, context)
}

/** One internal call with the secret that siblings share. */
export async function internal(
  path: string,
  body: unknown,
  options: { sibling?: unknown; secret?: string | null; bindings?: object } = {},
): Promise<{ status: number; body: Record<string, unknown> }> {
  const { sibling = 'provenance', secret = INTERNAL_SECRET, bindings = env } = options
  const headers = { 'content-type': 'application/json', ...(secret === null ? {} : { [INTERNAL_HEADER]: secret }) }
  const request = new Request(`https://internal${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  const response = await sendInternal(request, sibling, bindings)
  return { status: response.status, body: await response.json() }
}

/** Core as the public reaches it; `CORE` is its internal side. */
const { TEST_CORE } = env as unknown as { readonly TEST_CORE: Fetcher }
const sendToCore = (request: Request): Promise<Response> => TEST_CORE.fetch(request)

const shared = { fetch: byHost({ core: sendToCore, pay: send }), origin: 'http://localhost:3000' }

/** A caller of its own, whose identity exists at core unless told. */
export function caller(options: { readonly genesis?: boolean } = {}): Promise<TestCaller> {
  return newCaller({ ...options, ...shared })
}

/** A device of a caller of its own. */
export async function device(options: Omit<TestDeviceOptions, 'fetch'> = {}): Promise<TestDevice> {
  return deviceOf(await caller(), { ...shared, ...options })
}

export interface CallOptions {
  readonly body?: unknown
  /** Sent as Idempotency-Key. */
  readonly key?: string
  /** The sender's; by default each request has its own. */
  readonly address?: string
  /** Bindings or variables that are replaced. */
  readonly replaced?: object
}

/** One request with a good assertion, held to what the service declares. */
export async function call(
  by: Pick<TestCaller, 'assertion'>,
  method: 'GET' | 'POST',
  path: string,
  { body, key, address, replaced }: CallOptions = {},
): Promise<Exchange> {
  const prober = new Prober({ service, base: BASE, send: replaced ? sendWith(replaced) : send })
  const authorization = await by.assertion('provenance')
  return prober.send({
    method,
    path,
    ...(address === undefined ? {} : { address }),
    headers: { authorization, ...(key === undefined ? {} : { 'idempotency-key': key }) },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
}

/** The data of a success. */
export function dataOf<T = Record<string, unknown>>({ status, body }: Exchange): T {
  if (status !== 200) throw new Error(`status ${status}: ${JSON.stringify(body)}`)
  return (body as { data: T }).data
}
