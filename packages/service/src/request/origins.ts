/**
 * CORS. Each service declares a rule for a method and path; this file implements the rules. The page Origins lists them.
 *
 * @module
 */
export type OriginRule =
  /** A foreign Origin is rejected; a request without one passes. */
  | 'checked'
  /** A foreign Origin is rejected, and so is a request without one. */
  | 'required'
  /** Anyone may read. */
  | 'open'
  /** Nobody is rejected, but only an allowlisted Origin gets the headers that let its script read. */
  | 'unrefused'
  /** CORS does not apply. */
  | 'none'

export type OriginPolicy = (method: string, path: string) => OriginRule

/** Writes need an allowlisted Origin even from programs; reads only reject a foreign one. */
export const WRITES_REQUIRE_ORIGIN: OriginPolicy = (method) =>
  method === 'GET' || method === 'HEAD' ? 'checked' : 'required'

const ALLOWED_METHODS = 'GET, HEAD, POST, PUT, DELETE, OPTIONS'
const ALLOWED_HEADERS =
  'Authorization, Content-Type, X-Svc-Signature, Idempotency-Key, X-Pairing-Token, X-Offer-Token, X-Watch-Token, ' +
  'X-Sign-In-Session'
const EXPOSED_HEADERS =
  'Retry-After, X-Error-Name, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Tier, X-Request-ID, X-Svc-Consent'
const PREFLIGHT_SECONDS = '600'

/** Whether this request must be rejected for its Origin. An Origin of `null` is never on a list. */
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

/** The additional headers of a preflight for an accepted Origin. */
export function preflightHeaders(rule: OriginRule, method: string): Record<string, string> {
  if (rule === 'none') return {}
  return {
    // Where anyone may read, grant only the requested method: a browser would cache a wider grant for writes.
    'access-control-allow-methods': rule === 'open' ? method : ALLOWED_METHODS,
    'access-control-allow-headers': ALLOWED_HEADERS,
    'access-control-max-age': PREFLIGHT_SECONDS,
  }
}
