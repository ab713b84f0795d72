import { createService } from '@svc/service'
import { readingRoutes } from './consent/read-routes.ts'
import { writingRoutes } from './consent/write-routes.ts'
import { discoveryRoutes } from './discovery/routes.ts'
import { operatorRoutes } from './operator/routes.ts'
import { CONSENT_DESCRIPTION } from './service.ts'
import { createRuntime } from './services.ts'
import { snapshotRoutes } from './snapshot/routes.ts'

export const service = createService(CONSENT_DESCRIPTION, createRuntime, [
  ...discoveryRoutes,
  // Before the records, because their `{hash}` would match its path.
  ...snapshotRoutes,
  ...readingRoutes,
  ...writingRoutes,
  ...operatorRoutes,
])
export const { app } = service
