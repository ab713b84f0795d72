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
import { TICKET_HEADER, ticketIn } from '@svc/protocol/events/socket'
import { addressKey, classify, type Metered, type Service } from '@svc/rate-limit'
import type { Context } from 'hono'
import { ApiError } from '../answer/api-error.ts'
import { JsonText } from '../answer/json-text.ts'
import type { Runtime, ServiceDescription, ServiceEnv } from '../app/description.ts'
import { type Operation, type Route, SIGNATURE_HEADER } from '../app/operation.ts'
import { authenticate, spend } from '../auth/authenticate.ts'
import { UnspentAssertion } from '../auth/gate.ts'
import { announceTier, meterTiers } from '../limits/caller-tiers.ts'
import type { RouteLimit } from '../limits/declared-limits.ts'
import { announceRefused } from '../limits/refused-callers.ts'
import { AddressWindow, meterCaller } from '../limits/window.ts'
import { bodyReader, validate } from './input.ts'
import { carriesStatements } from './realms.ts'

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
      optionalToken: operation.optionalToken && (c.req.header(operation.optionalToken) ?? null),
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
  const headers = { 'cache-control': cacheControl, ...varyOf(operation) }
  if (!(result instanceof JsonText)) return Response.json(enveloped(result), { status: answer.status, headers })
  const text = JSON.stringify(enveloped(PLACE)).replace(`"${PLACE}"`, () => result.text)
  return new Response(text, { status: answer.status, headers: { ...headers, 'content-type': 'application/json' } })
}

/** Keeps a cache from serving the response to one caller to another. */
function varyOf({ auth, optionalToken }: Operation): Record<string, string> {
  if (optionalToken === undefined) return {}
  return { vary: auth === 'optional-assertion' ? `Authorization, ${optionalToken}` : optionalToken }
}

/** Stands for the text of the data until that is put in. */
const PLACE = 'the data'
