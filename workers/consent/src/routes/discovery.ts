import { livenessSchema } from '@svc/protocol/health'
import { defineOperation } from '@svc/service'
import { consentRoute } from '../route.ts'
import { CONSENT_VERSION } from '../version.ts'

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
  consentRoute(readHealth, ({ deps, now }) => ({
    status: 'ok' as const,
    service: 'consent',
    version: CONSENT_VERSION,
    commit: deps.config.COMMIT,
    timestamp: now,
  })),
]
