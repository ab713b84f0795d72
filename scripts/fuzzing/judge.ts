/**
 * Holds an answer to what the OpenAPI document of its service says, with a validator that is not the services' own.
 *
 * @module
 */
import type { ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { WORKER_NAMES, type WorkerName } from '../lib/workspace.ts'
import { type Api, type Operation, operationAt, type Schema } from './operations.ts'

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** What a path that is no operation may answer, whatever its method. */
const UNMATCHED = [403, 404, 405, 410, 429]
/** Named failures above 499 that a healthy local deployment gives, because it was not given what they need. */
const UNCONFIGURED = ['canonical_chain_binding_unavailable', 'pinning_unavailable']
/** Traces of an implementation: nothing of the kind belongs into an answer. */
const LEAKS = [/\n\s+at \S+ \(/, /SQLITE|D1_ERROR|workerd|node_modules|ZodError|TypeError|ReferenceError/]
const REFERENCE = '#/components/schemas/'

const REDIRECT = 301

export interface Hosting {
  /** Whether the host that is asked is an alias which redirects; a local platform has none. */
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
    // Documents carry keywords of OpenAPI (`example`, `discriminator`) that JSON Schema does not know, and a pattern
    // beside each format.
    this.#ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: false })
    for (const service of WORKER_NAMES) {
      const schemas = located(api.schemasOf(service), service)
      this.#ajv.addSchema({ $id: service, components: { schemas } })
    }
  }

  /** What is wrong with an answer; null when it is one of those that the document names. */
  faultOf(service: WorkerName, method: string, pathname: string, answer: Answer): string | null {
    const { status, headers, body } = answer
    const type = (headers['content-type'] ?? '').split(';')[0] ?? ''
    const text = type.includes('json') || type === 'text/html' ? body.toString() : ''
    if (!headers['x-request-id']) return 'no X-Request-ID'
    if (LEAKS.some((leak) => leak.test(text))) return 'the body tells of the implementation'
    if (method === 'OPTIONS') return [204, ...UNMATCHED].includes(status) ? null : `preflight answered ${status}`
    if (method === 'HEAD' && body.length > 0) return 'HEAD has a body'
    const parsed = method === 'HEAD' ? null : jsonOf(type, text)
    if (parsed === undefined) return 'the body is not the JSON that it says it is'
    if (status >= 500 && !UNCONFIGURED.includes(nameOf(parsed))) return `${status} ${nameOf(parsed)}`
    const operation =
      operationAt(this.#api.operations, service, method, pathname) ??
      (method === 'HEAD' ? operationAt(this.#api.operations, service, 'GET', pathname) : undefined)
    if (status === REDIRECT) return this.#faultOfRedirect(method, operation, answer)
    if (!operation) {
      if (!UNMATCHED.includes(status)) return `${status} where there is no operation`
      return method === 'HEAD' || nameOf(parsed) !== '' ? null : 'a refusal without a name'
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
    return validate(parsed) ? null : `${status} is not of its schema: ${this.#ajv.errorsText(validate.errors)}`
  }

  /** What no route serves is redirected as well. */
  #faultOfRedirect(method: string, operation: Operation | undefined, { headers, body }: Answer): string | null {
    if (!this.#redirects) return 'redirected, though no alias redirects'
    if (method !== 'GET' && method !== 'HEAD') return `${method} is redirected`
    if (operation && !operation.documented.responses[String(REDIRECT)]) return '301 is not documented'
    if (!headers['location']) return 'a redirect to nowhere'
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

/** References within a document, as references to the schema of that service. */
function located(schema: unknown, service: string): unknown {
  return JSON.parse(JSON.stringify(schema).replaceAll(`"${REFERENCE}`, `"${service}${REFERENCE}`))
}

/** Undefined where a body that says it is JSON is none; null where it does not say so. */
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
