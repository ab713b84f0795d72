/**
 * What a device key must be allowed to do before a route takes its assertion. The root key may do everything; a
 * route that is not in the table takes no device.
 *
 * @module
 */
export type Capability =
  | 'account:read'
  | 'chain:append'
  | 'chain:read'
  | 'commitment:create'
  | 'directory:read'
  | 'entitlement:read'
  | 'headers:prepare'
  | 'hold:place'
  | 'hold:read'

/** `null` says that only the root key will do; every protected route is here, and a test holds it to that. */
const ROUTES: { readonly [route: string]: Capability | null } = {
  'core POST /api/chain/append': 'chain:append',
  'core GET /api/chain/head': 'chain:read',
  'core GET /api/chain/blocks': 'chain:read',
  'core GET /api/chain/payload/{blockId}': 'chain:read',
  'core GET /api/sync/status': 'account:read',
  'core GET /api/security/hold': 'hold:read',
  'core POST /api/security/hold': 'hold:place',
  'core POST /api/security/hold/lift': null,
  'core POST /api/headers/prepare': 'headers:prepare',
  'did POST /1.0/register': null,
}

/** The capability that a device needs on a route, by its OpenAPI template; null when no device may use it. */
export function capabilityOf(service: string, method: string, template: string): Capability | null {
  return ROUTES[`${service} ${method} ${template}`] ?? null
}

/** Every row of one service, for the test that holds the table to the live routes. */
export function listedRoutes(service: string): string[] {
  const prefix = `${service} `
  return Object.keys(ROUTES)
    .filter((route) => route.startsWith(prefix))
    .map((route) => route.slice(prefix.length))
}
