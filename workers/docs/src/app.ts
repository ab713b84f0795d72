import { createService } from '@svc/service'
import { discoveryRoutes } from './discovery/routes.ts'
import { pageRoutes } from './pages/routes.ts'
import { DOCS_DESCRIPTION } from './service.ts'
import { createRuntime } from './services.ts'

export const service = createService(DOCS_DESCRIPTION, createRuntime, [...discoveryRoutes, ...pageRoutes])
export const { app } = service
