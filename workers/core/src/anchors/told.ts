import type { IdentityService } from '../identity/service.ts'
import type { AnchorIndex } from './index-store.ts'

/**
 * Tells the owners' event feeds of publications, of one anchor or of any. What fails, or is cut off, stays untold until
 * the cron trigger, and holds back no other; a feed takes each once.
 */
export async function tellOwners(
  index: AnchorIndex,
  identities: IdentityService,
  anchorId: string | null,
): Promise<number> {
  const untold = await index.untold(anchorId)
  const faults: unknown[] = []
  for (const publication of untold) {
    const { owner, anchorId: ref, state } = publication
    const report = { kind: `anchor.${state}`, ref, id: ref } as const
    try {
      await identities.ask(owner, async (identity) => identity.reportEvents([report]))
      await index.told(publication)
    } catch (error) {
      faults.push(error)
    }
  }
  if (faults.length > 0) throw faults[0]
  return untold.length
}
