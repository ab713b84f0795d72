import { errorPath } from '#protocol/http/error-pages'
import type { ErrorName } from '#protocol/http/errors'

/** What an error answer of a service says. */
export interface Refusal {
  readonly status: number
  /** A name from the error table, or `unknown` if the answer has none that this SDK knows. */
  readonly error: ErrorName | 'unknown'
  /** For people. */
  readonly message: string
  /** Evidence, such as the current head on `stale_head`, or the meter on `quota_exhausted`. */
  readonly details?: Readonly<Record<string, unknown>>
  /** Whether the same request can succeed later. The SDK has repeated it already if that cannot do anything twice. */
  readonly retryable?: boolean
  /** Seconds to wait, on 429. */
  readonly retryAfterSeconds?: number | undefined
  /** The server's clock in epoch milliseconds, on clock errors. */
  readonly serverTime?: number | undefined
  /** Names the request in the logs of the deployment. */
  readonly requestId?: string | undefined
  /** Address of the entry that explains this error; undefined if the client does not know the documentation host. */
  readonly docs?: string | undefined
  /** How often the request was sent. */
  readonly attempts?: number
}

/** An error answer of a service. `error` is the stable name to branch on; `message` is for people. */
export class ServiceError extends Error implements Refusal {
  override readonly name = 'ServiceError'
  readonly status: number
  /** A name from the error table, or `unknown` if the answer has none that this SDK knows. */
  readonly error: ErrorName | 'unknown'
  /** Evidence, such as the current head on `stale_head`, or the meter on `quota_exhausted`. */
  readonly details: Readonly<Record<string, unknown>>
  /** Whether the same request can succeed later. The SDK has repeated it already if that cannot do anything twice. */
  readonly retryable: boolean
  /** Seconds to wait, on 429. */
  readonly retryAfterSeconds: number | undefined
  /** The server's clock in epoch milliseconds, on clock errors. */
  readonly serverTime: number | undefined
  /** Names the request in the logs of the deployment. */
  readonly requestId: string | undefined
  /**
   * Address of the entry that explains this error: `https://docs.example/developer/errors#stale_head`. Undefined if the
   * client does not know the documentation host: `Client.connect` learns it from discovery, `new Client` takes `docs`.
   */
  readonly docs: string | undefined
  /** How often the request was sent. */
  readonly attempts: number

  constructor(refusal: Refusal) {
    super(refusal.message)
    this.status = refusal.status
    this.error = refusal.error
    this.details = refusal.details ?? {}
    this.retryable = refusal.retryable ?? false
    this.retryAfterSeconds = refusal.retryAfterSeconds
    this.serverTime = refusal.serverTime
    this.requestId = refusal.requestId
    this.docs = refusal.docs
    this.attempts = refusal.attempts ?? 1
  }

  /** The same entry as a path on any documentation host of the platform: `/developer/errors#stale_head`. */
  get docsPath(): string {
    return errorPath(this.error)
  }
}

/** What a refusal is thrown as. The texts of all errors are 6 kB, and are loaded with the first refusal. */
export async function refusalOf({ status, headers }: Response, body: unknown): Promise<ServiceError> {
  const { serviceErrorOf } = await import('./refusal.ts')
  return serviceErrorOf(status, body, headers)
}
