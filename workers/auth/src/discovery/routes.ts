import { signInHealthSchema } from '@svc/protocol/http/health'
import { defineOperation, objectCommitsRoute } from '@svc/service'
import { AUTH_DESCRIPTION, authRoute } from '../service.ts'

export const readHealth = defineOperation({
  id: 'readHealth',
  method: 'get',
  path: '/health',
  summary: 'Check liveness; not rate limited',
  description:
    'The Worker answers by itself, so this does not tell whether providers or the bot challenge can be reached. ' +
    '`environment` names the deployment, such as `production`.',
  auth: 'none',
  documentsHead: true,
  answer: { status: 200, description: 'Alive', schema: signInHealthSchema, bare: true },
})

export const discoveryRoutes = [
  authRoute(readHealth, ({ deps }) => ({
    service: 'auth' as const,
    version: AUTH_DESCRIPTION.version,
    commit: deps.config.COMMIT,
    environment: deps.config.ENVIRONMENT,
  })),
  objectCommitsRoute('auth'),
]
