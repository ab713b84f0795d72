import { createService } from '@svc/service'
import { DID_DESCRIPTION } from './description.ts'
import { discoveryRoutes } from './routes/discovery.ts'
import { memberRoutes } from './routes/members.ts'
import { operatorRoutes } from './routes/operator.ts'
import { organizationRoutes } from './routes/organizations.ts'
import { registrationRoutes } from './routes/registration.ts'
import { malformedIdentifier, resolutionRoutes } from './routes/resolution.ts'
import { rotationRoutes } from './routes/rotation.ts'
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
export const { app, document } = service
