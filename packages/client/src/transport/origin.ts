import { ConfigurationError } from './configuration-error.ts'

/**
 * The origin of a service as it is used in addresses: lower case, without a default port or trailing slashes. Throws a
 * `ConfigurationError` if it is not an http or https origin.
 */
export function originOf(option: string, value: unknown): string {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : null
  const isOrigin =
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    /^\/+$/.test(url.pathname) &&
    [url.username, url.password, url.search, url.hash].every((part) => part === '')
  if (isOrigin) return url.origin
  throw new ConfigurationError(
    option,
    `\`${option}\` must be the origin of a service, such as https://${option}.example, without path or query`,
  )
}
