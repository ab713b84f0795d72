/**
 * What a service declares about itself, and what one isolate holds for it.
 *
 * @module
 */
import type { Limiter, Service } from '@svc/rate-limit'
import type { Shape } from '../answer/shapes.ts'
import type { Gate, RefusalNames } from '../auth/gate.ts'
import type { Window } from '../limits/declared-limits.ts'
import type { OriginPolicy } from '../request/origins.ts'
import type { Retired } from '../request/retired.ts'
import type { ServiceConfig } from './config.ts'

export interface ServiceDescription {
  readonly service: Service
  readonly version: string
  readonly title: string
  readonly summary: string
  readonly shape: Shape
  readonly origins: OriginPolicy
  /** Paths of pages whose forms post back here: browsers send them with the service's own Origin. */
  readonly pages?: readonly string[]
  readonly securityHeaders?: Record<string, string>
  readonly refusals?: RefusalNames
  readonly retired?: readonly Retired[]
  /** Sign-in returns 404 for everything it does not know, including wrong methods. */
  readonly hidesMethods?: boolean
  /** The documentation host returns 405 on every path for anything except GET, HEAD and OPTIONS. */
  readonly isReadOnly?: boolean
  /** The service's own answer for an unmatched path, or null for the common 404 and 405. */
  readonly unmatched?: (method: string, path: string, now: number) => Response | null
  /** Errors with these statuses are pages for clients that prefer HTML; see `Runtime.refusalPage`. */
  readonly refusalPages?: readonly (404 | 405)[]
  /** Where the description is also served as Markdown. */
  readonly markdownPaths?: readonly string[]
  /** Reachable only over service bindings: it serves no description of itself. */
  readonly isInternal?: boolean
}

/**
 * A Worker's internal routes, as a service of their own: siblings reach it over service bindings, and no public
 * hostname does, so neither Origins nor tiers apply.
 */
export function internalDescription(description: ServiceDescription): ServiceDescription {
  return {
    ...description,
    title: `${description.title}, internal routes`,
    summary: 'For the sibling Workers of one deployment, over service bindings only.',
    origins: () => 'none',
    pages: [],
    markdownPaths: [],
    retired: [],
    isInternal: true,
  }
}

/** What one isolate holds, built once from the bindings. */
export interface Runtime<Deps> {
  readonly config: ServiceConfig
  readonly limiter: Limiter
  readonly deps: Deps
  readonly gate?: Gate | undefined
  readonly internal?: InternalGate | undefined
  /** The page for an error. If it is null or fails, the error stays JSON. */
  readonly refusalPage?: (status: number) => Promise<BodyInit | null>
  /** Required if an operation has a `window`. */
  readonly windows?: Windows | undefined
}

/** Exact counts over longer windows. Consistent: concurrent calls never exceed the limit. */
export interface Windows {
  /** Counts one for `key` and returns how long to wait, 0 if it is within the limit. Throws if it cannot count. */
  take(window: Window, key: string): Promise<number>
}

export interface InternalGate {
  /** The calling sibling, or null if the secret is wrong or the caller is not one of these. */
  authenticate(headers: Headers, executionContext: unknown, callers: readonly Service[]): Service | null
}

export interface ServiceEnv {
  Bindings: object
  Variables: {
    runtime: Runtime<unknown>
    requestId: string
    now: number
    /** The raw path, as tiers and tables match it. */
    path: string
    reason?: string | undefined
    /** Set on the answer, whatever it is. */
    answerHeaders?: Readonly<Record<string, string>> | undefined
  }
}
