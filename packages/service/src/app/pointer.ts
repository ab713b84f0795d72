import { DISCOVERY_PATH, discoveryPointerSchema } from '@svc/protocol/http/discovery-document'
import type { OriginPolicy } from '../request/origins.ts'
import type { ServiceConfig } from './config.ts'
import { defineOperation, type Route, route } from './operation.ts'

/** An hour: core may move, but not often. */
const CACHE_CONTROL = 'public, max-age=3600'

/** JSON, not a redirect: a browser sends `Origin: null` with a request that was redirected to another host. */
export const readDiscoveryPointer = defineOperation({
  id: 'readDiscoveryPointer',
  method: 'get',
  path: DISCOVERY_PATH,
  summary: 'Find the discovery document of this deployment',
  description:
    'For a client that knows only this host: `discovery` is the URL of the document at core, and `realm` the ' +
    'deployment that statements must name. Any origin may read it. May be cached for an hour.',
  auth: 'none',
  cacheControl: CACHE_CONTROL,
  answer: { status: 200, description: 'Where it is', schema: discoveryPointerSchema, bare: true },
})

/** On every service but core. */
export const pointerRoute: Route<{ readonly config: ServiceConfig }> = route<{ readonly config: ServiceConfig }>()(
  readDiscoveryPointer,
  ({ deps: { config } }) => ({ discovery: config.CORE_ORIGIN + DISCOVERY_PATH, realm: config.REALMS[0] }),
)

/** Discovery is public: a script of any page may read it, whatever else the service allows. */
export function withOpenDiscovery(policy: OriginPolicy): OriginPolicy {
  return (method, path) => (path === DISCOVERY_PATH ? 'open' : policy(method, path))
}
