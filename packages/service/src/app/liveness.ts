import { type Cryptography, livenessSchema, type QueueReport } from '@svc/protocol/http/health'
import type { Service } from '@svc/rate-limit'
import type { Queues } from '../metrics/queues.ts'
import type { ServiceConfig } from './config.ts'
import { defineOperation, type Route, route } from './operation.ts'

export const readHealth = defineOperation({
  id: 'readHealth',
  method: 'get',
  path: '/health',
  summary: 'Liveness',
  description:
    'The Worker answers by itself, so this tells that it runs and which version is deployed, not that everything works: ' +
    'a dependency that fails only leaves out `queues`. `timestamp` is the server’s time in epoch ms.',
  auth: 'none',
  documentsHead: true,
  answer: { status: 200, description: 'Alive', schema: livenessSchema, bare: true },
})

interface LivenessDeps {
  readonly config: ServiceConfig
  readonly queues?: Queues
}

/** Absent from an answer while the queues cannot be read. */
export function queuesMember(queues: QueueReport | undefined): { readonly queues?: QueueReport } {
  return queues === undefined ? {} : { queues }
}

/** `/health` of a service that has nothing to add. One that verifies says by what. */
export function livenessRoute(service: Service, version: string, cryptography?: Cryptography): Route<LivenessDeps> {
  return route<LivenessDeps>()(readHealth, async ({ deps, now }) => ({
    status: 'ok' as const,
    service,
    version,
    commit: deps.config.COMMIT,
    ...(cryptography === undefined ? {} : { cryptography }),
    ...queuesMember(await deps.queues?.recent(now)),
    timestamp: now,
  }))
}
