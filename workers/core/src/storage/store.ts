import type { Facts, ObjectStorage, Sql, TableGroup } from '@svc/objects'
import type { Tier } from '@svc/protocol/pay/tiers'
import { KEPT_KINDS, type KeptKind, NO_ROOM, plus, type Room } from './rules.ts'

/** The records behind the sums of what is kept elsewhere. */
export const KEPT_ITEMS: TableGroup = {
  name: 'kept_items',
  steps: [
    {
      name: 'records that are kept elsewhere',
      sql: `CREATE TABLE kept_items (
              kind TEXT NOT NULL, item TEXT NOT NULL, bytes INTEGER NOT NULL, kept_at INTEGER NOT NULL,
              PRIMARY KEY (kind, item)
            ) STRICT, WITHOUT ROWID`,
    },
  ],
}

type Sums = { readonly [K in KeptKind]?: Room }
type LeaseSeqs = { readonly [K in KeptKind]?: number }
interface Entitlement {
  readonly tier: Tier
  readonly until: number
}

/** What an identity keeps, in its object's SQLite. */
export class KeptStore {
  readonly #items: Sql
  readonly #facts: Facts

  constructor(stored: ObjectStorage) {
    this.#items = stored.tables(KEPT_ITEMS)
    this.#facts = stored.facts
  }

  total(): Room {
    return Object.values(this.#sums()).reduce((total, one) => plus(total, one), NO_ROOM)
  }

  ofKind(kind: KeptKind): Room {
    return this.#sums()[kind] ?? NO_ROOM
  }

  byKind(): { readonly [K in KeptKind]: Room } {
    const sums = this.#sums()
    return Object.fromEntries(KEPT_KINDS.map((kind) => [kind, sums[kind] ?? NO_ROOM])) as Record<KeptKind, Room>
  }

  add(kind: KeptKind, room: Room): void {
    const sums = this.#sums()
    this.#facts.put('kept', { ...sums, [kind]: plus(sums[kind] ?? NO_ROOM, room) } satisfies Sums)
  }

  has(kind: KeptKind, item: string): boolean {
    return this.#items.exec('SELECT 1 FROM kept_items WHERE kind = ? AND item = ?', kind, item).toArray().length > 0
  }

  addItem(kind: KeptKind, item: string, bytes: number, now: number): void {
    this.#items.exec('INSERT INTO kept_items (kind, item, bytes, kept_at) VALUES (?, ?, ?, ?)', kind, item, bytes, now)
    this.add(kind, { bytes, rows: 1 })
  }

  removeItem(kind: KeptKind, item: string): void {
    this.#removed(
      kind,
      this.#items.exec<{ bytes: number }>(
        'DELETE FROM kept_items WHERE kind = ? AND item = ? RETURNING bytes',
        kind,
        item,
      ),
    )
  }

  /** Items that are not listed and were there before a time. */
  removeOthers(kind: KeptKind, items: readonly string[], before: number): void {
    this.#removed(
      kind,
      this.#items.exec<{ bytes: number }>(
        `DELETE FROM kept_items WHERE kind = ? AND kept_at < ? AND item NOT IN (SELECT value FROM json_each(?))
         RETURNING bytes`,
        kind,
        before,
        JSON.stringify(items),
      ),
    )
  }

  #removed(kind: KeptKind, deleted: SqlStorageCursor<{ bytes: number }>): void {
    const rows = deleted.toArray()
    if (rows.length === 0) return
    this.add(kind, { bytes: -rows.reduce((sum, { bytes }) => sum + bytes, 0), rows: -rows.length })
  }

  leaseSeq(kind: KeptKind): number {
    return this.#leases()[kind] ?? 0
  }

  putLeaseSeq(kind: KeptKind, seq: number): void {
    this.#facts.put('leases', { ...this.#leases(), [kind]: seq } satisfies LeaseSeqs)
  }

  tier(now: number): Tier {
    const newest = this.#facts.get<Entitlement>('tier')
    return newest && newest.until > now ? newest.tier : 'notes'
  }

  putTier(tier: Tier, until: number): void {
    this.#facts.put('tier', { tier, until } satisfies Entitlement)
  }

  #sums(): Sums {
    return this.#facts.get<Sums>('kept') ?? {}
  }

  #leases(): LeaseSeqs {
    return this.#facts.get<LeaseSeqs>('leases') ?? {}
  }
}
