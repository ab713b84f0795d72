import { mlDsa65 } from '@svc/pqc'
import { provenanceHealthSchema } from '@svc/protocol/http/health'
import { ApiError, defineOperation, objectCommitsRoute, queuesMember } from '@svc/service'
import { PROVENANCE_DESCRIPTION, provenanceRoute } from '../service.ts'

export const readHealth = defineOperation({
  id: 'readHealth',
  method: 'get',
  path: '/health',
  summary: 'Check all dependencies: 503 unless every check passes',
  description:
    'Each check is a real operation that changes nothing, with a timeout of its own. `checks` has the result and the ' +
    'milliseconds of each; on 503 it is in `details.checks`, so that you see which one failed.',
  auth: 'none',
  documentsHead: true,
  answer: { status: 200, description: 'Every check passes', schema: provenanceHealthSchema },
  errors: ['dependency_unavailable'],
})

export const discoveryRoutes = [
  provenanceRoute(readHealth, async ({ deps, now }) => {
    const checks = await deps.health.check()
    const failed = Object.values(checks).some(({ ok }) => !ok)
    if (failed) throw new ApiError('dependency_unavailable', { details: { checks } })
    return {
      service: 'provenance' as const,
      version: PROVENANCE_DESCRIPTION.version,
      commit: deps.config.COMMIT,
      cryptography: mlDsa65.backend,
      ...queuesMember(await deps.queues.recent(now)),
      checks,
    }
  }),
  objectCommitsRoute('provenance'),
]
