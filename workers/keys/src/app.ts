import { createService } from '@svc/service'
import { beaconRoutes } from './beacon/routes.ts'
import { directoryRoutes } from './directory/routes.ts'
import { discoveryRoutes } from './discovery/routes.ts'
import { epochRoutes } from './epochs/routes.ts'
import { guardianRoutes } from './guardians/routes.ts'
import { migrationRoutes } from './migration/routes.ts'
import { operatorRoutes } from './operator/routes.ts'
import { prekeyRoutes } from './prekeys/routes.ts'
import { KEYS_DESCRIPTION } from './service.ts'
import { createRuntime } from './services.ts'
import { transparencyRoutes } from './transparency/routes.ts'

export const service = createService(KEYS_DESCRIPTION, createRuntime, [
  ...discoveryRoutes,
  ...directoryRoutes,
  ...prekeyRoutes,
  ...transparencyRoutes,
  ...beaconRoutes,
  ...guardianRoutes,
  ...epochRoutes,
  ...operatorRoutes,
  ...migrationRoutes,
])
export const { app } = service
