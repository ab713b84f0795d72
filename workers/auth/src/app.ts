import { createService } from '@svc/service'
import { challengeRoutes } from './challenge/routes.ts'
import { discoveryRoutes } from './discovery/routes.ts'
import { knownDeviceRoutes } from './opaque/known-device-routes.ts'
import { opaqueRoutes } from './opaque/routes.ts'
import { passkeyRoutes } from './passkeys/routes.ts'
import { passkeySecretRoutes } from './passkeys/secret-routes.ts'
import { providerRoutes } from './providers/routes.ts'
import { AUTH_DESCRIPTION } from './service.ts'
import { createRuntime } from './services.ts'
import { sessionRoutes } from './sessions/routes.ts'

export const service = createService(AUTH_DESCRIPTION, createRuntime, [
  ...discoveryRoutes,
  ...challengeRoutes,
  ...opaqueRoutes,
  ...passkeyRoutes,
  ...passkeySecretRoutes,
  ...providerRoutes,
  ...sessionRoutes,
  ...knownDeviceRoutes,
])
export const { app } = service
