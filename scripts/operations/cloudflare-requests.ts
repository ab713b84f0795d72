import { SetupError } from '@svc/platform/workspace'
import { ANYWHERE, bucketHeaders, type Location } from './location.ts'

const TIMEOUT_MS = 30_000
/** Enough for 30 MB over a slow connection. */
const TRANSFER_TIMEOUT_MS = 600_000
const BASE_URL = 'https://api.cloudflare.com/client/v4'

interface Envelope {
  readonly success?: boolean
  readonly result?: unknown
  readonly errors?: readonly { readonly code?: number; readonly message?: string }[]
}

interface Sent {
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: BodyInit
}

export interface Credentials {
  readonly accountId: string
  readonly token: string
  /** CLOUDFLARE_API_BASE_URL, which Wrangler reads too. */
  readonly baseUrl?: string | undefined
  /** Where databases and buckets are created. */
  readonly location?: Location
}

/** Requests to the API of Cloudflare below one account. */
export class CloudflareRequests {
  readonly #base: string
  readonly #token: string
  readonly #credentials: Credentials
  readonly #location: Location

  constructor(credentials: Credentials) {
    const { accountId, token, baseUrl = BASE_URL, location = ANYWHERE } = credentials
    this.#credentials = credentials
    this.#base = `${baseUrl}/accounts/${accountId}`
    this.#token = token
    this.#location = location
  }

  /** What has another program ask the same account with the same token. */
  get environment(): Readonly<Record<string, string>> {
    const { accountId, token, baseUrl = BASE_URL } = this.#credentials
    return { CLOUDFLARE_ACCOUNT_ID: accountId, CLOUDFLARE_API_TOKEN: token, CLOUDFLARE_API_BASE_URL: baseUrl }
  }

  /** Null for what is not there. */
  async find(path: string, headers?: Readonly<Record<string, string>>): Promise<unknown> {
    const { status, envelope } = await this.#exchange('GET', path, undefined, headers)
    return status === 404 ? null : this.#resultOf('GET', path, status, envelope)
  }

  /** What Cloudflare answers as the result; throws if it refuses. */
  async ask(method: string, path: string, body?: object): Promise<unknown> {
    const { status, envelope } = await this.#exchange(method, path, body)
    return this.#resultOf(method, path, status, envelope)
  }

  /** Sends or gets a file, which may take long. */
  transfer(method: string, path: string, body?: Uint8Array): Promise<Response> {
    const type: Readonly<Record<string, string>> = body ? { 'content-type': 'application/octet-stream' } : {}
    const headers = { ...type, ...this.#placed(path) }
    const init = body ? { headers, body: body as Uint8Array<ArrayBuffer> } : { headers }
    return this.#fetch(method, path, init, TRANSFER_TIMEOUT_MS)
  }

  /** Throws what Cloudflare says, if the response is a refusal. */
  async checked(method: string, path: string, response: Response): Promise<unknown> {
    return this.#resultOf(method, path, response.status, await envelopeOf(response))
  }

  /** `placed` instead of those of the jurisdiction. */
  async #exchange(
    method: string,
    path: string,
    body?: object,
    placed?: Readonly<Record<string, string>>,
  ): Promise<{ status: number; envelope: Envelope }> {
    const headers = { 'content-type': 'application/json', ...(placed ?? this.#placed(path)) }
    const init = body === undefined ? { headers } : { headers, body: JSON.stringify(body) }
    const response = await this.#fetch(method, path, init, TIMEOUT_MS)
    return { status: response.status, envelope: await envelopeOf(response) }
  }

  /** Where to look for a bucket. */
  #placed(path: string): Readonly<Record<string, string>> {
    return path.startsWith('/r2/') ? bucketHeaders(this.#location) : {}
  }

  #fetch(method: string, path: string, init: Sent, timeoutMs: number): Promise<Response> {
    return fetch(this.#base + path, {
      method,
      ...init,
      headers: {
        ...init.headers,
        authorization: `Bearer ${this.#token}`,
      },
      signal: AbortSignal.timeout(timeoutMs),
    }).catch((error: unknown) => {
      throw new SetupError(`Cloudflare cannot be reached: ${error instanceof Error ? error.message : String(error)}.`)
    })
  }

  /** Names the request and Cloudflare's answer, never the request body, which may contain a secret. */
  #resultOf(method: string, path: string, status: number, { success, result, errors }: Envelope): unknown {
    if (status < 300 && success === true) return result
    const said = errors?.map(({ code, message }) => `${code ?? ''} ${message ?? ''}`.trim()).join('; ') || 'no details'
    throw new SetupError(`Cloudflare answered ${status} to ${method} ${path.split('?')[0]}: ${said}.`)
  }
}

async function envelopeOf(response: Response): Promise<Envelope> {
  return (await response.json().catch(() => ({}))) as Envelope
}

export function listOf(result: unknown): Record<string, unknown>[] {
  if (!Array.isArray(result)) throw new SetupError('Cloudflare did not return a list.')
  return result.map(recordOf)
}

export function recordOf(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw new SetupError('Cloudflare did not return an object.')
  return value as Record<string, unknown>
}

export function textOf(value: unknown): string {
  if (typeof value !== 'string' || value === '') throw new SetupError('Cloudflare returned no name or no id.')
  return value
}
