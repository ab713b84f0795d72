import { route } from '@svc/service'
import type { Services } from './services.ts'

/** Binds an operation of the DID service to its handler. */
export const didRoute = route<Services>()
