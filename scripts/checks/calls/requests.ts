import { type Operation, operationAt, readApi } from '@svc/platform/documented-api'
import { sharedPlatform } from '@svc/platform/shared-platform'
import { WORKER_NAMES } from '@svc/platform/workspace'
import { freshAddress } from '../running-platform/fresh-address.ts'

export interface SentRequest {
  readonly operation: Operation | undefined
  readonly status: number
}

export const api = readApi()
const services = new Map(WORKER_NAMES.map((name) => [new URL(sharedPlatform().urls[name]).origin, name]))

/** What is sent in the meantime, from an address of its own. */
export async function requestsOf(act: () => Promise<unknown>): Promise<readonly SentRequest[]> {
  const sent: SentRequest[] = []
  const address = freshAddress()
  const send = globalThis.fetch
  const Socket = globalThis.WebSocket
  globalThis.WebSocket = class extends Socket {
    constructor(url: string | URL, protocols?: string | string[]) {
      super(url, protocols)
      const { pathname } = new URL(url)
      sent.push({ operation: operationAt(api.operations, 'core', 'GET', pathname), status: 101 })
    }
  }
  globalThis.fetch = async (...given) => {
    const request = new Request(...given)
    request.headers.set('cf-connecting-ip', address)
    const response = await send(request)
    const { origin, pathname } = new URL(request.url)
    const service = services.get(origin)
    const operation = service && operationAt(api.operations, service, request.method, pathname)
    sent.push({ operation, status: response.status })
    return response
  }
  try {
    await act()
    return sent
  } finally {
    globalThis.fetch = send
    globalThis.WebSocket = Socket
  }
}
