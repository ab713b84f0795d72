import type { InternalRoutes } from '@svc/service'

/** Which sibling may call which internal operation. A Worker that is not here may call none. */
export const INTERNAL_ROUTES: InternalRoutes = {
  provenance: ['checkInternal', 'resolveKeyScope', 'resolveDevice', 'consumeNonce', 'bindBlock'],
  did: [
    'checkInternal',
    'resolveKeyScope',
    'resolveDevice',
    'consumeNonce',
    'readAuthority',
    'readRootKey',
    'readOfficers',
    'putRegistration',
    'requestRotation',
    'readRotation',
  ],
  keys: ['checkInternal', 'resolveKeyScope', 'resolveDevice', 'consumeNonce'],
  pay: ['checkInternal', 'resolveKeyScope', 'resolveDevice', 'consumeNonce'],
}
