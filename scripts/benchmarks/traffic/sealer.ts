import { Client, type ClientOptions } from '@svc/client'
import { freshAddress, type LoadRequest } from '@svc/platform/callers/send'

type Method = LoadRequest['method']

/**
 * An SDK client whose next request of a method is intercepted instead of sent, so that requests can be signed before a
 * run. Its other requests are sent, each from a different address.
 */
export class Sealer {
  readonly client: Client
  #wanted: { readonly method: Method; readonly take: (request: Request) => void } | null = null

  constructor(options: Omit<ClientOptions, 'fetch'>) {
    this.client = new Client({
      ...options,
      fetch: (url, init) => this.#fetch(new Request(url, init)),
      timeoutMs: Number.POSITIVE_INFINITY,
    })
  }

  /** One at a time. `act` never gets a response. */
  async seal(method: Method, act: (client: Client) => Promise<unknown>): Promise<LoadRequest> {
    const request = await new Promise<Request>((resolve, reject) => {
      this.#wanted = { method, take: resolve }
      act(this.client).then(() => reject(new Error('nothing was sent')), reject)
    }).finally(() => {
      this.#wanted = null
    })
    return asSent(method, request)
  }

  #fetch(request: Request): Promise<Response> {
    if (this.#wanted?.method === request.method) {
      this.#wanted.take(request)
      return new Promise(() => {})
    }
    request.headers.set('cf-connecting-ip', freshAddress())
    return fetch(request)
  }
}

/** Converts the SDK's request for `send`. */
export async function asSent(method: Method, request: Request): Promise<LoadRequest> {
  const { headers, url } = request
  const body = method === 'GET' ? null : new Uint8Array(await request.arrayBuffer())
  return { method, url, headers: Object.fromEntries(headers), ...(body === null ? {} : { body }) }
}
