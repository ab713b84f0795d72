import { Client, type ClientOptions } from '@svc/client'
import { freshAddress, type LoadRequest } from '../measure/load.ts'

type Method = LoadRequest['method']

/**
 * A client of the SDK whose next request of a method is taken out of its hands instead of being sent: what the SDK signs
 * can so be signed ahead of a run. Its other requests are sent, each as if by somebody else's address.
 */
export class Sealer {
  readonly client: Client
  #wanted: { readonly method: Method; readonly take: (request: Request) => void } | null = null

  constructor(options: Omit<ClientOptions, 'fetch'>) {
    this.client = new Client({ ...options, fetch: (request) => this.#fetch(request) })
  }

  /** One at a time. What `act` would have done with an answer it never does. */
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

/** A request as the SDK has made it, for `send`. */
export async function asSent(method: Method, request: Request): Promise<LoadRequest> {
  const { headers, url } = request
  const body = method === 'GET' ? null : new Uint8Array(await request.arrayBuffer())
  return { method, url, headers: Object.fromEntries(headers), ...(body === null ? {} : { body }) }
}
