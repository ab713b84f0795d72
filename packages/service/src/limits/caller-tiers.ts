import type { Caller } from '@svc/assertion'
import { reaching } from '@svc/protocol/base/dependency-fault'
import { addressKey } from '@svc/rate-limit'
import type { Context } from 'hono'
import { ApiError } from '../answer/api-error.ts'
import type { ServiceEnv } from '../app/description.ts'
import type { CallerTiers } from './declared-limits.ts'

const WINDOW_SECONDS = 60

/** Sets headers on the answer with the limit that the request counts against. */
export function announceTier(c: Context<ServiceEnv>, tiers: CallerTiers, caller: Pick<Caller, 'did'> | null): void {
  const tier = caller ? 'authenticated' : 'anonymous'
  c.set('answerHeaders', { 'x-ratelimit-limit': String(tiers[tier]), 'x-ratelimit-tier': tier })
}

/** Counts a request exactly for the DID of its caller, or else for its address like the tiers. */
export async function meterTiers(
  c: Context<ServiceEnv>,
  tiers: CallerTiers,
  caller: Pick<Caller, 'did'> | null,
): Promise<void> {
  announceTier(c, tiers, caller)
  const { counter, anonymous, authenticated, protects } = tiers
  const { limiter, windows } = c.var.runtime
  const refused = (tier: string, retryAfterSeconds: number) =>
    new ApiError('rate_limited', { retryAfterSeconds, tier, reason: `tier: ${counter}: ${tier}` })
  if (!caller) {
    const address = addressKey(c.req.header('cf-connecting-ip') ?? 'unknown')
    const quota = { tier: 'anonymous', limit: anonymous, counter: `caller:${counter}` }
    const verdict = await limiter.take([quota], address, c.var.now)
    if (!verdict.allowed) throw refused('anonymous', verdict.retryAfterSeconds)
    return
  }
  if (!windows) throw new Error('an operation with tiers of callers needs a counter')
  const window = { counter, limit: authenticated, seconds: WINDOW_SECONDS, protects }
  const retryAfterSeconds = await reaching('windows', () => windows.take(window, caller.did))
  if (retryAfterSeconds > 0) throw refused('authenticated', WINDOW_SECONDS)
}
