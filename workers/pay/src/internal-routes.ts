import type { InternalRoutes } from '@svc/service'

/** Which sibling may call which internal operation: capsules are counted where they are registered. */
export const INTERNAL_ROUTES: InternalRoutes = {
  provenance: ['checkInternal', 'reserveQuota', 'finalizeQuota', 'releaseQuota'],
}
