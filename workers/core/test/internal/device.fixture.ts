/** Shared by the tests of device records: requests as a sibling sends them. */
import { env } from 'cloudflare:workers'
import { INTERNAL_HEADER } from '@svc/service'
import { deviceOf, type TestDevice, type TestDeviceOptions } from '@svc/testing'
import { internalService } from '../../src/app.ts'
import { freshCaller, send } from '../harness.ts'

export const SECRET = 'internal-secret-of-the-tests-only'
export const PRIMARY = '?consistency=primary'

/** A device of a fresh caller. */
export const freshDevice = async (options: Partial<TestDeviceOptions> = {}): Promise<TestDevice> =>
  deviceOf(await freshCaller(), { fetch: send, capabilities: ['chain:read'], ...options })

/** A request as a sibling sends it over its binding. */
export async function lookUp(deviceId: string, query = '', replaced: object = {}, caller: unknown = 'did') {
  const request = new Request(`https://internal/api/internal/device/${deviceId}${query}`, {
    headers: { [INTERNAL_HEADER]: SECRET },
  })
  const context = { props: { caller }, waitUntil: () => {}, passThroughOnException: () => {} }
  const response = await internalService.app.fetch(request, { ...env, ...replaced }, context)
  return { status: response.status, body: await response.json<Record<string, unknown>>() }
}

/** An object namespace that is unavailable. */
export const down = { getByName: () => new Proxy({}, { get: () => () => Promise.reject(new Error('overloaded')) }) }
export const refusal = (status: number, error: string) => ({ status, body: { success: false, error } })
