import { livenessSchema } from '@svc/protocol/health'
import { defineOperation } from '@svc/service'
import { docsRoute } from '../route.ts'
import { DOCS_VERSION } from '../version.ts'

export const readHealth = defineOperation({
  id: 'readHealth',
  method: 'get',
  path: '/health',
  summary: 'Liveness',
  auth: 'none',
  documentsHead: true,
  answer: { status: 200, description: 'Alive', schema: livenessSchema, bare: true },
})

export const discoveryRoutes = [
  docsRoute(readHealth, ({ deps, now }) => ({
    status: 'ok' as const,
    service: 'docs',
    version: DOCS_VERSION,
    commit: deps.config.COMMIT,
    timestamp: now,
  })),
]
