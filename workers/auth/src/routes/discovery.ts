import { signInHealthSchema } from '@svc/protocol/health'
import { defineOperation } from '@svc/service'
import { authRoute } from '../route.ts'
import { AUTH_VERSION } from '../version.ts'

export const readHealth = defineOperation({
  id: 'readHealth',
  method: 'get',
  path: '/health',
  summary: 'Liveness; not rate limited',
  auth: 'none',
  documentsHead: true,
  answer: { status: 200, description: 'Alive', schema: signInHealthSchema, bare: true },
})

export const discoveryRoutes = [
  authRoute(readHealth, ({ deps }) => ({
    service: 'auth' as const,
    version: AUTH_VERSION,
    commit: deps.config.COMMIT,
    environment: deps.config.ENVIRONMENT,
  })),
]
