/**
 * The assertion of a request: verified before its body is read, and spent once it may be.
 *
 * @module
 */
import { type Caller, GENERAL_NONCE, type VerifiedAssertion, verifyAssertion } from '@svc/assertion'
import { hashHexAsync } from '@svc/protocol/base/hash'
import type { Context } from 'hono'
import type { ServiceDescription, ServiceEnv } from '../app/description.ts'
import { mayTakeAssertion, type Operation } from '../app/operation.ts'
import type { ReadBody } from '../request/body.ts'
import { type Gate, refusalError, spendError } from './gate.ts'

type Ctx = Context<ServiceEnv>

/** A verified assertion, and whose it is if that had to be known before the body was read. */
export interface Authenticated {
  readonly assertion: VerifiedAssertion
  readonly identified: Caller | undefined
}

export async function authenticate(
  c: Ctx,
  { refusals }: ServiceDescription,
  operation: Operation,
  body: ReadBody,
): Promise<Authenticated | null> {
  if (!mayTakeAssertion(operation)) return null
  const { gate, config } = c.var.runtime
  if (!gate || !refusals) throw new Error('a service with assertion routes needs a gate')
  const isOptional = operation.auth === 'optional-assertion'
  const url = new URL(c.req.url)
  let known: Awaited<ReturnType<Gate['spend']>> | undefined
  const verdict = await verifyAssertion(
    {
      authorization: c.req.header('authorization'),
      method: c.req.method,
      target: url.pathname + url.search,
      origin: c.req.header('origin'),
      bodyHash: async (signed) => {
        if (operation.streamBody && hasBody(c)) return c.req.query(operation.streamBody.hashParameter) ?? null
        if (operation.body || operation.rawBody) known = await gate.identify?.(signed, isMutation(operation))
        // Refused below, without a byte of the body read.
        if (known && !known.ok) return null
        const bytes = await body()
        // A body above the limit is 413 once the assertion is spent; a route without a body has no limit.
        return bytes.ok ? hashHexAsync(bytes.value) : operation.body || operation.rawBody ? null : ''
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
  if (!verdict.ok) {
    if (isOptional) return null
    throw refusalError(verdict.error, refusals, c.var.path, c.var.now)
  }
  if (known && !known.ok) {
    if (isOptional) return null
    throw spendError(known.error, refusals, c.var.now)
  }
  return { assertion: verdict.value, identified: known?.value }
}

/** A search, which an assertion only moves to another tier, changes nothing, whatever its method. */
export function isMutation({ method, auth }: Operation): boolean {
  return method !== 'get' && auth !== 'optional-assertion'
}

export async function spend(
  c: Ctx,
  { refusals }: ServiceDescription,
  operation: Operation,
  { assertion, identified }: Authenticated,
): Promise<Caller | null> {
  const { gate } = c.var.runtime
  if (!gate || !refusals) throw new Error('a service with assertion routes needs a gate')
  const spent = await gate.spend(assertion, isMutation(operation), identified)
  if (spent.ok) return spent.value
  if (operation.auth === 'optional-assertion') return null
  throw spendError(spent.error, refusals, c.var.now)
}

function hasBody(c: Ctx): boolean {
  return c.req.raw.body !== null && c.req.header('content-length') !== '0'
}
