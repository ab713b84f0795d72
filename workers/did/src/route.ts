import { type Authorize, type Operation, route } from '@svc/service'
import type { Services } from './services.ts'

/** Binds an operation of the DID service to its handler. */
export const didRoute = route<Services>()
export type AuthorizeWith<O extends Pick<Operation, 'auth'>> = Authorize<O, Services>
