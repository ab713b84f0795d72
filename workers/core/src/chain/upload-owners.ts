import { doneOrDelayed, type Standing } from '@svc/service'
import type { IdentityService } from '../identity/service.ts'
import { payloadOwner } from '../object-keys.ts'

/** For the sweep: which payloads the blocks of their identities refer to. An identity that does not answer is asked later. */
export async function payloadStanding(identities: IdentityService, keys: readonly string[]): Promise<Standing> {
  const standing: { named: string[]; unknown: string[] } = { named: [], unknown: [] }
  for (const [did, theirs] of Map.groupBy(keys, payloadOwner)) {
    if (did === null) continue
    const work = { service: 'core', delayed: 'chain payloads', waiting: theirs.length }
    const isKnown = await doneOrDelayed(work, async () => {
      standing.named.push(...(await identities.ask(did, async (identity) => identity.payloadsAmong(theirs))))
    })
    if (!isKnown) standing.unknown.push(...theirs)
  }
  return standing
}
