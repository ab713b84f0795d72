/**
 * What a service says of itself before any request comes, and what one isolate holds for it.
 *
 * @module
 */
import type { Limiter, Service } from '@svc/rate-limit'
import type { ServiceConfig } from './config.ts'
import type { Gate, RefusalNames } from './gate.ts'
import type { Window } from './operation.ts'
import type { OriginPolicy } from './origins.ts'
import type { Retired } from './retired.ts'
import type { Shape } from './shapes.ts'

export interface ServiceDescription {
  readonly service: Service
  readonly version: string
  readonly title: string
  readonly summary: string
  readonly shape: Shape
  readonly origins: OriginPolicy
  /** Paths of pages whose forms come back here: a browser sends them with the service's own Origin. */
  readonly pages?: readonly string[] | 'all'
  readonly securityHeaders?: Record<string, string>
  readonly refusals?: RefusalNames
  readonly retired?: readonly Retired[]
  /** Sign-in answers 404 to whatever it does not know, wrong methods included. */
  readonly hidesMethods?: boolean
  /** The documentation host: anything but GET, HEAD and OPTIONS is 405 on every path. */
  readonly isReadOnly?: boolean
  /** An answer of the service's own for a path that no route matches, or null for the 404 and 405 of all. */
  readonly unmatched?: (method: string, path: string, now: number) => Response | null
  /** Refusals of these statuses are a page to whoever reads HTML; see `Runtime.refusalPage`. */
  readonly refusalPages?: readonly (400 | 404 | 405)[]
  /** Where the description is also served as Markdown. */
  readonly markdownPaths?: readonly string[]
  /** Reached over service bindings alone: it serves no description of itself. */
  readonly isInternal?: boolean
}

/** What one isolate holds: built from the bindings once. */
export interface Runtime<Deps> {
  readonly config: ServiceConfig
  readonly limiter: Limiter
  readonly deps: Deps
  readonly gate?: Gate | undefined
  readonly internal?: InternalGate | undefined
  /** The page of a refusal. Null, and a fault, leave the refusal JSON. */
  readonly refusalPage?: (status: number) => Promise<BodyInit | null>
  /** Needed where an operation has a `window`. */
  readonly windows?: Windows | undefined
}

/** Exact counts over longer windows. Consistent: of concurrent calls no more than the limit are allowed. */
export interface Windows {
  /** Counts one for `key` and says how long to wait, 0 when it is within the limit. Throws when it cannot count. */
  take(window: Window, key: string): Promise<number>
}

export interface InternalGate {
  /** The sibling that calls, or null when the secret, the caller or the route is wrong. */
  authenticate(headers: Headers, executionContext: unknown, operationId: string): Service | null
}

export interface ServiceEnv {
  Bindings: object
  Variables: {
    runtime: Runtime<unknown>
    requestId: string
    now: number
    /** The raw path, as the tiers and tables match it. */
    path: string
    reason?: string | undefined
    /** On whatever the answer will be. */
    answerHeaders?: Readonly<Record<string, string>> | undefined
  }
}
