import type { IdentityService } from '../identity/service.ts'
import type { AnchorStore } from './store.ts'

/**
 * Tells the owners' event feeds of publications, of one anchor or of any. What fails, or is cut off, stays untold until
 * the cron trigger; a feed takes each once.
 */
export async function tellOwners(
  store: AnchorStore,
  identities: IdentityService,
  anchorId: string | null,
): Promise<number> {
  const untold = await store.untold(anchorId)
  for (const publication of untold) {
    const { owner, anchor_id: ref, state } = publication
    await identities.ask(owner, async (identity) => identity.reportEvents([{ kind: `anchor.${state}`, ref, id: ref }]))
    await store.told(publication)
  }
  return untold.length
}
