import type { ObjectStorage } from '@svc/objects'
import { type MapEntry, mapEntryOf } from '@svc/protocol/keys/account-map'
import { updateEntryOf } from '@svc/protocol/keys/account-updates'
import type { CallBudget } from './calls.ts'
import type { LogWalk } from './log-walk.ts'
import { isSamePlace, type LogPlace, type SignedMap } from './map-store.ts'

/** What the logs have after the newest signed map. */
export interface Outlook {
  readonly to: LogPlace
  readonly hasUpdates: boolean
  /** A map that the log has and this object does not know: it was restored, or died before it learned the place. */
  readonly map: { readonly entry: MapEntry; readonly log: string; readonly index: number } | null
}

/** How far the logs were read for the outlook after a map. They only grow, so it holds after a crash and a restore. */
interface Looked extends Outlook {
  readonly epoch: number
  readonly from: LogPlace
}

interface LookParts {
  readonly stored: ObjectStorage
  readonly walk: LogWalk
  readonly budget: CallBudget
}

/** Reads the logs after the newest map. Null if the turn is over first: the next one goes on from there. */
export async function lookAhead(
  { stored, walk, budget }: LookParts,
  from: LogPlace,
  signed: SignedMap | null,
): Promise<Outlook | null> {
  const epoch = signed?.epoch ?? 0
  const kept = stored.facts.get<Looked>('looked')
  const isKept = kept?.epoch === epoch && isSamePlace(kept.from, from)
  let looked: Looked = isKept ? kept : { epoch, from, to: from, hasUpdates: false, map: null }
  for (;;) {
    const head = await walk.head(looked.to.log)
    while (looked.to.size < head.size) {
      if (budget.isSpent) return null
      const { from: first, to, lines } = await walk.step(looked.to, head, head.size)
      let { hasUpdates, map } = looked
      for (const [i, line] of lines.entries()) {
        hasUpdates ||= updateEntryOf(line) !== null
        const index = first.size + i
        const isNew = signed?.counted.log !== to.log || index > signed.index
        const entry = isNew ? mapEntryOf(line) : null
        if (entry) map = { entry, log: to.log, index }
      }
      looked = { ...looked, to, hasUpdates, map }
      const isLong = to.size < head.size
      if (isLong) stored.transact(() => stored.facts.put('looked', looked))
    }
    if (!head.ending) return looked
    looked = { ...looked, to: { log: head.ending.next, size: 0 } }
  }
}
