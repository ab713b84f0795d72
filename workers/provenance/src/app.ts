import { createService } from '@svc/service'
import { INTERNAL_DESCRIPTION, PROVENANCE_DESCRIPTION } from './description.ts'
import { discoveryRoutes } from './routes/discovery.ts'
import { internalRoutes } from './routes/internal.ts'
import { createRuntime } from './services.ts'

export const service = createService(PROVENANCE_DESCRIPTION, createRuntime, discoveryRoutes)
export const { app, document } = service

export const internalService = createService(INTERNAL_DESCRIPTION, createRuntime, internalRoutes)
