import { setImmediate } from 'node:timers/promises'
import { mapEntryOf, mapLeafId } from '@svc/protocol/keys/account-map'
import { olderAgreement, updateEntryOf } from '@svc/protocol/keys/account-updates'
import { openEntrySchema, readEntry } from '@svc/protocol/merkle/entries'
import { Contradiction } from './contradiction.ts'
import { servedOf } from './log-answers.ts'
import type { MirrorStore } from './mirror-store.ts'
import type { StoredLog } from './stored-log.ts'

/**
 * Recomputes the map of accounts from verified leaves, up to the newest map that they name. Each map is a transaction, so
 * what is proved is always a map that the log has, and that follows from its entries.
 */
export class MapFollower {
  readonly #store: MirrorStore

  constructor(store: MirrorStore) {
    this.#store = store
  }

  /** Throws a `Contradiction` for a map that does not follow from the entries. The one before stays. */
  async follow(isStopping: () => boolean): Promise<void> {
    // The mirror answers between two maps.
    while (!isStopping() && this.#next()) await setImmediate()
  }

  #next(): boolean {
    const { map } = this.#store
    const before = map.state
    const found = this.#store.locate(mapLeafId((before?.epoch ?? 0) + 1))
    if (!found) return false
    try {
      this.#store.transact(() => {
        const { epoch, size, root } = mapEntryOf(found.line) ?? { epoch: 0, size: 0, root: '' }
        const wrong = () => new Contradiction('wrong_map', { known: before, shown: found.line })
        if (size > found.index || (found.log.name === before?.log && size < before.size)) throw wrong()
        for (const { log, from, to } of this.#between(found.log, size)) {
          // The first entry of a log names the map at the end of the one before, or leaves it to the first map of its own.
          const opened = from === 0 && before ? openedMap(log) : null
          if (opened !== null && opened !== map.root) throw wrong()
          const updates = log.lines(from, to).flatMap((line) => updateEntryOf(line) ?? [])
          const older = olderAgreement(updates, (label) => map.agreement(label))
          if (older) throw new Contradiction('out_of_order', { known: before, shown: older })
          map.count(updates)
        }
        if (map.root !== root) throw wrong()
        map.advance({ epoch, log: found.log.name, size })
      })
    } catch (error) {
      map.forget()
      throw error
    }
    return true
  }

  /** The leaves that the next map covers and the last one does not, log by log. */
  #between(last: StoredLog, size: number): { readonly log: StoredLog; readonly from: number; readonly to: number }[] {
    const before = this.#store.map.state
    const logs = this.#store.logs('transparency')
    const first = before ? logs.findIndex(({ name }) => name === before.log) : 0
    const end = logs.findIndex(({ name }) => name === last.name)
    return logs.slice(first, end + 1).map((log) => ({
      log,
      from: log.name === before?.log ? before.size : 0,
      to: log.name === last.name ? size : servedOf(log).size,
    }))
  }
}

/** The root of the map that a log goes on from; null if it does not say. */
function openedMap(log: StoredLog): string | null {
  const [line = ''] = log.lines(0, 1)
  const opened = openEntrySchema.loose().safeParse(readEntry(line).value)
  return opened.success ? (opened.data.map?.root ?? null) : null
}
