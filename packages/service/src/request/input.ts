/**
 * What a request says, held to the schemas of its operation: path, query, body and headers.
 *
 * @module
 */
import { err, ok } from '@svc/protocol/base/result'
import type { ErrorName } from '@svc/protocol/http/errors'
import type { Context } from 'hono'
import type * as z from 'zod'
import { ApiError } from '../answer/api-error.ts'
import type { ServiceEnv } from '../app/description.ts'
import { type BodyStream, DEFAULT_MAX_BODY_BYTES, type Operation } from '../app/operation.ts'
import { refusalOf } from '../refusals/collections.ts'
import { issuesOf } from '../refusals/issues.ts'
import {
  type BodyExcess,
  isJson,
  isUnencoded,
  isUtf8,
  parseJson,
  type ReadBody,
  readBytes,
  readMeasured,
} from './body.ts'
import { IDEMPOTENCY_HEADERS } from './idempotency.ts'
import { budgetOf } from './json-budget.ts'
import { acceptPath } from './path-parameters.ts'
import { singleValues } from './query.ts'
import { requireRealm } from './realms.ts'

type Ctx = Context<ServiceEnv>

/** Reads the body once, for whichever caller asks first. JSON is measured while it is read. */
export function bodyReader(c: Ctx, operation: Operation): ReadBody {
  const maxBytes = operation.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES
  let reading: ReturnType<ReadBody> | undefined
  return () => {
    reading ??= operation.body
      ? readMeasured(c.req.raw, maxBytes, budgetOf(maxBytes, operation.budget))
      : readBytes(c.req.raw, maxBytes).then((bytes) => (bytes ? ok(bytes) : err('length')))
    return reading
  }
}

/** The public answer to a body that was not read to its end. */
function excessError(excess: BodyExcess, { tooMany, malformed, maxBodyBytes, budget }: Operation): ApiError {
  const { values, structures, depth } = budgetOf(maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES, budget)
  switch (excess) {
    case 'length':
      return new ApiError('payload_too_large')
    case 'depth':
      return new ApiError(malformed ?? 'invalid_request', {
        message: `body: objects and arrays can be at most ${depth} deep`,
      })
    case 'loose':
      return new ApiError(malformed ?? 'invalid_request', { message: 'body: must not be mostly white space' })
    case 'values':
    case 'structures':
      if (tooMany) return new ApiError(tooMany)
      return new ApiError('payload_too_large', {
        message: `body: can hold at most ${values} values and ${structures} objects, arrays and members`,
      })
  }
}

interface Input {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
  readonly bytes: Uint8Array | undefined
  readonly stream: BodyStream | null | undefined
  readonly idempotencyKey: string | null | undefined
}

export async function validate(c: Ctx, operation: Operation, isStated: boolean, body: ReadBody): Promise<Input> {
  const input = {
    params: operation.params ? acceptPath(operation, operation.params, c.req.param(), c.var.path) : undefined,
    query: operation.query
      ? accept('query', operation.query, singleValues(operation.query, c.req.queries()))
      : undefined,
    body: operation.body ? await readBody(c, operation, operation.body, body) : undefined,
    bytes: operation.rawBody ? await readRaw(c, operation.rawBody, body) : undefined,
    stream: operation.streamBody ? streamOf(c, operation.streamBody.types, operation.maxBodyBytes) : undefined,
    idempotencyKey: operation.idempotencyKey ? idempotencyKeyOf(c, operation.idempotencyKey) : undefined,
  }
  if (isStated) requireRealm(input.body, c.var.runtime.config.REALMS)
  return input
}

function idempotencyKeyOf(c: Ctx, need: 'required' | 'optional'): string | null {
  const presented = { 'Idempotency-Key': c.req.header('idempotency-key') }
  return accept('header', IDEMPOTENCY_HEADERS[need], presented)['Idempotency-Key'] ?? null
}

async function readRaw(c: Ctx, accepted: readonly string[], body: ReadBody): Promise<Uint8Array> {
  requireType(c, accepted)
  const bytes = await body()
  if (!bytes.ok) throw new ApiError('payload_too_large')
  return bytes.value
}

/** An unread body. It must declare its length, so that it can be measured while it streams. */
function streamOf(c: Ctx, accepted: readonly string[], maxBytes = DEFAULT_MAX_BODY_BYTES): BodyStream | null {
  const { body } = c.req.raw
  const declared = c.req.header('content-length') ?? (body ? '' : '0')
  if (!/^[0-9]{1,15}$/.test(declared)) {
    throw new ApiError('invalid_request', { message: 'header.content-length: must declare the length of the body' })
  }
  const length = Number(declared)
  if (length > maxBytes) throw new ApiError('payload_too_large')
  if (!body || length === 0) return null
  requireType(c, accepted)
  return { stream: body as ReadableStream<Uint8Array>, length }
}

function requireUnencoded(c: Ctx): void {
  if (isUnencoded(c.req.header('content-encoding'))) return
  throw new ApiError('unsupported_media_type', { message: 'The body must be sent without Content-Encoding' })
}

function requireType(c: Ctx, accepted: readonly string[]): void {
  requireUnencoded(c)
  const [type = ''] = (c.req.header('content-type') ?? '').split(';')
  if (accepted.includes(type.trim().toLowerCase())) return
  throw new ApiError('unsupported_media_type', { message: `The body must be ${accepted.join(' or ')}` })
}

async function readBody(c: Ctx, operation: Operation, schema: z.ZodType, body: ReadBody): Promise<unknown> {
  const { screen, parse } = operation
  if (operation.isBodyOptional && (await isAbsent(c, body))) return undefined
  const json = await readJson(c, body, operation)
  const refusal = screen?.(json)
  if (refusal) throw refusal
  if (!parse) return acceptBody(schema, json, operation.tooMany)
  const parsed = parse(json)
  if (!parsed.ok) throw parsed.error
  return parsed.value
}

/** A content type announces a body, which is then JSON or refused. */
async function isAbsent(c: Ctx, body: ReadBody): Promise<boolean> {
  if (c.req.header('content-type') !== undefined) return false
  const bytes = await body()
  return bytes.ok && bytes.value.length === 0
}

async function readJson(c: Ctx, body: ReadBody, operation: Operation): Promise<unknown> {
  requireUnencoded(c)
  const type = c.req.header('content-type')
  if (!isJson(type)) throw new ApiError('unsupported_media_type')
  if (!isUtf8(type)) throw new ApiError('unsupported_media_type', { message: 'The charset of the body must be utf-8' })
  const bytes = await body()
  if (!bytes.ok) throw excessError(bytes.error, operation)
  return parseJson(bytes.value, operation.malformed)
}

function accept<S extends z.ZodType>(target: string, schema: S, value: unknown): z.output<S> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw new ApiError('invalid_request', { message: issuesOf(target, parsed.error) })
}

function acceptBody<S extends z.ZodType>(schema: S, value: unknown, tooMany: ErrorName | undefined): z.output<S> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw refusalOf('body', parsed.error, tooMany)
}
