/**
 * The operations of the eight committed OpenAPI documents.
 *
 * @module
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT, WORKER_NAMES, type WorkerName } from '../workspace.ts'

/** A JSON Schema as the document has it, with its references. */
export type Schema = { readonly [keyword: string]: unknown }

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly schema: Schema
}

export interface Header {
  readonly required?: boolean
  readonly schema: Schema
}

interface DocumentedResponse {
  readonly headers?: Readonly<Record<string, Header | { readonly $ref: string }>>
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>
}

interface DocumentedOperation {
  readonly operationId: string
  readonly security?: readonly Readonly<Record<string, unknown>>[]
  readonly 'x-audience'?: readonly string[]
  readonly 'x-max-body-bytes'?: number
  readonly 'x-rate-limit'?: { readonly routeLimit?: number }
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: Schema }>> }
  readonly responses: Readonly<Record<string, DocumentedResponse & { readonly $ref?: string }>>
}

/** A path that returns 410. With a trailing slash, it includes every path below it. */
export interface Retired {
  readonly path: string
  readonly status: number
  readonly error: string
}

interface ApiFile {
  readonly 'x-retired'?: readonly Retired[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>
  readonly components?: {
    readonly schemas?: Readonly<Record<string, Schema>>
    readonly headers?: Readonly<Record<string, Header>>
    readonly responses?: Readonly<Record<string, DocumentedResponse>>
  }
}

export interface Operation {
  readonly service: WorkerName
  readonly method: string
  readonly template: string
  readonly documented: DocumentedOperation
}

export interface Api {
  readonly operations: readonly Operation[]
  /** Follows a reference within a service's document. */
  readonly resolve: (service: WorkerName, schema: Schema) => Schema
  readonly headerOf: (service: WorkerName, header: Header | { readonly $ref: string }) => Header
  readonly schemasOf: (service: WorkerName) => Readonly<Record<string, Schema>>
  readonly retiredOf: (service: WorkerName) => readonly Retired[]
}

const REFERENCE = '#/components/schemas/'
const HEADER_REFERENCE = '#/components/headers/'

/** The documents of all services, or of some. */
export function readApi(services: readonly WorkerName[] = WORKER_NAMES): Api {
  const files = new Map(
    services.map((name) => [
      name,
      JSON.parse(readFileSync(join(ROOT, 'workers', name, 'openapi.json'), 'utf8')) as ApiFile,
    ]),
  )
  const schemasOf = (service: WorkerName) => files.get(service)?.components?.schemas ?? {}
  return {
    operations: [...files].flatMap(([service, { paths }]) =>
      Object.entries(paths).flatMap(([template, item]) =>
        Object.entries(item).map(([method, documented]) => ({
          service,
          method: method.toUpperCase(),
          template,
          documented,
        })),
      ),
    ),
    schemasOf,
    headerOf(service, header) {
      if (!('$ref' in header)) return header
      const found = files.get(service)?.components?.headers?.[header.$ref.slice(HEADER_REFERENCE.length)]
      if (!found) throw new Error(`${service}: ${header.$ref} does not resolve`)
      return found
    },
    retiredOf: (service) => files.get(service)?.['x-retired'] ?? [],
    resolve(service, schema) {
      const reference = schema['$ref']
      if (typeof reference !== 'string') return schema
      const found = schemasOf(service)[reference.slice(REFERENCE.length)]
      if (!found) throw new Error(`${service}: ${reference} does not resolve`)
      return found
    },
  }
}

/** The operation whose template matches a path. Like a router, it prefers literal segments over parameters. */
export function operationAt(
  operations: readonly Operation[],
  service: WorkerName,
  method: string,
  pathname: string,
): Operation | undefined {
  return operations
    .filter((operation) => operation.service === service && operation.method === method)
    .filter(({ template }) => patternOf(template).test(pathname))
    .toSorted((a, b) => parametersIn(a) - parametersIn(b) || b.template.length - a.template.length)[0]
}

const parametersIn = ({ template }: Operation) => template.split('{').length

/** Whether the operation requires a credential; `{}` among the alternatives means that it does not. */
export function isProtected({ documented: { security = [] } }: Operation): boolean {
  return security.length > 0 && security.every((alternative) => Object.keys(alternative).length > 0)
}

function patternOf(template: string): RegExp {
  const literal = template.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`)
  // To the resolver, an empty identifier or one with a slash is malformed rather than another path.
  const isResolver = template === '/1.0/identifiers/{did}'
  return new RegExp(`^${literal.replaceAll(/\{\w+\}/g, isResolver ? '.*' : '[^/]+')}$`)
}
