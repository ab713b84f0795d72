import { route } from '@svc/service'
import type { Services } from './services.ts'

/** Binds a core operation to its handler. */
export const coreRoute = route<Services>()
