/**
 * Which quota applies to a path (workers/docs/pages/developer/limits.md). Pure: the table of cases in the test beside
 * this file is the specification.
 *
 * @module
 */
export type Service = 'core' | 'provenance' | 'consent' | 'did' | 'keys' | 'auth' | 'pay' | 'docs'

export interface Quota {
  readonly tier: string
  /** Requests in 60 seconds. */
  readonly limit: number
}

interface NamedTier extends Quota {
  readonly matches: (path: string) => boolean
}

/** Matched against the raw, case-sensitive path. */
const NAMED_TIERS: readonly NamedTier[] = [
  { tier: 'health', limit: 600, matches: (p) => ['/health', '/health/objects', '/api/capabilities'].includes(p) },
  { tier: 'verify', limit: 500, matches: (p) => p.startsWith('/api/verify') },
  { tier: 'verify-batch', limit: 100, matches: (p) => p.startsWith('/api/verify') && p.includes('batch') },
  { tier: 'ai-search', limit: 60, matches: (p) => p.includes('/search') },
  { tier: 'ai-chat', limit: 30, matches: (p) => p.includes('/chat') },
  { tier: 'identity', limit: 30, matches: (p) => p.includes('/identity') },
  { tier: 'batch-sync', limit: 30, matches: (p) => p.includes('/sync/batch') },
  { tier: 'register', limit: 20, matches: (p) => p.includes('/register') || p.includes('/commitment') },
  { tier: 'epoch', limit: 20, matches: (p) => p.includes('/epoch') },
  { tier: 'key-rotate', limit: 10, matches: (p) => p.includes('/key/rotate') },
  { tier: 'key-revoke', limit: 5, matches: (p) => p.includes('/key/revoke') },
]
const READ: Quota = { tier: 'read', limit: 300 }
const DEFAULT: Quota = { tier: 'default', limit: 200 }
const CONSENT_READ: Quota = { tier: 'consent-read', limit: 5000 }
const SIGN_IN: Quota = { tier: 'sign-in', limit: 20 }

/** Every quota that can apply to a request to a service. Paths without a route are metered, too. */
export function quotasOf(service: Service): readonly Quota[] {
  if (service === 'auth') return [SIGN_IN]
  return [...NAMED_TIERS, DEFAULT, service === 'consent' ? CONSENT_READ : READ]
}

/** The quota of a request, or null if it is not metered. If several named tiers match, the strictest applies. */
export function classify(service: Service, method: string, path: string): Quota | null {
  const isRead = method === 'GET' || method === 'HEAD'
  if (service === 'auth') return path === '/health' ? null : SIGN_IN
  if (service === 'keys' && (path === '/health' || path === '/api/capabilities')) return null
  if (service === 'consent' && isRead) return CONSENT_READ
  const named = NAMED_TIERS.filter((tier) => tier.matches(path))
  if (named.length === 0) return isRead ? READ : DEFAULT
  const { tier, limit } = named.reduce((a, b) => (b.limit < a.limit ? b : a))
  return { tier, limit }
}
