/**
 * Checks a response against the OpenAPI document of its service, with a validator that the services do not use.
 *
 * @module
 */
import type { ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { WorkerName } from '../workspace.ts'
import { type Api, type Operation, operationAt, type Schema } from './api.ts'

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** The statuses that an undocumented path may return, for every method. */
const UNMATCHED = [403, 404, 405, 410, 429]
const REDIRECT = 301
const REFERENCE = '#/components/schemas/'
/** Of every answer, and not of the API. */
const SECURITY_HEADERS = new Set(['x-content-type-options', 'x-frame-options'])

export interface Hosting {
  /** Whether the host is a redirecting alias; a local platform has none. */
  readonly redirects: boolean
}

export class DocumentedAnswers {
  readonly #api: Api
  readonly #redirects: boolean
  readonly #ajv: Ajv2020
  /** By schema, and by the text of it: most operations answer with the same errors, and compiling is slow. */
  readonly #validators = new WeakMap<Schema, ValidateFunction>()
  readonly #compiled = new Map<string, ValidateFunction>()

  constructor(api: Api, { redirects }: Hosting = { redirects: false }) {
    this.#api = api
    this.#redirects = redirects
    // The documents have OpenAPI keywords (`example`, `discriminator`) that JSON Schema does not define, and each format
    // comes with a pattern.
    this.#ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: false })
  }

  /** What is wrong with a response; null if it is documented. */
  faultOf(service: WorkerName, method: string, pathname: string, answer: Answer): string | null {
    const { status, headers, body } = answer
    if (!headers['x-request-id']) return 'no X-Request-ID'
    if (method === 'OPTIONS') return faultOfOptions(answer)
    if (method === 'HEAD' && body.length > 0) return 'HEAD has a body'
    const parsed = method === 'HEAD' ? null : jsonOf(answer)
    if (parsed === undefined) return 'the body is declared as JSON and is not'
    const operation =
      operationAt(this.#api.operations, service, method, pathname) ??
      (method === 'HEAD' ? operationAt(this.#api.operations, service, 'GET', pathname) : undefined)
    if (status === REDIRECT) return this.#faultOfRedirect(method, operation, answer)
    if (!operation) {
      if (!UNMATCHED.includes(status)) return `${status} on an undocumented path`
      const isNamed = method === 'HEAD' || parsed === null || nameOf(parsed) !== ''
      return isNamed && headers['x-error-name'] ? null : 'an error without a name'
    }
    return this.#faultOfAnswer(operation, method, answer, parsed)
  }

  /** What is wrong with a body by itself; null if it matches its schema. */
  faultOfBody(service: WorkerName, schema: Schema, value: unknown): string | null {
    return this.#faultOfValue(service, schema, value)
  }

  #faultOfAnswer(operation: Operation, method: string, answer: Answer, parsed: unknown): string | null {
    const { service, documented } = operation
    const { status, headers, body } = answer
    const response = documented.responses[String(status)]
    if (!response) return `${status} ${nameOf(parsed)} is not documented`
    const header = this.#faultOfHeaders(operation, status, headers)
    if (header !== null) return header
    if (method === 'HEAD' || operation.method === 'HEAD') return null
    const content = response.content ?? {}
    if (body.length === 0) return Object.keys(content).length === 0 || status === 304 ? null : 'an empty body'
    const type = typeOf(headers)
    const media = content[type]
    if (!media) return `${type} is not documented for ${status}`
    if (!media.schema || !type.includes('json')) return null
    const fault = this.#faultOfValue(service, media.schema, parsed)
    return fault === null ? null : `${status} does not match its schema: ${fault}`
  }

  /** Each required header is there, each header of ours is documented, and each documented one has its form. */
  #faultOfHeaders(operation: Operation, status: number, headers: Answer['headers']): string | null {
    const { service, documented } = operation
    const declared = new Map(
      Object.entries(documented.responses[String(status)]?.headers ?? {}).map(([name, header]) => [
        name.toLowerCase(),
        this.#api.headerOf(service, header),
      ]),
    )
    for (const [name, { required, schema }] of declared) {
      const value = headers[name]
      if (value === undefined && required === true) return `${status} has no ${name}`
      if (value === undefined) continue
      const read = schema['type'] === 'integer' ? Number(value) : value
      const fault = this.#faultOfValue(service, schema, read)
      if (fault !== null) return `${status} ${name}: ${fault}`
    }
    const own = Object.keys(headers).filter((name) => /^(?:x-|retry-after$)/.test(name) && !SECURITY_HEADERS.has(name))
    const stray = own.find((name) => !declared.has(name))
    return stray === undefined ? null : `${status} does not document ${stray}`
  }

  /** Paths without a route are redirected too. */
  #faultOfRedirect(method: string, operation: Operation | undefined, { headers, body }: Answer): string | null {
    if (!this.#redirects) return 'redirected, although no alias redirects'
    if (method !== 'GET' && method !== 'HEAD') return `${method} is redirected`
    if (operation && !operation.documented.responses[String(REDIRECT)]) return '301 is not documented'
    if (!headers['location']) return 'a redirect without a location'
    return body.length > 0 ? 'a redirect has a body' : null
  }

  #faultOfValue(service: WorkerName, schema: Schema, value: unknown): string | null {
    const validate = this.#validators.get(schema) ?? this.#validatorOf(service, schema)
    this.#validators.set(schema, validate)
    return validate(value) ? null : this.#ajv.errorsText(validate.errors)
  }

  #validatorOf(service: WorkerName, schema: Schema): ValidateFunction {
    const text = located(schema, service)
    const validate = this.#compiled.get(text) ?? this.#compile(service, text)
    this.#compiled.set(text, validate)
    return validate
  }

  #compile(service: WorkerName, text: string): ValidateFunction {
    if (!this.#ajv.getSchema(service)) {
      const schemas = located(this.#api.schemasOf(service), service)
      this.#ajv.addSchema({ $id: service, components: { schemas: JSON.parse(schemas) as Schema } })
    }
    return this.#ajv.compile(JSON.parse(text) as Schema)
  }
}

/** 204 is for preflights; anybody else is told the methods. */
function faultOfOptions({ status, headers, body }: Answer): string | null {
  if (status === 200 && headers['allow'] === undefined) return 'OPTIONS has no Allow'
  if ((status === 200 || status === 204) && body.length > 0) return 'OPTIONS has a body'
  return [200, 204, ...UNMATCHED].includes(status) ? null : `OPTIONS answered ${status}`
}

/** Turns references within a document into references to the schemas of that service. */
function located(schema: unknown, service: string): string {
  return JSON.stringify(schema).replaceAll(`"${REFERENCE}`, `"${service}${REFERENCE}`)
}

const typeOf = (headers: Answer['headers']) => (headers['content-type'] ?? '').split(';')[0] ?? ''

/** Undefined if the body is declared as JSON and does not parse; null if it is not declared as JSON. */
export function jsonOf({ headers, body }: Answer): unknown {
  if (!typeOf(headers).includes('json') || body.length === 0) return null
  try {
    return JSON.parse(new TextDecoder().decode(body)) as unknown
  } catch {
    return undefined
  }
}

/** The name of an error, in whichever shape it travels; empty if the body has none. */
export function nameOf(body: unknown): string {
  const { error, code, details } = (body ?? {}) as { error?: unknown; code?: unknown; details?: { error?: unknown } }
  const name = details?.error ?? error ?? code ?? ''
  return typeof name === 'string' ? name : JSON.stringify(name)
}
