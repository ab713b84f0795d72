import { env, exports } from 'cloudflare:workers'
import { byHost, freshCaller, type TestCaller } from '@svc/testing'

export const BASE = 'https://pay.test'

/** Sends to the Worker under test through its own `fetch`. */
export const send = (request: Request): Promise<Response> => exports.default.fetch(request)

/** Core as the public reaches it; `CORE` is its internal side. */
const { TEST_CORE } = env as unknown as { readonly TEST_CORE: Fetcher }
const sendToCore = (request: Request): Promise<Response> => TEST_CORE.fetch(request)

/** A caller of its own, whose identity exists at core unless told. */
export function caller(options: { readonly genesis?: boolean } = {}): Promise<TestCaller> {
  return freshCaller({ ...options, fetch: byHost({ core: sendToCore, pay: send }), origin: 'http://localhost:3000' })
}
