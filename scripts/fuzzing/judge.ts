/**
 * Checks a response against the OpenAPI document of its service, with a validator that the services do not use.
 *
 * @module
 */

import { type Api, type Operation, operationAt, type Schema } from '@svc/platform/documented-api'
import { WORKER_NAMES, type WorkerName } from '@svc/platform/workspace'
import type { ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** The statuses that an undocumented path may return, for every method. */
const UNMATCHED = [403, 404, 405, 410, 429]
/** Errors above 499 that a healthy local platform returns, because it is not configured for the feature. */
const UNCONFIGURED = ['canonical_chain_binding_unavailable', 'pinning_unavailable']
/** Implementation details that must not appear in a response. */
const LEAKS = [/\n\s+at \S+ \(/, /SQLITE|D1_ERROR|workerd|node_modules|ZodError|TypeError|ReferenceError/]
const REFERENCE = '#/components/schemas/'

const REDIRECT = 301

export interface Hosting {
  /** Whether the host is a redirecting alias; a local platform has none. */
  readonly redirects: boolean
}

export class Judge {
  readonly #api: Api
  readonly #redirects: boolean
  readonly #ajv: Ajv2020
  readonly #validators = new Map<string, ValidateFunction>()

  constructor(api: Api, { redirects }: Hosting = { redirects: false }) {
    this.#api = api
    this.#redirects = redirects
    // The documents have OpenAPI keywords (`example`, `discriminator`) that JSON Schema does not define, and each format
    // comes with a pattern.
    this.#ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: false })
    for (const service of WORKER_NAMES) {
      const schemas = located(api.schemasOf(service), service)
      this.#ajv.addSchema({ $id: service, components: { schemas } })
    }
  }

  /** What is wrong with a response; null if it is documented. */
  faultOf(service: WorkerName, method: string, pathname: string, answer: Answer): string | null {
    const { status, headers, body } = answer
    const type = (headers['content-type'] ?? '').split(';')[0] ?? ''
    const text = type.includes('json') || type === 'text/html' ? body.toString() : ''
    if (!headers['x-request-id']) return 'no X-Request-ID'
    if (LEAKS.some((leak) => leak.test(text))) return 'the body leaks an implementation detail'
    if (method === 'OPTIONS') return [204, ...UNMATCHED].includes(status) ? null : `preflight answered ${status}`
    if (method === 'HEAD' && body.length > 0) return 'HEAD has a body'
    const parsed = method === 'HEAD' ? null : jsonOf(type, text)
    if (parsed === undefined) return 'the body is declared as JSON and is not'
    if (status >= 500 && !UNCONFIGURED.includes(nameOf(parsed))) return `${status} ${nameOf(parsed)}`
    const operation =
      operationAt(this.#api.operations, service, method, pathname) ??
      (method === 'HEAD' ? operationAt(this.#api.operations, service, 'GET', pathname) : undefined)
    if (status === REDIRECT) return this.#faultOfRedirect(method, operation, answer)
    if (!operation) {
      if (!UNMATCHED.includes(status)) return `${status} on an undocumented path`
      return method === 'HEAD' || nameOf(parsed) !== '' ? null : 'an error without a name'
    }
    const documented = operation.documented.responses[String(status)]
    if (!documented) return `${status} ${nameOf(parsed)} is not documented`
    if (method === 'HEAD' || operation.method === 'HEAD') return null
    const content = documented.content ?? {}
    if (body.length === 0) return Object.keys(content).length === 0 || status === 304 ? null : 'an empty body'
    const media = content[type]
    if (!media) return `${type} is not documented for ${status}`
    if (!media.schema || !type.includes('json')) return null
    const validate = this.#validator(service, `${operation.documented.operationId} ${status} ${type}`, media.schema)
    return validate(parsed) ? null : `${status} does not match its schema: ${this.#ajv.errorsText(validate.errors)}`
  }

  /** Paths without a route are redirected too. */
  #faultOfRedirect(method: string, operation: Operation | undefined, { headers, body }: Answer): string | null {
    if (!this.#redirects) return 'redirected, although no alias redirects'
    if (method !== 'GET' && method !== 'HEAD') return `${method} is redirected`
    if (operation && !operation.documented.responses[String(REDIRECT)]) return '301 is not documented'
    if (!headers['location']) return 'a redirect without a location'
    return body.length > 0 ? 'a redirect has a body' : null
  }

  #validator(service: WorkerName, name: string, schema: Schema): ValidateFunction {
    const key = `${service} ${name}`
    const known = this.#validators.get(key)
    if (known) return known
    const made = this.#ajv.compile(located(schema, service) as Schema)
    this.#validators.set(key, made)
    return made
  }
}

/** Turns references within a document into references to the schemas of that service. */
function located(schema: unknown, service: string): unknown {
  return JSON.parse(JSON.stringify(schema).replaceAll(`"${REFERENCE}`, `"${service}${REFERENCE}`))
}

/** Undefined if the body is declared as JSON and does not parse; null if it is not declared as JSON. */
function jsonOf(type: string, text: string): unknown {
  if (!type.includes('json') || text === '') return null
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

function nameOf(body: unknown): string {
  const { error, code, details } = (body ?? {}) as { error?: unknown; code?: unknown; details?: { error?: unknown } }
  const name = details?.error ?? error ?? code ?? ''
  return typeof name === 'string' ? name : JSON.stringify(name)
}
