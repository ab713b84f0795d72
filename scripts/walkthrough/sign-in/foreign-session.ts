import { LOCAL_ORIGIN, type World } from '../world.ts'

interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly security?: readonly object[] }>>>>
}
interface Route {
  readonly service: string
  readonly method: string
  readonly path: string
}

/** Lists the routes that require an assertion, from the OpenAPI document of each service. */
async function assertionRoutes(urls: World['urls']): Promise<Route[]> {
  const found = await Promise.all(
    Object.entries(urls).map(async ([service, url]) => {
      const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as Described
      return Object.entries(paths).flatMap(([path, methods]) =>
        Object.entries(methods)
          .filter(([, { security = [] }]) => isAsserted(security))
          .map(([method]) => ({ service, method: method.toUpperCase(), path })),
      )
    }),
  )
  return found.flat()
}

function isAsserted(security: readonly object[]): boolean {
  const isOptional = security.some((one) => Object.keys(one).length === 0)
  return !isOptional && security.some((one) => 'ServiceAssertion' in one)
}

/** Sends a valid sign-in session to every route that requires an assertion, and returns the routes that did not refuse it. */
export async function presentSession(urls: World['urls'], token: string): Promise<string> {
  const routes = await assertionRoutes(urls)
  const taken: string[] = []
  for (const [at, { service, method, path }] of routes.entries()) {
    for (const authorization of [
      `Bearer ${token}`,
      `ServiceAssertion ${token}`,
      `ServiceAssertion ${token}.${token}`,
    ]) {
      const { status } = await fetch(`${urls[service]}${path.replaceAll(/\{\w+\}/g, 'x')}`, {
        method,
        headers: {
          authorization,
          'x-sign-in-session': token,
          cookie: `session=${token}`,
          origin: LOCAL_ORIGIN,
          'content-type': 'application/json',
          // A fresh address, so that no rate limit interferes.
          'cf-connecting-ip': `2001:db8:f:${at.toString(16)}::1`,
        },
        ...(method === 'GET' || method === 'HEAD' ? {} : { body: '{}' }),
      })
      if (status !== 401) taken.push(`${method} ${service} ${path}: ${status}`)
    }
  }
  const services = new Set(routes.map(({ service }) => service))
  if (services.size < 3) return `only routes of ${[...services].join(', ')}`
  return taken.length === 0 ? 'each 401' : taken.join('; ')
}
