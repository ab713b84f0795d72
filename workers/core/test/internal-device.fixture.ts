/** What the tests of device records share: asking for one as a sibling does. */
import { env } from 'cloudflare:workers'
import { INTERNAL_HEADER } from '@svc/service'
import { deviceOf, type TestDevice, type TestDeviceOptions } from '@svc/testing'
import { internalService } from '../src/app.ts'
import { freshCaller, send } from './harness.ts'

export const SECRET = 'internal-secret-of-the-tests-only'
export const PRIMARY = '?consistency=primary'

/** A device of a caller of its own. */
export const freshDevice = async (options: Partial<TestDeviceOptions> = {}): Promise<TestDevice> =>
  deviceOf(await freshCaller(), { fetch: send, capabilities: ['chain:read'], ...options })

/** As a sibling would ask over its binding. */
export async function lookUp(deviceId: string, query = '', replaced: object = {}, caller: unknown = 'did') {
  const request = new Request(`https://internal/api/internal/device/${deviceId}${query}`, {
    headers: { [INTERNAL_HEADER]: SECRET },
  })
  const context = { props: { caller }, waitUntil: () => {}, passThroughOnException: () => {} }
  const response = await internalService.app.fetch(request, { ...env, ...replaced }, context)
  return { status: response.status, body: await response.json<Record<string, unknown>>() }
}

/** An object namespace that nobody reaches. */
export const down = { getByName: () => new Proxy({}, { get: () => () => Promise.reject(new Error('overloaded')) }) }
export const refusal = (status: number, error: string) => ({ status, body: { success: false, error } })
