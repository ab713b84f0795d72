import { type Configuration, TESTING_SITE_KEY } from '@svc/console/deployment-files'
import type { Json } from 'miniflare'

/** Where a developer serves a page of their own: Vite's port. */
export const OWN_PAGE_ORIGIN = 'http://localhost:5173'

/**
 * The lists of a Worker with the console's origin and that of a developer's page added. Those of the committed
 * configuration stay, `http://localhost:3000` among them.
 */
export function allowPages(bindings: Readonly<Record<string, Json>>, consoleUrl: string): Record<string, Json> {
  const origins = [consoleUrl, OWN_PAGE_ORIGIN]
  const added: Readonly<Record<string, string[]>> = {
    ALLOWED_ORIGINS: origins,
    RP_ORIGINS: origins,
    RETURN_URLS: [`${consoleUrl}/sign-in`, `${OWN_PAGE_ORIGIN}/welcome`],
  }
  const entries = Object.entries(added).flatMap(([name, more]): [string, Json][] => {
    const own = bindings[name]
    return Array.isArray(own) ? [[name, [...new Set([...own, ...more])]]] : []
  })
  return Object.fromEntries(entries)
}

/** What the console of a local platform is told. */
export function localConsole(services: Readonly<Record<string, string>> & Configuration['services']): Configuration {
  return { services, providers: ['google', 'microsoft'], turnstileSiteKey: TESTING_SITE_KEY }
}
