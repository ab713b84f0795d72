import { type Cryptography, livenessSchema } from '@svc/protocol/http/health'
import type { Service } from '@svc/rate-limit'
import type { ServiceConfig } from './config.ts'
import { defineOperation, type Route, route } from './operation.ts'

export const readHealth = defineOperation({
  id: 'readHealth',
  method: 'get',
  path: '/health',
  summary: 'Liveness',
  description:
    'The Worker answers by itself and asks no dependency, so this tells that it runs and which version is deployed, ' +
    'not that everything works. `timestamp` is the server’s time in epoch ms.',
  auth: 'none',
  documentsHead: true,
  answer: { status: 200, description: 'Alive', schema: livenessSchema, bare: true },
})

/** `/health` of a service that has nothing to add. One that verifies says by what. */
export function livenessRoute(
  service: Service,
  version: string,
  cryptography?: Cryptography,
): Route<{ readonly config: ServiceConfig }> {
  return route<{ readonly config: ServiceConfig }>()(readHealth, ({ deps, now }) => ({
    status: 'ok' as const,
    service,
    version,
    commit: deps.config.COMMIT,
    ...(cryptography === undefined ? {} : { cryptography }),
    timestamp: now,
  }))
}
