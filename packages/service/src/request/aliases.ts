/**
 * Former host names of a service. An alias answers like the canonical host; a redirecting one answers reads with the
 * address on the canonical host.
 *
 * @module
 */

/** Clients may cache the answer for an hour, so that a mistaken redirect ends soon. */
export const REDIRECT_CACHE_CONTROL = 'public, max-age=3600'

export interface Aliases {
  readonly PUBLIC_ORIGINS: readonly string[]
  readonly REDIRECT_ORIGINS: readonly string[]
}

/**
 * Where a request belongs, or null if it is answered here. Only reads are redirected: a client that follows a 301 may
 * repeat a POST as a GET, and its credential names this host.
 */
export function canonicalUrlOf(
  request: { readonly method: string; readonly url: string },
  { PUBLIC_ORIGINS: [first = ''], REDIRECT_ORIGINS }: Aliases,
): string | null {
  if (REDIRECT_ORIGINS.length === 0 || (request.method !== 'GET' && request.method !== 'HEAD')) return null
  const { origin, pathname, search } = new URL(request.url)
  const canonical = new URL(first).origin
  const isRedirecting = REDIRECT_ORIGINS.some((alias) => new URL(alias).origin === origin)
  return isRedirecting && origin !== canonical ? canonical + pathname + search : null
}
