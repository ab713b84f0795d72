import { env } from 'cloudflare:workers'
import { INTERNAL_HEADER } from '@svc/service'
import { internalService } from '../../src/app.ts'
import type { freshCaller } from '../harness.ts'
import { SECRET } from './device.fixture.ts'

export type Caller = Awaited<ReturnType<typeof freshCaller>>

interface SpendOptions {
  readonly caller?: unknown
  readonly bindings?: object
  readonly query?: string
}

/** Spends as a sibling does once it has verified a signature. */
export async function spend(body: object, { caller = 'keys', bindings = {}, query = '' }: SpendOptions = {}) {
  const request = new Request(`https://internal/api/internal/assertion/spend${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', [INTERNAL_HEADER]: SECRET },
    body: JSON.stringify(body),
  })
  const context = { props: { caller }, waitUntil: () => {}, passThroughOnException: () => {} }
  const response = await internalService.app.fetch(request, { ...env, ...bindings }, context)
  return { status: response.status, body: await response.json<Record<string, unknown>>() }
}

export const once = () => ({ nonce: crypto.randomUUID(), keepMs: 60_000 })
export const byRoot = ({ identity }: Caller) => ({ userId: identity.userId, device: null, ...once() })
