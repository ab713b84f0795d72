import { type MapEntry, mapEntryOf } from '#protocol/keys/account-map'
import { olderAgreement, type UpdateEntry } from '#protocol/keys/account-updates'
import { AccountMap } from '#protocol/keys/map-in-memory'
import { openEntrySchema, readEntry } from '#protocol/merkle/entries'

interface Place {
  readonly log: string
  readonly position: number
}

/** Why an entry is invalid: a map does not match the entries, or a key agreement is older than an earlier one. */
export type MapFault = 'wrong_map' | 'out_of_order'

/** Recomputes the map of accounts from the entries of a log, one after the other, and compares each map that it names. */
export class AuditedMap {
  readonly #map = new AccountMap()
  /** Updates that no map has yet. */
  #waiting: { readonly update: UpdateEntry; readonly place: Place }[] = []
  #last: (Pick<MapEntry, 'epoch' | 'size'> & { readonly log: string }) | null = null

  /** Null if the entry is valid after those before it. */
  take(line: string, update: UpdateEntry | null, place: Place): MapFault | null {
    if (update) {
      this.#waiting.push({ update, place })
      return null
    }
    const map = mapEntryOf(line)
    if (map) return this.#faultOf(map, place)
    return place.position > 0 ? null : this.#openingFault(line)
  }

  #faultOf({ epoch, size, root }: MapEntry, { log, position }: Place): MapFault | null {
    const last = this.#last
    const isOrdered = epoch === (last?.epoch ?? 0) + 1 && size <= position && (last?.log !== log || size >= last.size)
    if (!isOrdered) return 'wrong_map'
    const isInMap = ({ place }: { readonly place: Place }) => place.log !== log || place.position < size
    const isInOrder = this.#count(this.#waiting.filter(isInMap))
    this.#waiting = this.#waiting.filter((one) => !isInMap(one))
    this.#last = { epoch, size, log }
    if (!isInOrder) return 'out_of_order'
    return this.#map.root === root ? null : 'wrong_map'
  }

  /** The first entry of a log names the map at the end of the one before, or leaves it to the first map of its own. */
  #openingFault(line: string): MapFault | null {
    const opened = openEntrySchema.loose().safeParse(readEntry(line).value)
    if (!this.#last || !opened.success) return null
    const isInOrder = this.#count(this.#waiting)
    this.#waiting = []
    if (!isInOrder) return 'out_of_order'
    const { map } = opened.data
    return map === null || map.root === this.#map.root ? null : 'wrong_map'
  }

  /** False if a key agreement is older than one before it. */
  #count(waiting: readonly { readonly update: UpdateEntry }[]): boolean {
    const updates = waiting.map(({ update }) => update)
    const older = olderAgreement(updates, (label) => this.#map.agreement(label))
    this.#map.count(updates)
    return older === null
  }
}
