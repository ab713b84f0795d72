import { route } from '@svc/service'
import type { Services } from './services.ts'

/** Binds an operation of this service to its handler. */
export const consentRoute = route<Services>()
