/**
 * Every kind of bytes that a key of the platform signs, with the rule by which a verifier reads such bytes, for the test
 * that no signature serves for another kind.
 *
 * @module
 */
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { devicePayloadSchema, payloadSchema } from '@svc/assertion/payload'
import type { Schema } from '@svc/platform/documented-api'
import { ROOT } from '@svc/platform/workspace'
import { jcsBytes } from '@svc/protocol/base/jcs'
import { chainBlockV2Schema, chainBlockV3Schema, chainBlockV4Schema } from '@svc/protocol/chain/chain'
import { consentMessageSchema, consentSignedBytes } from '@svc/protocol/consent/consent'
import { dayOf } from '@svc/protocol/ledger/withheld'
import * as fc from 'fast-check'
import * as z from 'zod'
import { goodValue } from './values.ts'

export interface SignedKind {
  readonly name: string
  /** Valid instances of what is signed. */
  readonly instances: readonly object[]
  /** The signed bytes of an instance. */
  readonly bytesOf: (instance: object) => Uint8Array
  /** Whether a verifier of this kind could take these bytes for the signed bytes of one of its own. */
  readonly takes: (bytes: Uint8Array) => boolean
}

/** Of so many random values, some pass the refinements that JSON Schema cannot express. */
const MAX_RUNS = 10_000

/** No date of a statement is before it: the first of January 2000, epoch ms. */
const FIRST_DATE = 946_684_800_000
const YEAR = 366 * 86_400_000
const IN_THE_YEAR = { minimum: FIRST_DATE, maximum: FIRST_DATE + YEAR }

const decoder = new TextDecoder('utf-8', { fatal: true })

/** The statements by type, from every schema that the protocol exports. */
export async function statementSchemas(): Promise<ReadonlyMap<string, z.ZodObject>> {
  const files = globSync('packages/protocol/src/**/*.ts', { cwd: ROOT, exclude: ['**/*.test.ts', '**/*.fixture.ts'] })
  const modules = await Promise.all(files.map((file) => import(join(ROOT, file)) as Promise<Record<string, unknown>>))
  const schemas = modules.flatMap((module) => Object.values(module)).filter((value) => value instanceof z.ZodObject)
  const statements = schemas.flatMap((schema) => {
    const type: unknown = schema.shape['type']
    return type instanceof z.ZodLiteral && 'issuedAt' in schema.shape ? [[String(type.value), schema] as const] : []
  })
  return new Map(statements)
}

export async function signedKinds(perKind: number, seed: number): Promise<SignedKind[]> {
  const json = (name: string, schema: z.ZodType): SignedKind => ({
    name,
    instances: instancesOf(name, schema, perKind, seed),
    bytesOf: (instance) => jcsBytes(instance as Parameters<typeof jcsBytes>[0]),
    takes: (bytes) => schema.safeParse(jsonOf(bytes)).success,
  })
  const statements = [...(await statementSchemas())].map(([type, schema]) => json(type, schema))
  return [
    ...statements,
    json('chain block, profile 2', chainBlockV2Schema.omit({ signature: true })),
    json('chain block, profile 3', chainBlockV3Schema.omit({ signature: true })),
    json('chain block, profile 4', chainBlockV4Schema.omit({ signature: true })),
    json('assertion, version 1', payloadSchema),
    json('assertion, version 2', devicePayloadSchema),
    {
      name: 'consent message',
      instances: instancesOf('consent message', consentMessageSchema, perKind, seed),
      bytesOf: (instance) => consentSignedBytes(consentMessageSchema.parse(instance)),
      takes: (bytes) => consentMessageSchema.safeParse(jsonOf(base64urlOf(bytes))).success,
    },
  ]
}

/** Random values that pass the schema. */
function instancesOf(name: string, schema: z.ZodType, count: number, seed: number): object[] {
  const described = describable(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })) as Described
  const resolve = ({ $ref, ...found }: Schema) =>
    typeof $ref === 'string' ? (described.$defs?.[$ref.split('/').at(-1) ?? ''] ?? found) : found
  const random = goodValue(described, resolve)
  const valid: object[] = []
  for (let numRuns = 50; valid.length < count && numRuns < MAX_RUNS; numRuns *= 4) {
    const passing = fc
      .sample(random, { numRuns, seed })
      .map(dated)
      .filter((value) => schema.safeParse(value).success)
    valid.splice(0, valid.length, ...(passing.slice(0, count) as object[]))
  }
  if (valid.length < count) throw new Error(`no random value passes a schema: ${name}`)
  return valid
}

type Described = Schema & { readonly $defs?: Readonly<Record<string, Schema>> }

/** 32 bytes in base64url. */
const X25519_CHARS = 43

/**
 * The schema, narrowed where JSON Schema cannot express a refinement. Keys, hashes and ciphertexts of a fixed length are
 * zeros. Times are of one year, because the dates of an operator's act are near the time at which it was signed.
 */
function describable(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(describable)
  if (typeof schema !== 'object' || schema === null) return schema
  const { minLength, maxLength, minimum } = schema as {
    readonly [Keyword in 'minLength' | 'maxLength' | 'minimum']?: unknown
  }
  // The base point: a key of zeros has small order.
  if (minLength === X25519_CHARS && maxLength === minLength) return { const: `CQ${'A'.repeat(X25519_CHARS - 2)}` }
  if (typeof minLength === 'number' && minLength === maxLength) return { const: 'A'.repeat(minLength) }
  if (minimum === FIRST_DATE) return { ...schema, maximum: FIRST_DATE + YEAR }
  const narrowed = ([name, inner]: [string, unknown]) => {
    if (name === 'issuedAt') return [name, Object.assign({}, inner, IN_THE_YEAR)]
    // It is at most the number of keys.
    if (name === 'threshold') return [name, { type: 'integer', const: leastOf(inner) }]
    return [name, describable(inner)]
  }
  return Object.fromEntries(Object.entries(schema).map(narrowed))
}

/** The day of an act is that of its `issuedAt`. */
function dated(value: unknown): unknown {
  const { day, issuedAt } = Object(value) as { readonly day?: unknown; readonly issuedAt?: number }
  return day === undefined || issuedAt === undefined ? value : Object.assign({}, value, { day: dayOf(issuedAt) })
}

const leastOf = (schema: unknown) => (schema as { readonly minimum?: number }).minimum ?? 1

function jsonOf(bytes: Uint8Array | null): unknown {
  try {
    return bytes && JSON.parse(decoder.decode(bytes))
  } catch {
    return null
  }
}

function base64urlOf(text: Uint8Array): Uint8Array | null {
  const characters = decoder.decode(text)
  return /^[A-Za-z0-9_-]+$/.test(characters) ? new Uint8Array(Buffer.from(characters, 'base64url')) : null
}
