import type { Realms } from '@svc/protocol/base/realm'

/** The realm of clients of `https://core.test`. */
export const REALM = 'https://core.test'
export const REALMS: Realms = [REALM]
