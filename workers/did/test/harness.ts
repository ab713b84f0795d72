import { env, exports } from 'cloudflare:workers'
import { byHost, deviceOf, newCaller, type TestCaller, type TestDevice, type TestDeviceOptions } from '@svc/testing'

export const BASE = 'https://did.test'

/** Sends to the Worker under test through its own `fetch`. */
export const send = (request: Request): Promise<Response> => exports.default.fetch(request)

/** Core as the public reaches it; `CORE` is its internal side. */
const { TEST_CORE } = env as unknown as { readonly TEST_CORE: Fetcher }
export const sendToCore = (request: Request): Promise<Response> => TEST_CORE.fetch(request)

/** What a caller needs to reach both Workers. */
export const toEachHost = { fetch: byHost({ core: sendToCore, did: send }), origin: 'http://localhost:3000' }

/** A caller of its own, whose identity exists at core unless told. */
export function caller(options: { readonly genesis?: boolean } = {}): Promise<TestCaller> {
  return newCaller({ ...options, ...toEachHost })
}

/** A device of a caller of its own. */
export async function device(options: Omit<TestDeviceOptions, 'fetch'> = {}): Promise<TestDevice> {
  return deviceOf(await caller(), { ...toEachHost, ...options })
}

export function freshAddress(): string {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint16Array(2))
  return `2001:db8:${high.toString(16)}:${low.toString(16)}::1`
}

/** A dependency that never answers: it ends when the caller gives up. */
export function untilAborted({ signal }: Request): Promise<Response> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason as Error)
    signal.addEventListener('abort', () => reject(signal.reason as Error))
  })
}
