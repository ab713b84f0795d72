import { rememberAccounts } from './auth.ts'
import type { Cast } from './cast.ts'
import { rememberConsent } from './consent.ts'
import { rememberCore } from './core.ts'
import { rememberDid } from './did.ts'
import { rememberKeys } from './keys.ts'
import { rememberGrants, rememberPayments } from './pay.ts'
import { rememberProvenance } from './provenance.ts'

/** Has something acknowledged in every service and every store. Can be called again, for the next part of a load. */
export async function remember(cast: Cast): Promise<void> {
  await cast.memories.begin()
  await rememberCore(cast)
  await rememberProvenance(cast)
  await rememberConsent(cast)
  await rememberDid(cast)
  await rememberKeys(cast)
  await rememberAccounts(cast)
  await rememberGrants(cast)
  await rememberPayments(cast)
}
