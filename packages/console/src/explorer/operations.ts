/**
 * The operations of a service, as its own OpenAPI document describes them. Pure.
 *
 * @module
 */
import { isRecord, list, type Raw, record, resolved, text } from './document.ts'
import { type Listed, listedOf } from './listed.ts'
import { type Scheme, schemesOf } from './schemes.ts'

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly isRequired: boolean
  readonly description: string
  readonly example: string
}

export interface Operation extends Listed {
  readonly description: string
  /** The first audience that it takes; null without an assertion. */
  readonly audience: string | null
  readonly isOptional: boolean
  /** What a device needs, `any` if every device may; null if none may, or no credential is needed. */
  readonly capability: string | null
  /** Credentials other than an assertion. */
  readonly schemes: readonly Scheme[]
  readonly parameters: readonly Parameter[]
  /** Of the body; null without one. */
  readonly contentType: string | null
  readonly bodyExample: unknown
}

export function operationsOf(document: unknown): readonly Operation[] {
  return listedOf(document).map(([listed, raw]) => operationOf(document, listed, raw))
}

function operationOf(document: unknown, listed: Listed, raw: Raw): Operation {
  const audiences = list(raw['x-audience'])
  const security = list(raw['security'])
  const capability = raw['x-device-capability']
  const [contentType = null, media] = Object.entries(record(record(raw['requestBody'])['content']))[0] ?? []
  return {
    ...listed,
    description: text(raw['description']),
    audience: typeof audiences[0] === 'string' ? audiences[0] : null,
    isOptional: security.some((one) => isRecord(one) && Object.keys(one).length === 0),
    capability: typeof capability === 'string' && capability !== 'root' ? capability : null,
    schemes: schemesOf(document, security),
    parameters: list(raw['parameters'])
      .filter(isRecord)
      .map((one) => parameterOf(document, one)),
    contentType,
    bodyExample: contentType === null ? null : exampleOf(document, record(media), 0),
  }
}

function parameterOf(document: unknown, raw: Raw): Parameter {
  const schema = resolved(document, raw['schema'])
  const example = raw['example'] ?? schema['example']
  const given = list(schema['enum'])[0] ?? schema['default']
  return {
    name: text(raw['name']),
    in: raw['in'] === 'path' || raw['in'] === 'header' ? raw['in'] : 'query',
    isRequired: raw['required'] === true,
    description: text(raw['description']) || text(schema['description']),
    example: example === undefined && given === undefined ? '' : String(example ?? given),
  }
}

const MAX_DEPTH = 8

/** The recorded example, or one that is put together from those of the members. */
function exampleOf(document: unknown, raw: Raw, depth: number): unknown {
  if (raw['example'] !== undefined) return raw['example']
  const schema = raw['schema'] === undefined ? resolved(document, raw) : resolved(document, raw['schema'])
  if (schema['example'] !== undefined) return schema['example']
  if (schema['const'] !== undefined) return schema['const']
  const choice = list(schema['enum'])[0] ?? schema['default']
  if (choice !== undefined) return choice
  const [first] = [...list(schema['anyOf']), ...list(schema['oneOf'])]
  if (depth > MAX_DEPTH) return null
  if (isRecord(first)) return exampleOf(document, first, depth + 1)
  switch (schema['type']) {
    case 'object': {
      const required = list(schema['required'])
      const members = Object.entries(record(schema['properties'])).filter(([name]) => required.includes(name))
      return Object.fromEntries(members.map(([name, one]) => [name, exampleOf(document, record(one), depth + 1)]))
    }
    case 'array':
      return isRecord(schema['items']) ? [exampleOf(document, schema['items'], depth + 1)] : []
    case 'integer':
    case 'number':
      return typeof schema['minimum'] === 'number' ? schema['minimum'] : 0
    case 'boolean':
      return false
    default:
      return ''
  }
}
