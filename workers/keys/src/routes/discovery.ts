import { directoryHealthSchema } from '@svc/protocol/health'
import { defineOperation } from '@svc/service'
import { keysRoute } from '../route.ts'
import { KEYS_VERSION } from '../version.ts'

export const readHealth = defineOperation({
  id: 'readHealth',
  method: 'get',
  path: '/health',
  summary: 'Status and binding inventory; not rate limited',
  auth: 'none',
  documentsHead: true,
  answer: { status: 200, description: 'Alive', schema: directoryHealthSchema, bare: true },
})

export const discoveryRoutes = [
  keysRoute(readHealth, ({ deps, now }) => ({
    status: Object.values(deps.bindings).every(Boolean) ? ('ok' as const) : ('degraded' as const),
    service: 'keys' as const,
    version: KEYS_VERSION,
    commit: deps.config.COMMIT,
    bindings: deps.bindings,
    timestamp: now,
  })),
]
