import { createService } from '@svc/service'
import { PROVENANCE_DESCRIPTION } from './description.ts'
import { discoveryRoutes } from './routes/discovery.ts'
import { fileRoutes } from './routes/files.ts'
import { searchRoutes } from './routes/search.ts'
import { textRoutes } from './routes/text.ts'
import { createRuntime } from './services.ts'

export const service = createService(PROVENANCE_DESCRIPTION, createRuntime, [
  ...discoveryRoutes,
  ...textRoutes,
  ...searchRoutes,
  ...fileRoutes,
])
export const { app, document } = service
