import { createService } from '@svc/service'
import { CONSENT_DESCRIPTION } from './description.ts'
import { discoveryRoutes } from './routes/discovery.ts'
import { readingRoutes } from './routes/reading.ts'
import { snapshotRoutes } from './routes/snapshot.ts'
import { writingRoutes } from './routes/writing.ts'
import { createRuntime } from './services.ts'

export const service = createService(CONSENT_DESCRIPTION, createRuntime, [
  ...discoveryRoutes,
  // Before the records, one of which its path could name.
  ...snapshotRoutes,
  ...readingRoutes,
  ...writingRoutes,
])
export const { app, document } = service
