import { mayUse } from '@svc/assertion'
import { err } from '@svc/protocol/base/result'
import { addressKey } from '@svc/rate-limit'
import type { Context } from 'hono'
import type { ServiceDescription, ServiceEnv } from '../app/description.ts'
import type { Operation } from '../app/operation.ts'
import { authenticate, isMutation } from '../auth/authenticate.ts'
import type { ReadBody } from '../request/body.ts'
import { announceTier } from './caller-tiers.ts'

type Ctx = Context<ServiceEnv>

const UNREAD: ReadBody = async () => err('length')

/**
 * Tells a caller that its tier refused which limit of its own it has. Its assertion is verified for that, and its key
 * looked up, but nothing is spent and no body is read. One address gets this as often as it may call anonymously, so
 * that refused requests with good signatures cost less than the accepted ones before them; from then on it is told
 * of the anonymous limit.
 */
export async function announceRefused(c: Ctx, description: ServiceDescription, operation: Operation): Promise<void> {
  const { callerTiers } = operation
  const { gate, limiter } = c.var.runtime
  if (!callerTiers || !gate?.identify || c.req.header('authorization') === undefined) return
  const quota = { tier: 'refused', limit: callerTiers.anonymous, counter: `refused:${callerTiers.counter}` }
  const address = addressKey(c.req.header('cf-connecting-ip') ?? 'unknown')
  if (!(await limiter.take([quota], address, c.var.now)).allowed) return
  const assertion = await authenticate(c, description, operation, UNREAD)
  if (!assertion) return
  const known = await gate.identify(assertion, isMutation(operation))
  if (!known.ok || !mayUse(assertion.requiredCapability, assertion.device)) return
  announceTier(c, callerTiers, known.value)
}
