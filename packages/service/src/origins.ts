/**
 * CORS (document 1 section 7; document 2 sections 4.1, 4.2, 4.6 and 5.6). Each service gives a rule for a method
 * and path; this file says what a rule does.
 *
 * @module
 */
export type OriginRule =
  /** A foreign Origin is refused; none passes. */
  | 'checked'
  /** A foreign Origin is refused, and so is none. */
  | 'required'
  /** Everybody may read. */
  | 'open'
  /** Nobody is refused, but only an allowlisted Origin gets the headers that let its script read. */
  | 'unrefused'
  /** CORS does not apply. */
  | 'none'

export type OriginPolicy = (method: string, path: string) => OriginRule

const ALLOWED_METHODS = 'GET, HEAD, POST, PUT, DELETE, OPTIONS'
const ALLOWED_HEADERS =
  'Authorization, Content-Type, X-Svc-Signature, Idempotency-Key, X-Pairing-Token, X-Offer-Token, X-Sign-In-Session'
const EXPOSED_HEADERS =
  'Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Tier, X-Request-ID, X-Svc-Consent'
const PREFLIGHT_SECONDS = '600'

/** Whether this request must be refused for its Origin. An Origin of `null` is on no list. */
export function refusesOrigin(rule: OriginRule, origin: string | undefined, allowed: readonly string[]): boolean {
  if (rule !== 'checked' && rule !== 'required') return false
  return origin === undefined ? rule === 'required' : !allowed.includes(origin)
}

/** The CORS headers of an answer. */
export function corsHeaders(
  rule: OriginRule,
  origin: string | undefined,
  allowed: readonly string[],
): Record<string, string> {
  if (rule === 'none') return {}
  if (rule === 'open') return { 'access-control-allow-origin': '*', 'access-control-expose-headers': EXPOSED_HEADERS }
  if (origin === undefined || !allowed.includes(origin)) return { vary: 'Origin' }
  return {
    vary: 'Origin',
    'access-control-allow-origin': origin,
    'access-control-expose-headers': EXPOSED_HEADERS,
  }
}

/** What a preflight adds for an Origin that may proceed. */
export function preflightHeaders(rule: OriginRule, method: string): Record<string, string> {
  if (rule === 'none') return {}
  return {
    // Where everybody may read, only what was asked is granted: a browser would keep a wider grant for writes.
    'access-control-allow-methods': rule === 'open' ? method : ALLOWED_METHODS,
    'access-control-allow-headers': ALLOWED_HEADERS,
    'access-control-max-age': PREFLIGHT_SECONDS,
  }
}
