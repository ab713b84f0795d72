import type { InternalRoutes } from '@svc/service'

/** Which sibling may call which internal operation. A Worker that is not here may call none. */
export const INTERNAL_ROUTES: InternalRoutes = {
  provenance: ['checkInternal', 'resolveKeyScope', 'consumeNonce'],
  did: ['checkInternal', 'resolveKeyScope', 'consumeNonce', 'readAuthority', 'putKeyAgreement'],
  keys: ['checkInternal', 'resolveKeyScope', 'consumeNonce'],
  pay: ['checkInternal', 'resolveKeyScope', 'consumeNonce'],
}
