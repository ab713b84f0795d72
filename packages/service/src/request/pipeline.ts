/**
 * One request, in order: limits, what the deployment has switched off, credential, audience, times, signature, (body),
 * spending, authorization, validation, exact limits of the address, the work, the envelope. Request id, security headers
 * and origins come before it, in `app/service.ts`.
 *
 * A body is read before the assertion is spent, because work and spending may be one call to one object. Its errors are
 * answered after that, so that an unauthenticated caller learns nothing from them.
 *
 * @module
 */

import type { Caller } from '@svc/assertion'
import { err, ok } from '@svc/protocol/base/result'
import { TICKET_HEADER, ticketIn } from '@svc/protocol/events/socket'
import type { ErrorName } from '@svc/protocol/http/errors'
import { addressKey, classify, type Metered, type Service } from '@svc/rate-limit'
import type { Context } from 'hono'
import type * as z from 'zod'
import { ApiError } from '../answer/api-error.ts'
import { JsonText } from '../answer/json-text.ts'
import type { Runtime, ServiceDescription, ServiceEnv } from '../app/description.ts'
import { type BodyStream, type Operation, type Route, type RouteLimit, SIGNATURE_HEADER } from '../app/operation.ts'
import { authenticate, spend } from '../auth/authenticate.ts'
import { UnspentAssertion } from '../auth/gate.ts'
import { announceTier, meterTiers } from '../limits/caller-tiers.ts'
import { announceRefused } from '../limits/refused-callers.ts'
import { AddressWindow, meterCaller } from '../limits/window.ts'
import { refusalOf } from '../refusals/collections.ts'
import { issuesOf } from '../refusals/issues.ts'
import {
  type BodyExcess,
  DEFAULT_MAX_BODY_BYTES,
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
import { carriesStatements, requireRealm } from './realms.ts'

type Ctx = Context<ServiceEnv>

export function pipelineOf(description: ServiceDescription, { operation, handle, authorize, gate }: Route<never>) {
  const isStated = operation.body !== undefined && carriesStatements(operation.body)
  const window = operation.window ? new AddressWindow(operation.window) : null
  return async (c: Ctx): Promise<Response> => {
    const runtime = c.var.runtime
    if (operation.callerTiers) announceTier(c, operation.callerTiers, null)
    if (operation.auth !== 'internal') {
      await meter(c, description, operation.limit).catch(async (refusal: unknown) => {
        await announceRefused(c, description, operation)
        throw refusal
      })
    }
    window?.requireOpen(c)
    gate?.(runtime.deps as never)
    if (operation.consumes && c.req.method === 'HEAD') {
      throw new ApiError('method_not_allowed', { headers: { allow: 'GET, OPTIONS' } })
    }
    const internalCaller = operation.auth === 'internal' ? requireInternal(c, runtime, operation.callers) : undefined
    const body = bodyReader(c, operation)
    const signature = operation.auth === 'signature' ? requireSignature(c) : undefined
    const token = tokenOf(c, operation)
    const verified = typeof token === 'string' ? null : await authenticate(c, description, operation, body)

    let caller: Caller | null | undefined
    let unspent: UnspentAssertion | undefined
    if (verified && operation.auth === 'assertion-with-work') unspent = new UnspentAssertion(verified)
    else if (verified) caller = await spend(c, description, operation, verified)
    else if (operation.auth === 'optional-assertion' || typeof token === 'string') caller = null
    if (caller) await meterCaller(c, operation, caller)
    if (operation.callerTiers) await meterTiers(c, operation.callerTiers, caller ?? null)

    if (operation.owner !== undefined && caller && c.req.param(operation.owner) !== caller.did) {
      throw new ApiError('owner_mismatch')
    }
    if (authorize) {
      const known = { path: c.req.param(), caller, deps: runtime.deps, now: c.var.now }
      await (authorize as (request: unknown) => Promise<void>)(known)
    }
    const input = await settle(validate(c, operation, isStated, body))
    if (!input.ok) {
      window?.countMalformed(c)
      if (unspent) await spend(c, description, operation, unspent.take())
      throw input.error
    }
    await window?.count(c)
    const result = await (handle as (request: unknown) => unknown)({
      ...input.value,
      caller,
      token,
      signature,
      assertion: unspent,
      internalCaller,
      deps: runtime.deps,
      isHead: c.req.method === 'HEAD',
      now: c.var.now,
      requestId: c.var.requestId,
      country: countryOf(c),
      headers: c.req.raw.headers,
      background: (work: Promise<unknown>) => c.executionCtx.waitUntil(work),
      logReason: (reason: string) => c.set('reason', reason),
    })
    if (unspent && !unspent.taken) throw new Error('a handler answered without spending its assertion')
    return respond(c, description, operation, result)
  }
}

/** Cloudflare sends `XX` for an unknown country and `T1` for Tor. */
function countryOf(c: Ctx): string | null {
  const { cf } = c.req.raw as { cf?: { country?: unknown } }
  const said = cf?.country ?? c.req.header('cf-ipcountry')
  return typeof said === 'string' && /^[A-Z]{2}$/.test(said) && said !== 'XX' ? said : null
}

/** Counts the request against its tier and its route's own limit, even for unmatched paths. */
export async function meter(c: Ctx, description: ServiceDescription, limit: RouteLimit | undefined): Promise<void> {
  const tier = classify(description.service, c.req.method, c.var.path)
  const quotas: Metered[] = []
  if (tier) quotas.push({ ...tier, counter: `tier:${tier.tier}` })
  if (limit) quotas.push({ tier: 'route', limit: limit.limit, counter: `route:${limit.counter}` })
  if (quotas.length === 0) return
  const address = addressKey(c.req.header('cf-connecting-ip') ?? 'unknown')
  const verdict = await c.var.runtime.limiter.take(quotas, address, c.var.now)
  if (verdict.allowed) return
  const { exceeded, retryAfterSeconds } = verdict
  const tierName = exceeded.tier === 'route' ? undefined : exceeded.tier
  throw new ApiError('rate_limited', { retryAfterSeconds, tier: tierName, reason: `limit: ${exceeded.counter}` })
}

/** The secret proves that a sibling calls; the binding's props say which one, and each operation names its callers. */
function requireInternal(c: Ctx, runtime: Runtime<unknown>, callers: readonly Service[]) {
  const caller = runtime.internal?.authenticate(c.req.raw.headers, c.executionCtx, callers)
  if (!caller) throw new ApiError('forbidden', { reason: 'internal' })
  return caller
}

function requireSignature(c: Ctx): string {
  const presented = c.req.header(SIGNATURE_HEADER)
  if (!presented) throw new ApiError('signature_required')
  return presented
}

const TOKEN_FORM = /^[A-Za-z0-9_-]{22,128}$/

/** The token of a route that takes one; null if an assertion is presented instead. */
function tokenOf(c: Ctx, { auth, tokenHeader }: Operation): string | null | undefined {
  if (auth !== 'token' && auth !== 'assertion-or-token') return undefined
  if (auth === 'assertion-or-token' && c.req.header('authorization') !== undefined) return null
  const sent = tokenHeader && c.req.header(tokenHeader)
  if (sent === undefined) throw new ApiError('token_required')
  const presented = tokenHeader === TICKET_HEADER ? ticketIn(sent) : sent
  if (presented === null || !TOKEN_FORM.test(presented)) throw new ApiError('token_rejected', { reason: 'token: form' })
  return presented
}

/** Reads the body once, for whichever caller asks first. JSON is measured while it is read. */
function bodyReader(c: Ctx, operation: Operation): ReadBody {
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

async function validate(c: Ctx, operation: Operation, isStated: boolean, body: ReadBody): Promise<Input> {
  const input = {
    params: operation.params ? acceptPath(operation, operation.params, c.req.param()) : undefined,
    query: operation.query ? accept('query', operation.query, c.req.query()) : undefined,
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
  const json = await readJson(c, body, operation)
  const refusal = screen?.(json)
  if (refusal) throw refusal
  if (!parse) return acceptBody(schema, json, operation.tooMany)
  const parsed = parse(json)
  if (!parsed.ok) throw parsed.error
  return parsed.value
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

/** Holds an expected failure back until the assertion is spent; anything else is rethrown unchanged. */
async function settle<T>(promise: Promise<T>): Promise<{ ok: true; value: T } | { ok: false; error: ApiError }> {
  try {
    return { ok: true, value: await promise }
  } catch (error) {
    if (error instanceof ApiError) return { ok: false, error }
    throw error
  }
}

function respond(c: Ctx, description: ServiceDescription, operation: Operation, result: unknown): Response {
  const { answer } = operation
  const declared = operation.cacheControl
  const cacheControl = (typeof declared === 'function' ? declared(result, c.req.query()) : declared) ?? 'no-store'
  if (result instanceof Response) {
    if (!result.headers.has('cache-control')) result.headers.set('cache-control', cacheControl)
    return result
  }
  const facts = { now: c.var.now, requestId: c.var.requestId, path: c.var.path }
  const bare = answer.schema !== undefined && answer.bare === true
  const enveloped = (data: unknown) => (bare ? data : description.shape.success(data, facts))
  const headers = { 'cache-control': cacheControl }
  if (!(result instanceof JsonText)) return Response.json(enveloped(result), { status: answer.status, headers })
  const text = JSON.stringify(enveloped(PLACE)).replace(`"${PLACE}"`, () => result.text)
  return new Response(text, { status: answer.status, headers: { ...headers, 'content-type': 'application/json' } })
}

/** Stands for the text of the data until that is put in. */
const PLACE = 'the data'
