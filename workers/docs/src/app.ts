import { createService } from '@svc/service'
import { DOCS_DESCRIPTION } from './description.ts'
import { discoveryRoutes } from './routes/discovery.ts'
import { pageRoutes } from './routes/pages.ts'
import { createRuntime } from './services.ts'

export const service = createService(DOCS_DESCRIPTION, createRuntime, [...discoveryRoutes, ...pageRoutes])
export const { app, document } = service
