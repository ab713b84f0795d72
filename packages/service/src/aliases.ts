/**
 * Host names that a service had. An alias answers like the canonical host; one that redirects answers reads with the
 * address of the canonical one (document 1 section 7: a compatibility redirect).
 *
 * @module
 */

/** Clients may keep the answer for an hour, so that a host which is not to redirect after all is back soon. */
export const REDIRECT_CACHE_CONTROL = 'public, max-age=3600'

export interface Aliases {
  readonly PUBLIC_ORIGINS: readonly string[]
  readonly REDIRECT_ORIGINS: readonly string[]
}

/**
 * Where a request belongs, or null when it is answered here. Anything but a read is: a client that follows a 301 may
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
