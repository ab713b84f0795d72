import { HASH_BYTES } from '@svc/protocol/base/labels'
import { MAP_LEAF_BYTES, type MapPath, mapPath, type Subtree, valueFor } from '@svc/protocol/keys/account-map'
import type { LoggedAgreement } from '@svc/protocol/keys/account-updates'
import {
  BUCKETS,
  bucketOf,
  bucketPath,
  bucketSubtree,
  countUpdates,
  type MapUpdate,
  type Page,
  type PageStore,
} from '@svc/protocol/keys/map-pages'
import { descend, type Levels, levelsOf, mapRootOf } from '@svc/protocol/keys/map-tree'
import type { MirrorDatabase } from './mirror-database.ts'

/** Which map the pages are of: the newest that the mirror has recomputed. */
export interface MapState {
  readonly epoch: number
  /** The log that names its root, and how many leaves of that log it covers. */
  readonly log: string
  readonly size: number
}

/** A slot is empty, an account or a hash. A byte before it says which. */
const SLOT_LENGTHS = [0, MAP_LEAF_BYTES, HASH_BYTES]

/** The map of accounts in the store, page by page. Only whole maps are in it: the caller counts in a transaction. */
export class StoredMap {
  readonly #store: MirrorDatabase
  /** What the buckets come to, read from the pages when it is needed. */
  #subtrees: Subtree[] | null = null
  #levels: Levels | null = null

  constructor(store: MirrorDatabase) {
    this.#store = store
  }

  /** Null before the first map. */
  get state(): MapState | null {
    return this.#store.fact('map') as MapState | null
  }

  get root(): string {
    return mapRootOf(this.#parts())
  }

  /** Counts updates in the order of the log. */
  count(updates: readonly MapUpdate[]): void {
    const parts = this.#parts()
    this.#levels = null
    for (const [bucket, some] of Map.groupBy(updates, ({ label }) => bucketOf(label)))
      parts[bucket] = countUpdates(this.#pages(bucket), some)
  }

  /** The pages are of this map now. */
  advance(state: MapState): void {
    this.#store.setFact('map', state)
  }

  /** After a transaction that counted was rolled back. */
  forget(): void {
    this.#subtrees = null
    this.#levels = null
  }

  /** The newest key agreement that was counted. */
  agreement(label: string): LoggedAgreement | null {
    return valueFor(label, bucketPath(this.#pages(bucketOf(label)), label).terminal).agreement
  }

  path(label: string): MapPath {
    this.#levels ??= levelsOf(this.#parts())
    const { part, siblings } = descend(this.#levels, bucketOf(label))
    const found = part === null ? { terminal: null, siblings: [] } : bucketPath(this.#pages(part), label)
    return mapPath(found.terminal, [...siblings, ...found.siblings])
  }

  #parts(): Subtree[] {
    this.#subtrees ??= Array.from({ length: BUCKETS }, (_, bucket) => bucketSubtree(this.#pages(bucket)))
    return this.#subtrees
  }

  #pages(bucket: number): PageStore {
    return {
      get: (digits) => {
        const row = this.#store.get('SELECT slots FROM map_pages WHERE bucket = ? AND digits = ?', bucket, digits)
        return row && pageOf(new Uint8Array(row['slots'] as Uint8Array))
      },
      put: (digits, page) =>
        this.#store.run(
          'INSERT INTO map_pages (bucket, digits, slots) VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET slots = ?3',
          bucket,
          digits,
          bytesOf(page),
        ),
    }
  }
}

function bytesOf(page: Page): Uint8Array {
  return Buffer.concat(page.flatMap((slot) => [Uint8Array.of(SLOT_LENGTHS.indexOf(slot.length)), slot]))
}

function pageOf(bytes: Uint8Array): Page {
  const slots: Uint8Array[] = []
  for (let at = 0; at < bytes.length; ) {
    const end = at + 1 + (SLOT_LENGTHS[bytes[at] ?? 0] ?? 0)
    slots.push(bytes.subarray(at + 1, end))
    at = end
  }
  return slots
}
