/**
 * What every Worker shares. `createService` turns a description and routes into a hono app in which every request gets
 * its id, security headers, origin check, limits, envelope and log line, and every unmatched path its 404, 405 or 410.
 *
 * @module
 */
import { DependencyFault } from '@svc/protocol/base/dependency-fault'
import type { ErrorName } from '@svc/protocol/http/errors'
import { type Context, Hono } from 'hono'
import { matchedRoutes } from 'hono/route'
import { ApiError } from '../answer/api-error.ts'
import type { Shape } from '../answer/shapes.ts'
import { areaLimits } from '../limits/areas.ts'
import { writeRow } from '../metrics/metrics.ts'
import { type Described, documentRoutes } from '../openapi/routes.ts'
import { prefersHtml } from '../request/accept.ts'
import { canonicalUrlOf, REDIRECT_CACHE_CONTROL } from '../request/aliases.ts'
import { corsHeaders, preflightHeaders, refusesOrigin } from '../request/origins.ts'
import { meter, pipelineOf } from '../request/pipeline.ts'
import { retiredMatcher, templatePattern } from '../request/retired.ts'
import { oncePerEnv, type ServiceConfig } from './config.ts'
import type { Runtime, ServiceDescription, ServiceEnv } from './description.ts'
import { faultOf, isSampled, logRequest } from './log.ts'
import type { Operation, Route } from './operation.ts'
import { pointerRoute, withOpenDiscovery } from './pointer.ts'
import { REQUEST_ID_HEADER, siblingRequestId, underRequestId } from './request-id.ts'

export interface ServiceApp {
  readonly description: ServiceDescription
  readonly app: Hono<ServiceEnv>
  readonly routes: readonly Route<never>[]
}

/** What the routes need that every service has. */
export interface ServiceDeps extends Described {
  readonly config: ServiceConfig
}

/** An internal call that takes this long is logged though it succeeded. */
const SLOW_CALL_MS = 1_000

/** JSON needs no resources, so nothing may load, frame or sniff it. */
const SECURITY_HEADERS: Record<string, string> = {
  'strict-transport-security': 'max-age=63072000; includeSubDomains; preload',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'strict-origin-when-cross-origin',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
}

export function createService<Deps extends ServiceDeps>(
  ownDescription: ServiceDescription,
  setUp: (env: never) => Runtime<Deps>,
  ownRoutes: readonly Route<Deps>[],
): ServiceApp {
  const app = new Hono<ServiceEnv>({ getPath: rawPath })
  const description = ownDescription.isInternal
    ? ownDescription
    : { ...ownDescription, origins: withOpenDiscovery(ownDescription.origins) }
  const pointers = description.service === 'core' ? [] : [pointerRoute]
  const routes: Route<never>[] = description.isInternal
    ? [...ownRoutes]
    : [...ownRoutes, ...pointers, ...documentRoutes(description.markdownPaths ?? [])]
  const runtimeOf = oncePerEnv(setUp as (env: object) => Runtime<Deps>)
  const limitAt = areaLimits(routes)
  const retired = retiredMatcher(description.retired ?? [])
  const labels = new Map(
    routes.map(({ operation }) => [`${operation.method.toUpperCase()} ${honoPath(operation)}`, operation]),
  )
  const paths = routes.map(({ operation }) => ({
    pattern: templatePattern(operation.path),
    methods: methodsOf(operation),
  }))

  app.use(async (c, next) => {
    const startedAt = Date.now()
    const requestId = siblingRequestId(description.isInternal ? c.req.header(REQUEST_ID_HEADER) : undefined)
    c.set('requestId', requestId)
    c.set('now', startedAt)
    c.set('path', c.req.path)
    await underRequestId(requestId, next)
    finish(c, description, labels, startedAt)
  })

  app.use(async (c, next) => {
    c.set('runtime', runtimeOf(c.env))
    const origin = c.req.header('origin')
    const { ALLOWED_ORIGINS: allowed, PUBLIC_ORIGINS: own } = c.var.runtime.config
    const asked = origin === undefined ? undefined : c.req.header('access-control-request-method')
    const isPreflight = c.req.method === 'OPTIONS' && asked !== undefined
    const method = c.req.method === 'OPTIONS' ? (asked ?? 'GET') : c.req.method
    const rule = description.origins(method, c.var.path)
    const gone = isPreflight ? undefined : retired(c.var.path)
    const isOwnPage = description.pages?.includes(c.var.path)
    const passing = isOwnPage ? [...allowed, ...own] : allowed
    if (!gone && refusesOrigin(rule, origin, passing)) {
      throw new ApiError('cors_denied', { reason: 'origin', headers: { vary: 'Origin' } })
    }
    if (isPreflight) {
      return new Response(null, {
        status: 204,
        headers: { ...corsHeaders(rule, origin, allowed), ...preflightHeaders(rule, method) },
      })
    }
    await next()
    for (const [name, value] of Object.entries(corsHeaders(rule, origin, allowed))) {
      if (name === 'vary') c.res.headers.append(name, value)
      else c.res.headers.set(name, value)
    }
    return undefined
  })

  app.use(async (c, next) => {
    const gone = retired(c.var.path)
    const location = gone ? null : canonicalUrlOf(c.req.raw, c.var.runtime.config)
    if (!gone && location === null) return next()
    await meter(c, description, limitAt(c.var.path))
    if (gone) throw new ApiError(gone.error)
    return new Response(null, {
      status: 301,
      headers: { location: location ?? '', 'cache-control': REDIRECT_CACHE_CONTROL },
    })
  })

  for (const entry of routes) {
    const { operation } = entry
    app.on(operation.method.toUpperCase(), honoPath(operation), pipelineOf(description, entry))
  }

  app.notFound(async (c) => {
    await meter(c, description, limitAt(c.var.path))
    const own = description.unmatched?.(c.req.method, c.var.path, c.var.now)
    if (own) return own
    const methods = paths.filter(({ pattern }) => pattern.test(c.var.path)).flatMap((served) => served.methods)
    if (description.hidesMethods) throw new ApiError('Not found')
    if (description.isReadOnly && c.req.method !== 'GET' && c.req.method !== 'HEAD') methods.push('GET', 'HEAD')
    if (methods.length === 0) throw new ApiError('not_found', { message: 'No such route' })
    const allow = [...new Set([...methods, 'OPTIONS'])].toSorted().join(', ')
    if (c.req.method === 'OPTIONS') return new Response(null, { headers: { allow, 'cache-control': 'no-store' } })
    throw new ApiError('method_not_allowed', { headers: { allow } })
  })

  app.onError((error, c) => failure(error, c, description))
  return { description, app, routes }
}

/** What a request for the operation may say; GET stands for HEAD too. */
export function methodsOf({ method, consumes = null }: Operation): string[] {
  return method === 'get' && consumes === null ? ['GET', 'HEAD'] : [method.toUpperCase()]
}

/**
 * Routes match the path as sent, like tiers and origins. Hono decodes it by default, so `/1.0/regi%73ter` would reach a
 * route without the rules of its path.
 */
function rawPath(request: Request): string {
  return new URL(request.url).pathname
}

/** A failing dependency is 503; any other unexpected error is 500, and its text goes only to the log. */
function knownError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (!(error instanceof DependencyFault)) return new ApiError('internal_error', { reason: faultOf(error) })
  const { dependency, cause } = error
  return new ApiError('dependency_unavailable', { reason: `${dependency}: ${faultOf(cause)}` })
}

/** The error of the body, at one place for every shape: a client handles all services alike. */
export const ERROR_HEADER = 'x-error-name'
/** Of answers that are not exceptions: forms that are shown again, and content that nobody declared. */
const UNNAMED = new Map<number, ErrorName>([
  [400, 'invalid_request'],
  [404, 'not_found'],
])

/** The only place where an exception becomes a response. */
async function failure(
  error: unknown,
  c: Context<ServiceEnv>,
  { shape, refusalPages }: ServiceDescription,
): Promise<Response> {
  const known = knownError(error)
  const { retryAfterSeconds, headers, tier, reason } = known.options
  c.set('reason', reason ?? known.error)
  const facts = { now: c.var.now, requestId: c.var.requestId, path: c.var.path }
  const hasPage = refusalPages?.some((status) => status === known.status) === true
  const page = hasPage && prefersHtml(c.req.header('accept')) ? await pageOf(c, known.status) : null
  const body = tier === undefined ? shape.failure(known, facts) : tierFailure(shape, known, facts)
  const shown = {
    'cache-control': 'no-store',
    [ERROR_HEADER]: known.error,
    ...(hasPage ? { vary: 'Accept' } : {}),
    ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
    ...headers,
  }
  if (page === null) return Response.json(body, { status: known.status, headers: shown })
  return new Response(page, {
    status: known.status,
    headers: { ...shown, 'content-type': 'text/html; charset=utf-8' },
  })
}

/** If the page is unavailable, the error stays JSON. */
async function pageOf(c: Context<ServiceEnv>, status: number): Promise<BodyInit | null> {
  try {
    return (await c.var.runtime.refusalPage?.(status)) ?? null
  } catch {
    return null
  }
}

/** The shared limiter’s refusal is the same on every service; provenance adds its request id. */
function tierFailure(shape: Shape, error: ApiError, facts: { now: number; requestId: string; path: string }) {
  const dressed = shape.failure(error, facts)
  const hasRequestId = typeof dressed === 'object' && dressed !== null && 'requestId' in dressed
  return {
    success: false,
    error: error.message,
    retryAfter: error.options.retryAfterSeconds,
    tier: error.options.tier,
    ...(hasRequestId ? { requestId: facts.requestId } : {}),
  }
}

function honoPath({ path }: Pick<Operation, 'path'>): string {
  return path.replaceAll(/\{([^}]+)\}/g, ':$1')
}

type Labels = ReadonlyMap<string, Operation>

/** The operation that the request is for: of all routes that match, the first one answers. */
function operationOf(c: Context<ServiceEnv>, labels: Labels): Operation | undefined {
  for (const { method, path } of matchedRoutes(c)) {
    const operation = labels.get(`${method} ${path}`)
    if (operation) return operation
  }
  return undefined
}

function finish(c: Context<ServiceEnv>, description: ServiceDescription, labels: Labels, startedAt: number): void {
  const { headers } = c.res
  for (const [name, value] of Object.entries({ ...SECURITY_HEADERS, ...description.securityHeaders })) {
    if (!headers.has(name)) headers.set(name, value)
  }
  for (const [name, value] of Object.entries(c.var.answerHeaders ?? {})) headers.set(name, value)
  if (c.var.answerHeaders && c.res.status === 429) headers.set('x-ratelimit-remaining', '0')
  headers.set(REQUEST_ID_HEADER, c.var.requestId)
  const unnamed = headers.has(ERROR_HEADER) ? undefined : UNNAMED.get(c.res.status)
  if (unnamed !== undefined) headers.set(ERROR_HEADER, unnamed)
  const { id: operation, path: route } = operationOf(c, labels) ?? { id: 'unmatched', path: 'unmatched' }
  const { service, isInternal = false } = description
  const { status } = c.res
  const milliseconds = Date.now() - startedAt
  // The row and the line of the service that called say the rest.
  if (isInternal && status < 400 && milliseconds < SLOW_CALL_MS) return
  const error = headers.get(ERROR_HEADER) ?? ''
  const outcome = `${Math.floor(status / 100)}xx`
  writeRow({ kind: 'request', service, name: operation, outcome, error, value: milliseconds, detail: status })
  const { requestId, runtime, reason } = c.var as Partial<ServiceEnv['Variables']> & { requestId: string }
  // An answer with a reason is a refusal too, though its status is not.
  if (status < 400 && reason === undefined && !isSampled(requestId, runtime?.config.LOG_SAMPLE ?? 1)) return
  logRequest({ service, requestId, operation, route, method: c.req.method, status, milliseconds, reason })
}
