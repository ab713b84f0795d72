import { createService } from '@svc/service'
import { KEYS_DESCRIPTION } from './description.ts'
import { discoveryRoutes } from './routes/discovery.ts'
import { createRuntime } from './services.ts'

export const service = createService(KEYS_DESCRIPTION, createRuntime, discoveryRoutes)
export const { app, document } = service
