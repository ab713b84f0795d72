import { env, exports } from 'cloudflare:workers'
import { byHost, deviceOf, newCaller, type TestCaller, type TestDevice, type TestDeviceOptions } from '@svc/testing'
import { service } from '../src/app.ts'

export const BASE = 'https://provenance.test'

/** Sends to the Worker under test through its own `fetch`. */
export const send = (request: Request): Promise<Response> => exports.default.fetch(request)

/** Sends to the same code over the same objects with some bindings or variables replaced. */
export function sendWith(replaced: object): (request: Request) => Promise<Response> {
  return async (request) => service.app.fetch(request, { ...env, ...replaced })
}

/** Core as the public reaches it; `CORE` is its internal side. */
const { TEST_CORE, TEST_PAY } = env as unknown as { readonly TEST_CORE: Fetcher; readonly TEST_PAY: Fetcher }
const sendToCore = (request: Request): Promise<Response> => TEST_CORE.fetch(request)

const sendToPay = (request: Request): Promise<Response> => TEST_PAY.fetch(request)

const shared = {
  fetch: byHost({ core: sendToCore, pay: sendToPay, provenance: send }),
  origin: 'http://localhost:3000',
}

/** A caller of its own, whose identity exists at core unless told. */
export function caller(options: { readonly genesis?: boolean } = {}): Promise<TestCaller> {
  return newCaller({ ...options, ...shared })
}

/** A device of a caller of its own. */
export async function device(options: Omit<TestDeviceOptions, 'fetch'> = {}): Promise<TestDevice> {
  return deviceOf(await caller(), { ...shared, ...options })
}
