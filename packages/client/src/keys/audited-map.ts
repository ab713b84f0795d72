import { type MapEntry, mapEntryOf } from '#protocol/keys/account-map'
import type { UpdateEntry } from '#protocol/keys/account-updates'
import { AccountMap } from '#protocol/keys/map-in-memory'
import { openEntrySchema, readEntry } from '#protocol/merkle/entries'

interface Place {
  readonly log: string
  readonly position: number
}

/** Recomputes the map of accounts from the entries of a log, one after the other, and compares each map that it names. */
export class AuditedMap {
  readonly #map = new AccountMap()
  /** Updates that no map has yet. */
  #waiting: { readonly update: UpdateEntry; readonly place: Place }[] = []
  #last: (Pick<MapEntry, 'epoch' | 'size'> & { readonly log: string }) | null = null

  /** False for a map that does not follow from the entries. */
  take(line: string, update: UpdateEntry | null, place: Place): boolean {
    if (update) {
      this.#waiting.push({ update, place })
      return true
    }
    const map = mapEntryOf(line)
    if (map) return this.#isNext(map, place)
    return place.position > 0 || this.#goesOn(line)
  }

  #isNext({ epoch, size, root }: MapEntry, { log, position }: Place): boolean {
    const last = this.#last
    const isOrdered = epoch === (last?.epoch ?? 0) + 1 && size <= position && (last?.log !== log || size >= last.size)
    if (!isOrdered) return false
    const isInMap = ({ place }: { readonly place: Place }) => place.log !== log || place.position < size
    this.#count(this.#waiting.filter(isInMap))
    this.#waiting = this.#waiting.filter((one) => !isInMap(one))
    this.#last = { epoch, size, log }
    return this.#map.root === root
  }

  /** The first entry of a log names the map at the end of the one before, or leaves it to the first map of its own. */
  #goesOn(line: string): boolean {
    const opened = openEntrySchema.loose().safeParse(readEntry(line).value)
    if (!this.#last || !opened.success) return true
    this.#count(this.#waiting)
    this.#waiting = []
    const { map } = opened.data
    return map === null || map.root === this.#map.root
  }

  #count(updates: readonly { readonly update: UpdateEntry }[]): void {
    this.#map.count(updates.map(({ update }) => update))
  }
}
