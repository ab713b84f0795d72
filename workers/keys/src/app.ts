import { createService } from '@svc/service'
import { KEYS_DESCRIPTION } from './description.ts'
import { directoryRoutes } from './routes/directory.ts'
import { discoveryRoutes } from './routes/discovery.ts'
import { epochRoutes } from './routes/epochs.ts'
import { guardianRoutes } from './routes/guardians.ts'
import { migrationRoutes } from './routes/migration.ts'
import { transparencyRoutes } from './routes/transparency.ts'
import { createRuntime } from './services.ts'

export const service = createService(KEYS_DESCRIPTION, createRuntime, [
  ...discoveryRoutes,
  ...directoryRoutes,
  ...transparencyRoutes,
  ...guardianRoutes,
  ...epochRoutes,
  ...migrationRoutes,
])
export const { app, document } = service
