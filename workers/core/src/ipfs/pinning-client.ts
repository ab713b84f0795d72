import { DependencyFault, reaching } from '@svc/protocol/base/dependency-fault'
import { foreignObject } from '@svc/protocol/http/foreign'
import * as z from 'zod'
import type { Pin } from './pin-store.ts'

/** The part of the IPFS Pinning Service API, version 1, that pinning needs. */
const pinStatusSchema = foreignObject({
  requestid: z.string().min(1).max(1024),
  status: z.enum(['queued', 'pinning', 'pinned', 'failed']),
})
const SERVICE_TIMEOUT_MS = 10_000

export interface PinningConfig {
  readonly provider: 'object-store' | 'external-http' | 'off'
  /** The base URL of the pinning service, and its token. */
  readonly endpoint: string
  readonly token: string | undefined
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
}

export type Requested = Pick<Pin, 'status' | 'bytes' | 'requestId'>

/** The pinning service of the deployment. */
export class PinningClient {
  readonly #config: PinningConfig

  constructor(config: PinningConfig) {
    this.#config = config
  }

  /** Queries the pin if the service already has it: another POST would create another pin there. */
  async request(cid: string, name: string | null, requestId: string | null): Promise<Requested> {
    const known = requestId === null ? null : await this.#ask('GET', pathOf(requestId))
    if (known && known.status !== 'failed') return known
    const made = await this.#ask('POST', '/pins', { cid, ...(name === null ? {} : { name }) })
    if (!made) throw new DependencyFault('pinning service', { cause: new Error('status 404') })
    return made
  }

  /** Removes a pin there. Idempotent. */
  async remove(requestId: string): Promise<void> {
    await reaching('pinning service', async () => {
      const { ok, status } = await this.#send('DELETE', pathOf(requestId))
      if (!ok && status !== 404) throw new Error(`status ${status}`)
    })
  }

  /** Null for 404. */
  async #ask(method: 'GET' | 'POST', path: string, body?: object): Promise<Requested | null> {
    return reaching('pinning service', async () => {
      const response = await this.#send(method, path, body)
      if (response.status === 404) return null
      if (!response.ok) throw new Error(`status ${response.status}`)
      const { status, requestid: requestId } = pinStatusSchema.parse(await response.json())
      return { status, bytes: null, requestId }
    })
  }

  #send(method: string, path: string, body?: object): Promise<Response> {
    const { endpoint, token, fetch } = this.#config
    if (!token) throw new DependencyFault('pinning service', { cause: new Error('no token') })
    return fetch(endpoint + path, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
      redirect: 'manual',
      signal: AbortSignal.timeout(SERVICE_TIMEOUT_MS),
    })
  }
}

const pathOf = (requestId: string) => `/pins/${encodeURIComponent(requestId)}`
