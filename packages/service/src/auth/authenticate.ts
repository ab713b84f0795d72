/**
 * The assertion of a request: verified before its body is read, and spent once it may be.
 *
 * @module
 */
import {
  type AssertionRefusal,
  type Caller,
  GENERAL_NONCE,
  type VerifiedAssertion,
  verifyAssertion,
} from '@svc/assertion'
import { hashHexAsync } from '@svc/protocol/base/hash'
import type { Context } from 'hono'
import type { ServiceDescription, ServiceEnv } from '../app/description.ts'
import { mayTakeAssertion, type Operation } from '../app/operation.ts'
import type { ReadBody } from '../request/body.ts'
import { type Gate, refusalError, spendError } from './gate.ts'

type Ctx = Context<ServiceEnv>

/** A body up to this size is read before core is asked about the key, which then takes one call instead of two. */
const SMALL_BODY_BYTES = 64 * 1024

export async function authenticate(
  c: Ctx,
  { refusals }: ServiceDescription,
  operation: Operation,
  body: ReadBody,
): Promise<VerifiedAssertion | null> {
  if (!mayTakeAssertion(operation)) return null
  const { gate, config } = c.var.runtime
  if (!gate || !refusals) throw new Error('a service with assertion routes needs a gate')
  const isOptional = operation.auth === 'optional-assertion'
  const takesBody = operation.body !== undefined || operation.rawBody !== undefined
  const url = new URL(c.req.url)
  let known: Awaited<ReturnType<NonNullable<Gate['identify']>>> | undefined
  let unidentified: VerifiedAssertion | undefined
  const verdict = await verifyAssertion(
    {
      authorization: c.req.header('authorization'),
      method: c.req.method,
      target: url.pathname + url.search,
      origin: c.req.header('origin'),
      bodyHash: async (signed) => {
        if (operation.streamBody && hasBody(c)) return c.req.query(operation.streamBody.hashParameter) ?? null
        if (takesBody && isSmall(c)) unidentified = signed
        else if (takesBody) known = await gate.identify?.(signed, isMutation(operation))
        // Refused below, without a byte of the body read.
        if (known && !known.ok) return null
        const bytes = await body()
        // A body above the limit is 413 once the assertion is spent; a route without a body has no limit.
        return bytes.ok ? hashHexAsync(bytes.value) : takesBody ? null : ''
      },
    },
    {
      expectedAudiences: operation.audiences,
      skewMs: gate.skewMs,
      noncePattern: refusals.nonceForm?.(c.var.path)?.pattern ?? GENERAL_NONCE,
      expectedOrigins: config.PUBLIC_ORIGINS,
      acceptsDevices: gate.acceptsDevices,
      requiredCapability: operation.capability,
    },
    c.var.now,
  )
  // A key that may not act is told that, whatever the body.
  if (!verdict.ok && isUnbound(verdict.error) && unidentified) {
    known = await gate.identify?.(unidentified, isMutation(operation))
  }
  if (known && !known.ok) {
    if (isOptional) return null
    throw spendError(known.error, refusals, c.var.now)
  }
  if (!verdict.ok) {
    if (isOptional) return null
    throw refusalError(verdict.error, refusals, c.var.path, c.var.now)
  }
  return verdict.value
}

function isUnbound(refusal: AssertionRefusal): boolean {
  return refusal.reason === 'binding' && refusal.member === 'bodyHash'
}

function isSmall(c: Ctx): boolean {
  if (c.req.raw.body === null) return true
  const declared = c.req.header('content-length') ?? ''
  return /^[0-9]{1,6}$/.test(declared) && Number(declared) <= SMALL_BODY_BYTES
}

/** A search, which an assertion only moves to another tier, changes nothing, whatever its method. */
export function isMutation({ method, auth }: Operation): boolean {
  return method !== 'get' && auth !== 'optional-assertion'
}

export async function spend(
  c: Ctx,
  { refusals }: ServiceDescription,
  operation: Operation,
  assertion: VerifiedAssertion,
): Promise<Caller | null> {
  const { gate } = c.var.runtime
  if (!gate || !refusals) throw new Error('a service with assertion routes needs a gate')
  const spent = await gate.spend(assertion)
  if (spent.ok) return spent.value
  if (operation.auth === 'optional-assertion') return null
  throw spendError(spent.error, refusals, c.var.now)
}

function hasBody(c: Ctx): boolean {
  return c.req.raw.body !== null && c.req.header('content-length') !== '0'
}
