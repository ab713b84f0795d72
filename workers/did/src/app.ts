import { createService } from '@svc/service'
import { discoveryRoutes } from './discovery/routes.ts'
import { operatorRoutes } from './operator/routes.ts'
import { memberRoutes } from './organizations/member-routes.ts'
import { organizationRoutes } from './organizations/routes.ts'
import { registrationRoutes } from './registration/routes.ts'
import { malformedIdentifier, resolutionRoutes } from './resolution/routes.ts'
import { rotationRoutes } from './rotation/routes.ts'
import { DID_DESCRIPTION } from './service.ts'
import { createRuntime } from './services.ts'

export const service = createService({ ...DID_DESCRIPTION, unmatched: malformedIdentifier }, createRuntime, [
  ...discoveryRoutes,
  ...registrationRoutes,
  ...resolutionRoutes,
  ...rotationRoutes,
  ...organizationRoutes,
  ...memberRoutes,
  ...operatorRoutes,
])
export const { app } = service
