/**
 * Checks a freshly deployed service from outside, without writing anything. Needs no credential; the ones it sends are
 * invalid. Which routes are protected and which are retired comes from the committed OpenAPI documents, because the
 * service itself might be missing both.
 *
 * @module
 */
import { isProtected, type Operation, type Retired, readApi } from '@svc/platform/documented-api'
import { isWorkerName, type WorkerName } from '@svc/platform/workspace'
import { DISCOVERY_PATH } from '@svc/protocol/http/discovery-document'
import { hasObjects, OBJECTS_PATH, type ObjectCommits, othersOf, silentOf } from './releases/object-commits.ts'
import { MODERN_ALGORITHMS, OBJECT_UPDATE_SECONDS } from './worker-deployment.ts'

export interface Check {
  readonly name: string
  /** The problem, or null. */
  readonly fault: string | null
  /** What was found where nothing is wrong. */
  readonly note?: string
}

export interface Checked {
  /** The name that the service reports, or else its URL. */
  readonly service: string
  readonly checks: readonly Check[]
}

export interface SmokeOptions {
  /** The expected `commit` or `buildSha`. */
  readonly sha?: string | undefined
  /** An Origin that the service allows. Without it, hosts that require one refuse every write for that reason. */
  readonly origin?: string | undefined
  readonly fetch?: typeof fetch
}

/** Never on an allowlist: this domain cannot be registered. */
const STRANGER = 'https://stranger.invalid'
const TIMEOUT_MS = 15_000

const API = readApi()

type Found = string | null | { readonly note: string }

export async function smoke(url: string, options: SmokeOptions = {}): Promise<Checked> {
  const base = url.replace(/\/+$/, '')
  const send = (path: string, init: RequestInit = {}) =>
    (options.fetch ?? fetch)(base + path, { redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS), ...init })
  const checks: Check[] = []
  const check = async (name: string, find: () => Promise<Found>) => {
    const found = await find().catch((error: unknown) => (error instanceof Error ? error.message : String(error)))
    checks.push(typeof found === 'object' && found !== null ? { name, fault: null, ...found } : { name, fault: found })
  }

  let service: WorkerName | null = null
  let commit = 'unknown'
  await check('health', async () => {
    const response = await send('/health')
    const body = (await response.json()) as Record<string, unknown>
    const facts = { ...body, ...(body['data'] as object | undefined) } as Record<string, unknown>
    const named = facts['service']
    if (typeof named === 'string' && isWorkerName(named)) service = named
    if (response.status !== 200) return `answers ${response.status}`
    if (service === null) return 'does not report its name'
    commit = String(facts['commit'] ?? facts['buildSha'])
    if (options.sha !== undefined && commit !== options.sha) return `is build ${commit} instead of ${options.sha}`
    const { cryptography } = facts
    return cryptography === undefined || cryptography === 'native'
      ? { note: `build ${commit}` }
      : `verifies by ${JSON.stringify(cryptography)} instead of "native": set the compatibility flag ${MODERN_ALGORITHMS}`
  })
  if (service === null) return { service: base, checks }
  const known: WorkerName = service
  const locked = API.operations.filter((operation) => operation.service === known && isProtected(operation))
  const retired = API.retiredOf(known)

  if (hasObjects(known))
    await check('objects', async () => {
      const response = await send(OBJECTS_PATH)
      if (response.status !== 200) return `answers ${response.status}`
      return foundOfObjects((await response.json()) as ObjectCommits, commit)
    })
  await check('security headers', async () => faultOfHeaders((await send('/health')).headers))
  let described: object = {}
  await check('OpenAPI', async () => {
    const response = await send('/openapi.json')
    if (response.status !== 200) return `answers ${response.status}`
    const { openapi, paths } = (await response.json()) as { openapi?: unknown; paths?: object }
    described = paths ?? {}
    return openapi === '3.1.0' ? null : `has version ${String(openapi)}`
  })
  if ('/api/capabilities' in described)
    await check('capabilities', async () => expectStatus(await send('/api/capabilities'), 200))
  await check('discovery', async () => {
    const own = (await (await send(DISCOVERY_PATH)).json()) as Discovered
    return faultOfDiscovery(own, known, options.fetch ?? fetch)
  })
  await check('a foreign origin gets no permission', async () => {
    const headers = { origin: STRANGER, 'access-control-request-method': 'POST' }
    const preflight = await send(locked[0] ? pathOf(locked[0].template) : '/health', { method: 'OPTIONS', headers })
    const read = await send('/api/capabilities', { headers: { origin: STRANGER } })
    const allowed = [preflight, read].map((response) => response.headers.get('access-control-allow-origin'))
    return allowed.includes(STRANGER) ? `allows ${STRANGER}` : null
  })
  if (retired.length > 0)
    await check(`${retired.length} retired routes`, () =>
      faultsOfAll(retired, async (route) => faultOfRetired(await send(pathOf(route.path)), route)),
    )
  if (locked.length > 0)
    await check(`${locked.length} protected routes without a credential`, () =>
      faultsOfAll(locked, async (operation) => {
        const headers: Record<string, string> = options.origin === undefined ? {} : { origin: options.origin }
        const response = await send(pathOf(operation.template), { method: operation.method, headers })
        return faultOfRefusal(response, operation, options.origin !== undefined)
      }),
    )
  await check('internal routes', async () => {
    const headers = { 'x-svc-internal': 'x'.repeat(43) }
    return expectStatus(await send('/api/internal/health', { headers }), 404)
  })
  return { service: known, checks }
}

/** Objects with older code are not a fault: they change a little later than the Worker. */
function foundOfObjects(found: ObjectCommits, commit: string): Found {
  const silent = silentOf(found)
  if (silent.length > 0) return `${silent.join(', ')} did not answer`
  const others = othersOf(found, commit)
  if (others.length === 0) return { note: `build ${commit} in all ${Object.keys(found.objects).length} classes` }
  return { note: `${others.join(', ')}; objects follow the Worker within ${OBJECT_UPDATE_SECONDS} seconds` }
}

interface Discovered {
  readonly discovery?: string
  readonly realm?: string
  readonly services?: Readonly<Record<string, { readonly url: string } | undefined>>
}

/** The host that was asked may be an alias, so the host that is named must be the same service, not the same host. */
async function faultOfDiscovery(own: Discovered, service: WorkerName, get: typeof fetch): Promise<string | null> {
  const read = (url: string) => get(url, { signal: AbortSignal.timeout(TIMEOUT_MS) })
  const document = own.discovery === undefined ? own : ((await (await read(own.discovery)).json()) as Discovered)
  if (document.realm !== own.realm) return `names the realm ${String(own.realm)}, and core ${String(document.realm)}`
  const named = document.services?.[service]?.url
  if (named === undefined) return 'leads to no document'
  const health = await (await read(`${named}/health`)).text()
  return health.includes(`"${service}"`) ? null : `names ${named}, which is not ${service}`
}

/** Sequential, so that the checks do not trip the rate limits of the service. */
async function faultsOfAll<T extends object>(all: readonly T[], find: (one: T) => Promise<string | null>) {
  const faults: string[] = []
  for (const one of all) {
    const fault = await find(one)
    if (fault !== null) faults.push(`${nameOf(one)} ${fault}`)
  }
  return faults.length === 0 ? null : faults.join('; ')
}

function nameOf(one: { readonly path?: string; readonly method?: string; readonly template?: string }): string {
  return one.path ?? `${one.method} ${one.template}`
}

/** The value of every path parameter: services check the credential before the path. */
function pathOf(template: string): string {
  return template.replaceAll(/\{\w+\}/g, 'x')
}

async function faultOfRetired(response: Response, { status, error }: Retired): Promise<string | null> {
  const name = await errorNameOf(response)
  return response.status === status && name === error ? null : `answers ${response.status} ${name} instead of ${error}`
}

/** Expects the credential to be refused; or the Origin, which is checked first, if none could be sent. */
async function faultOfRefusal(response: Response, operation: Operation, hasOrigin: boolean): Promise<string | null> {
  if (response.status === 401) return null
  const name = await errorNameOf(response)
  const isWrite = operation.method !== 'GET' && operation.method !== 'HEAD'
  if (response.status === 403 && name === 'cors_denied' && isWrite && !hasOrigin) return null
  return `answers ${response.status} ${name} instead of 401`
}

async function errorNameOf(response: Response): Promise<string> {
  const body = (await response.json().catch(() => ({}))) as { error?: unknown; details?: { error?: unknown } }
  const name = body.details?.error ?? body.error
  return typeof name === 'string' ? name : 'without an error name'
}

function expectStatus({ status }: Response, expected: number): string | null {
  return status === expected ? null : `answers ${status} instead of ${expected}`
}

function faultOfHeaders(headers: Headers): string | null {
  const expected: Record<string, RegExp> = {
    'strict-transport-security': /^max-age=63072000; includeSubDomains; preload$/,
    'x-content-type-options': /^nosniff$/,
    'x-frame-options': /^DENY$/,
    'referrer-policy': /^strict-origin-when-cross-origin$/,
    'content-security-policy': /default-src '(none|self)'/,
    'x-request-id': /^[0-9a-f-]{36}$/,
  }
  const wrong = Object.entries(expected).filter(([name, pattern]) => !pattern.test(headers.get(name) ?? ''))
  return wrong.length === 0 ? null : `lacks ${wrong.map(([name]) => name).join(', ')}`
}
