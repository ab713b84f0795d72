import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env, exports } from 'cloudflare:workers'
import { type Exchange, Prober } from '@svc/service/testing'
import {
  byHost,
  deviceOf,
  LIST_KEYS,
  newCaller,
  RESOLVER_KEY,
  type TestCaller,
  type TestDevice,
  type TestDeviceOptions,
} from '@svc/testing'
import { service } from '../src/app.ts'

export const BASE = 'https://keys.test'

/** Sends to the Worker under test through its own `fetch`. */
export const send = (request: Request): Promise<Response> => exports.default.fetch(request)

/**
 * Sends to the same code over the same objects with some bindings or variables replaced, and waits for what goes on in
 * the background.
 */
export function sendWith(replaced: object): (request: Request) => Promise<Response> {
  return async (request) => {
    const context = createExecutionContext()
    const answer = await service.app.fetch(request, { ...env, ...replaced }, context)
    await waitOnExecutionContext(context)
    return answer
  }
}

/** Core as the public reaches it; `CORE` is its internal side. */
const { TEST_CORE } = env as unknown as { readonly TEST_CORE: Fetcher }
export const sendToCore = (request: Request): Promise<Response> => TEST_CORE.fetch(request)
/** The resolver, which has the keys that vaults are encrypted for. */
const { TEST_DID } = env as unknown as { readonly TEST_DID: Fetcher }
const sendToDid = (request: Request): Promise<Response> => TEST_DID.fetch(request)

export const ORIGIN = 'http://localhost:3000'
/** Sends a request of a client to the Worker of its host. */
export const passOn = byHost({ core: sendToCore, did: sendToDid, keys: send })
const shared = { fetch: passOn, origin: ORIGIN, logListKeys: LIST_KEYS, resolverKey: RESOLVER_KEY }

/** A caller of its own, whose identity exists at core unless told. */
export function caller(options: { readonly genesis?: boolean } = {}): Promise<TestCaller> {
  return newCaller({ ...options, ...shared })
}

/** A device of a caller of its own. */
export async function device(options: Omit<TestDeviceOptions, 'fetch'> = {}): Promise<TestDevice> {
  return deviceOf(await caller(), { ...shared, ...options })
}

/** Another device of an owner. */
export function deviceFor(owner: TestCaller, options: Omit<TestDeviceOptions, 'fetch'> = {}): Promise<TestDevice> {
  return deviceOf(owner, { ...shared, ...options })
}

export interface CallOptions {
  readonly body?: unknown
  /** Sent as Idempotency-Key. */
  readonly key?: string
  /** Bindings or variables that are replaced. */
  readonly replaced?: object
}

/** One request with a good assertion, held to what the service declares. */
export async function call(
  by: Pick<TestCaller, 'assertion'> | null,
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  { body, key, replaced }: CallOptions = {},
): Promise<Exchange> {
  const prober = new Prober({ service, base: BASE, send: replaced ? sendWith(replaced) : send })
  const authorization = by ? await by.assertion('keys') : undefined
  return prober.send({
    method,
    path,
    headers: {
      origin: ORIGIN,
      ...(authorization === undefined ? {} : { authorization }),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
}

/** The data of a success. */
export function dataOf<T = Record<string, unknown>>({ status, body }: Exchange): T {
  if (status !== 200) throw new Error(`status ${status}: ${JSON.stringify(body)}`)
  return (body as { data: T }).data
}
