import type { Realms } from '@svc/protocol/base/realm'

/** The realm that the Workers under test have. */
export const REALM = 'https://core.test'
export const REALMS: Realms = [REALM]
