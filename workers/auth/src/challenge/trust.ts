/**
 * How far a passed challenge is trusted, between 0 and 1. Pure. A failed one scores 0; a passed one scores less the older
 * it is, and less if Turnstile was unsure and asked the person to interact.
 *
 * @module
 */
import type { ChallengeFacts } from '@svc/service'

const UNSURE = 0.2
/** Deducted at the end of a token's validity of 300 seconds. */
const WORN = 0.3
const LIFETIME_MS = 300_000

export function trustScore({ challengedAt, isInteractive }: ChallengeFacts, now: number): number {
  const age = Math.min(Math.max(now - challengedAt, 0), LIFETIME_MS)
  const score = 1 - (isInteractive ? UNSURE : 0) - WORN * (age / LIFETIME_MS)
  return Math.round(score * 100) / 100
}
