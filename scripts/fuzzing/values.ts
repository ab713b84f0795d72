/**
 * Generates values for a JSON Schema: valid ones, and ones with a single fault that get past some of a service's checks.
 *
 * @module
 */

import type { Schema } from '@svc/platform/documented-api'
import * as fc from 'fast-check'

export type Resolve = (schema: Schema) => Schema
type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/** Deep enough for every documented body; ends recursion in schemas that refer to themselves. */
const MAX_DEPTH = 6
/** Strings that are known to break parsers, databases, paths and headers. */
const ODD_STRINGS = [
  '',
  ' ',
  '\u0000',
  '\ud800',
  '\u202e',
  '..',
  '%2e%2e%2f',
  '%00',
  '%ff',
  "' OR 1=1 --",
  '{{7*7}}',
  '__proto__',
  'constructor',
  'null',
  'NaN',
  '-0',
  '1e400',
  'did:svc:',
  `did:svc:${'A'.repeat(32)}`,
  'did:web:example.org',
  'a'.repeat(5_000),
  '𝕊𝓿𝓬',
]
const ODD_NUMBERS = [0, -0, -1, 0.1, 1e308, -1e308, 2 ** 31, 2 ** 53, 2 ** 53 + 2, 2 ** 64]
const oddValue: fc.Arbitrary<Json> = fc.oneof(
  fc.constant<Json>(null),
  fc.boolean(),
  fc.constantFrom<Json>(...ODD_NUMBERS),
  fc.constantFrom<Json>(...ODD_STRINGS),
  fc.constantFrom<Json>([], {}, [[]], { __proto__: null }, [null], { toString: 'x' }),
  fc.string({ unit: 'binary', maxLength: 60 }),
)

export function oddString(): fc.Arbitrary<string> {
  return fc.oneof(fc.constantFrom(...ODD_STRINGS), fc.string({ unit: 'binary', maxLength: 40 }))
}

/** A value that matches the schema, as far as this generator supports its keywords. */
export function goodValue(schema: Schema, resolve: Resolve, depth = 0): fc.Arbitrary<Json> {
  const found = resolve(schema)
  if (depth > MAX_DEPTH) return fc.constant(null)
  const below = (inner: unknown) => goodValue(inner as Schema, resolve, depth + 1)
  if ('const' in found) return fc.constant(found['const'] as Json)
  if (Array.isArray(found['enum'])) return fc.constantFrom(...(found['enum'] as Json[]))
  const choices = found['oneOf'] ?? found['anyOf']
  if (Array.isArray(choices) && choices.length > 0) return fc.oneof(...choices.map(below))
  if (Array.isArray(found['allOf'])) return merged(found['allOf'].map(below))
  const type = Array.isArray(found['type']) ? (found['type'] as string[])[0] : found['type']
  switch (type) {
    case 'object':
      return objectOf(found, below)
    case 'array':
      return arrayOf(found, below)
    case 'string':
      return stringOf(found)
    case 'integer':
      return fc.integer(boundsOf(found))
    case 'number':
      return fc.integer(boundsOf(found))
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    default:
      return oddValue
  }
}

/** The same with one fault somewhere: a member missing, added, of another type, or unusual. */
export function brokenValue(schema: Schema, resolve: Resolve): fc.Arbitrary<Json> {
  return fc.oneof(
    { weight: 1, arbitrary: oddValue },
    {
      weight: 5,
      arbitrary: fc
        .tuple(goodValue(schema, resolve), fc.nat(), fc.constantFrom('drop', 'add', 'replace'), oddValue)
        .map(([value, where, how, odd]) => breakAt(structuredClone(value), where, how, odd)),
    },
  )
}

function breakAt(value: Json, where: number, how: string, odd: Json): Json {
  if (value === null || typeof value !== 'object') return odd
  const keys = Object.keys(value)
  if (how === 'add' && !Array.isArray(value)) return { ...value, [`unknown${where % 7}`]: odd }
  const key = keys[where % Math.max(1, keys.length)]
  if (key === undefined) return odd
  const holder = value as Record<string, Json>
  const inner = holder[key]
  if (typeof inner === 'object' && inner !== null && where % 3 === 0) holder[key] = breakAt(inner, where >> 2, how, odd)
  else if (how === 'drop' && !Array.isArray(value)) delete holder[key]
  else holder[key] = odd
  return value
}

function objectOf(schema: Schema, below: (inner: unknown) => fc.Arbitrary<Json>): fc.Arbitrary<Json> {
  const properties = (schema['properties'] ?? {}) as Record<string, unknown>
  const required = new Set((schema['required'] ?? []) as string[])
  const members = Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, below(inner)]))
  const requiredKeys = Object.keys(members).filter((name) => required.has(name))
  return fc.record(members, { requiredKeys })
}

function arrayOf(schema: Schema, below: (inner: unknown) => fc.Arbitrary<Json>): fc.Arbitrary<Json> {
  const minLength = Number(schema['minItems'] ?? 0)
  const maxLength = Math.max(minLength, Math.min(Number(schema['maxItems'] ?? 3), 3))
  // Arrays of thousands of items are not tested here.
  if (minLength > 300) return fc.constant([])
  return fc.array(below(schema['items'] ?? {}), { minLength, maxLength: Math.max(minLength, maxLength) })
}

function stringOf(schema: Schema): fc.Arbitrary<string> {
  const { pattern, format } = schema
  if (typeof pattern === 'string') return matching(pattern)
  if (format === 'uri') return fc.webUrl()
  if (format === 'email') return fc.emailAddress()
  if (format === 'uuid') return fc.uuid()
  if (format === 'date-time') return fc.constant('2026-11-21T12:00:00.000Z')
  const minLength = Number(schema['minLength'] ?? 0)
  return fc.string({ minLength, maxLength: Math.max(minLength, Math.min(Number(schema['maxLength'] ?? 60), 80)) })
}

function matching(pattern: string): fc.Arbitrary<string> {
  try {
    return fc.stringMatching(new RegExp(pattern))
  } catch {
    // An unsupported construct. The string is then invalid, which also makes a useful request.
    return fc.string()
  }
}

function boundsOf(schema: Schema): { min: number; max: number } {
  const min = Math.max(Number(schema['minimum'] ?? -5), -(2 ** 31))
  return { min: Math.ceil(min), max: Math.max(min, Math.min(Number(schema['maximum'] ?? 2 ** 31 - 1), 2 ** 31 - 1)) }
}

function merged(parts: readonly fc.Arbitrary<Json>[]): fc.Arbitrary<Json> {
  return fc.tuple(...parts).map((values) => Object.assign({}, ...values) as Json)
}
