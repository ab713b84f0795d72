import type { RouteCapability } from '#assertion'

/** The request that carried the assertion, and what you know of its route. */
export interface ExplainedRequest {
  readonly method: string
  /** The absolute URL that was sent to. */
  readonly url: string
  readonly body?: Uint8Array | string
  /** The Origin header, which browsers send. */
  readonly origin?: string
  /** Other origins of the same deployment. */
  readonly aliases?: readonly string[]
  /** The audiences of the route. Without them, any audience passes. */
  readonly audiences?: readonly string[]
  /** What the route requires of a device. Without it, any device passes. */
  readonly capability?: RouteCapability
  /** False if the deployment takes no assertions of devices. */
  readonly acceptsDevices?: boolean
  /** The form of nonces at the route. */
  readonly noncePattern?: RegExp
  /** The clock of the service, epoch ms: `serverTime` of the refusal, if it has one. Default: the local clock. */
  readonly now?: number
  /** Default: 120,000, as in core. */
  readonly skewMs?: number
}
