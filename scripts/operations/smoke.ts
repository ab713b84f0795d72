/**
 * What holds of a service that has just been deployed, from outside and without writing anything. No credential is
 * needed, and the only ones that are sent are good for nothing. Which routes are protected and which are retired is
 * read from the committed OpenAPI documents and not from the service, which might have forgotten both.
 *
 * @module
 */
import { isProtected, type Operation, type Retired, readApi } from '../fuzzing/operations.ts'
import { isWorkerName, type WorkerName } from '../lib/workspace.ts'

export interface Check {
  readonly name: string
  /** What is wrong, or null. */
  readonly fault: string | null
}

export interface Checked {
  /** As the service names itself, or its URL where it does not. */
  readonly service: string
  readonly checks: readonly Check[]
}

export interface SmokeOptions {
  /** What `commit` or `buildSha` must be. */
  readonly sha?: string | undefined
  /** One that the service allows. Without it, hosts that want one of every write refuse for that reason. */
  readonly origin?: string | undefined
  readonly fetch?: typeof fetch
}

/** On no allowlist: the domain cannot be registered. */
const STRANGER = 'https://stranger.invalid'
const TIMEOUT_MS = 15_000

const API = readApi()

export async function smoke(url: string, options: SmokeOptions = {}): Promise<Checked> {
  const base = url.replace(/\/+$/, '')
  const send = (path: string, init: RequestInit = {}) =>
    (options.fetch ?? fetch)(base + path, { redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS), ...init })
  const checks: Check[] = []
  const check = async (name: string, find: () => Promise<string | null>) => {
    const fault = await find().catch((error: unknown) => (error instanceof Error ? error.message : String(error)))
    checks.push({ name, fault })
  }

  let service: WorkerName | null = null
  await check('health', async () => {
    const response = await send('/health')
    const body = (await response.json()) as Record<string, unknown>
    const facts = { ...body, ...(body['data'] as object | undefined) } as Record<string, unknown>
    const named = facts['service']
    if (typeof named === 'string' && isWorkerName(named)) service = named
    if (response.status !== 200) return `answers ${response.status}`
    if (service === null) return 'does not say which service it is'
    const build = facts['commit'] ?? facts['buildSha']
    return options.sha === undefined || build === options.sha
      ? null
      : `is build ${String(build)} and not ${options.sha}`
  })
  if (service === null) return { service: base, checks }
  const known: WorkerName = service
  const locked = API.operations.filter((operation) => operation.service === known && isProtected(operation))
  const retired = API.retiredOf(known)

  await check('security headers', async () => faultOfHeaders((await send('/health')).headers))
  let described: object = {}
  await check('OpenAPI', async () => {
    const response = await send('/openapi.json')
    if (response.status !== 200) return `answers ${response.status}`
    const { openapi, paths } = (await response.json()) as { openapi?: unknown; paths?: object }
    described = paths ?? {}
    return openapi === '3.1.0' ? null : `is of version ${String(openapi)}`
  })
  if ('/api/capabilities' in described)
    await check('capabilities', async () => expectStatus(await send('/api/capabilities'), 200))
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

/** One after the other: a service that has just been deployed is not to be counted as under attack. */
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

/** Stands for every parameter: a credential is asked for before anything of a path is looked at. */
function pathOf(template: string): string {
  return template.replaceAll(/\{\w+\}/g, 'x')
}

async function faultOfRetired(response: Response, { status, error }: Retired): Promise<string | null> {
  const name = await errorNameOf(response)
  return response.status === status && name === error ? null : `answers ${response.status} ${name} and not ${error}`
}

/** The refusal of the credential; or of the Origin, which comes first, where none could be sent. */
async function faultOfRefusal(response: Response, operation: Operation, hasOrigin: boolean): Promise<string | null> {
  if (response.status === 401) return null
  const name = await errorNameOf(response)
  const isWrite = operation.method !== 'GET' && operation.method !== 'HEAD'
  if (response.status === 403 && name === 'cors_denied' && isWrite && !hasOrigin) return null
  return `answers ${response.status} ${name} and not 401`
}

async function errorNameOf(response: Response): Promise<string> {
  const body = (await response.json().catch(() => ({}))) as { error?: unknown; details?: { error?: unknown } }
  const name = body.details?.error ?? body.error
  return typeof name === 'string' ? name : 'without a name'
}

function expectStatus({ status }: Response, expected: number): string | null {
  return status === expected ? null : `answers ${status} and not ${expected}`
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
