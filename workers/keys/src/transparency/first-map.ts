import type { LogReader, OpenLog } from '@svc/log'
import { mapEntryOf } from '@svc/protocol/keys/account-map'
import type { MapPlace } from '@svc/protocol/keys/transparency'
import { TILE_WIDTH } from '@svc/protocol/merkle/tiles'

/** 4,096 entries. A map follows an update within 12 seconds, in which a log gets fewer entries. */
const NEXT_BUNDLES = 16

/**
 * Returns the first map of a log that includes a leaf, with its audit path; null if none does yet. While no maps were made
 * for a time, it is a later one, so that what was logged then can be dated too.
 */
export async function firstMapAfter(
  reader: LogReader,
  { log, head }: OpenLog,
  index: number,
): Promise<MapPlace | null> {
  const [first, last] = [Math.floor(index / TILE_WIDTH), Math.floor((head.size - 1) / TILE_WIDTH)]
  for (const bundle of bundlesFrom(first, last)) {
    const read = await reader.entries(head, bundle)
    const { from, entries } = read.ok ? read.value : { from: 0, entries: [] }
    // A map that covers fewer entries does not include the leaf.
    const found = entries.findIndex((line, i) => from + i > index && (mapEntryOf(line)?.size ?? 0) > index)
    if (found === -1) continue
    const position = { log, index: from + found }
    return { leaf: entries[found] ?? '', position, proof: await reader.inclusion(head, position.index) }
  }
  return null
}

/** Returns where to look for a map: the next bundles, then bundles at growing distances, then the newest. */
function* bundlesFrom(first: number, last: number): Generator<number> {
  for (let ahead = 0; first + ahead < last; ahead = ahead < NEXT_BUNDLES ? ahead + 1 : 2 * ahead) yield first + ahead
  yield last
}
