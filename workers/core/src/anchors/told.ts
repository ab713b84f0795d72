import type { IdentityService } from '../identity/service.ts'
import type { AnchorIndex } from './index-store.ts'

/**
 * Tells the owners' event feeds of publications, of one anchor or of any. What fails, or is cut off, stays untold until
 * the cron trigger; a feed takes each once.
 */
export async function tellOwners(
  index: AnchorIndex,
  identities: IdentityService,
  anchorId: string | null,
): Promise<number> {
  const untold = await index.untold(anchorId)
  for (const publication of untold) {
    const { owner, anchorId: ref, state } = publication
    await identities.ask(owner, async (identity) => identity.reportEvents([{ kind: `anchor.${state}`, ref, id: ref }]))
    await index.told(publication)
  }
  return untold.length
}
