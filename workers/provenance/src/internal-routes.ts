import type { InternalRoutes } from '@svc/service'

/** Which sibling may call which internal operation: consent asks who may declare, and nobody else asks anything. */
export const INTERNAL_ROUTES: InternalRoutes = {
  consent: ['judgeConsent'],
}
