/**
 * The operations of the eight committed OpenAPI documents.
 *
 * @module
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT, WORKER_NAMES, type WorkerName } from './workspace.ts'

/** A JSON Schema as the document has it, with its references. */
export type Schema = { readonly [keyword: string]: unknown }

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly schema: Schema
}

interface DocumentedResponse {
  readonly headers?: Readonly<Record<string, unknown>>
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
  readonly responses: Readonly<Record<string, DocumentedResponse>>
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
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> }
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
  readonly schemasOf: (service: WorkerName) => Readonly<Record<string, Schema>>
  readonly retiredOf: (service: WorkerName) => readonly Retired[]
}

const REFERENCE = '#/components/schemas/'

export function readApi(): Api {
  const files = new Map(
    WORKER_NAMES.map((name) => [
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
    .toSorted((a, b) => a.template.split('{').length - b.template.split('{').length)[0]
}

/** Whether the operation requires a credential; `{}` among the alternatives means that it does not. */
export function isProtected({ documented: { security = [] } }: Operation): boolean {
  return security.length > 0 && security.every((alternative) => Object.keys(alternative).length > 0)
}

function patternOf(template: string): RegExp {
  const literal = template.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`)
  // The resolver treats an empty identifier as malformed rather than as another path.
  const isResolver = template === '/1.0/identifiers/{did}'
  return new RegExp(`^${literal.replaceAll(/\{\w+\}/g, isResolver ? '[^/]*' : '[^/]+')}$`)
}
