/**
 * What holds of a service that has just been deployed, from outside and without writing anything. No credential is
 * needed, and the only ones that are sent are good for nothing.
 *
 * @module
 */
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
  readonly fetch?: typeof fetch
}

/** On no allowlist: the domain cannot be registered. */
const STRANGER = 'https://stranger.invalid'
const TIMEOUT_MS = 15_000

/** A route of each service that takes nobody without a credential, and one that is gone for good. */
const ROUTES: Record<
  WorkerName,
  { readonly protected?: readonly [method: string, path: string, status: number]; readonly retired?: string }
> = {
  core: { protected: ['GET', '/api/chain/head', 401], retired: '/api/account/heal/' },
  provenance: { protected: ['POST', '/api/register', 401] },
  consent: {},
  did: { protected: ['POST', '/1.0/register', 403] },
  keys: {},
  auth: {},
  pay: { protected: ['GET', '/entitlement', 401], retired: '/entitlement/claim' },
  docs: {},
}

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
  const { protected: locked, retired } = ROUTES[known]

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
    const preflight = await send(locked?.[1] ?? '/health', { method: 'OPTIONS', headers })
    const read = await send('/api/capabilities', { headers: { origin: STRANGER } })
    const allowed = [preflight, read].map((response) => response.headers.get('access-control-allow-origin'))
    return allowed.includes(STRANGER) ? `allows ${STRANGER}` : null
  })
  if (retired !== undefined) await check('a retired route', async () => expectStatus(await send(retired), 410))
  if (locked !== undefined)
    await check('a protected route without a credential', async () =>
      expectStatus(await send(locked[1], { method: locked[0] }), locked[2]),
    )
  await check('internal routes', async () => {
    const headers = { 'x-svc-internal': 'x'.repeat(43) }
    return expectStatus(await send('/api/internal/health', { headers }), 404)
  })
  return { service: known, checks }
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
