import { createService } from '@svc/service'
import { AUTH_DESCRIPTION } from './description.ts'
import { challengeRoutes } from './routes/challenge.ts'
import { discoveryRoutes } from './routes/discovery.ts'
import { opaqueRoutes } from './routes/opaque.ts'
import { pageRoutes } from './routes/page.ts'
import { passkeyRoutes } from './routes/passkeys.ts'
import { providerRoutes } from './routes/providers.ts'
import { sessionRoutes } from './routes/session.ts'
import { createRuntime } from './services.ts'

export const service = createService(AUTH_DESCRIPTION, createRuntime, [
  ...discoveryRoutes,
  ...challengeRoutes,
  ...opaqueRoutes,
  ...passkeyRoutes,
  ...providerRoutes,
  ...sessionRoutes,
  ...pageRoutes,
])
export const { app, document } = service
