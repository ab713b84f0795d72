import type { Realms } from '../src/base/realm.ts'

/** The realm of the deployment in tests. */
export const REALM = 'https://core.test'
export const REALMS: Realms = [REALM]
