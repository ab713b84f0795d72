/**
 * The whole map of accounts in memory, for auditors and tests.
 *
 * @module
 */
import { type MapPath, mapPath, type Subtree, valueFor } from './account-map.ts'
import type { LoggedAgreement } from './account-updates.ts'
import { BUCKETS, bucketOf, bucketPath, countUpdates, type MapUpdate, type Page, type PageStore } from './map-pages.ts'
import { descend, levelsOf, mapRootOf } from './map-tree.ts'

function pagesInMemory(): PageStore {
  const pages = new Map<string, Page>()
  return { get: (digits) => pages.get(digits) ?? null, put: (digits, page) => void pages.set(digits, page) }
}

export class AccountMap {
  readonly #buckets = Array.from({ length: BUCKETS }, pagesInMemory)
  readonly #subtrees: Subtree[] = Array.from({ length: BUCKETS }, () => null)

  /** Counts updates in the order of the log. */
  count(updates: readonly MapUpdate[]): void {
    for (const [bucket, some] of Map.groupBy(updates, ({ label }) => bucketOf(label)))
      this.#subtrees[bucket] = countUpdates(this.#storeOf(bucket), some)
  }

  get root(): string {
    return mapRootOf(this.#subtrees)
  }

  /** The newest key agreement that was counted. */
  agreement(label: string): LoggedAgreement | null {
    return valueFor(label, bucketPath(this.#storeOf(bucketOf(label)), label).terminal).agreement
  }

  path(label: string): MapPath {
    const { part, siblings } = descend(levelsOf(this.#subtrees), bucketOf(label))
    const found = part === null ? { terminal: null, siblings: [] } : bucketPath(this.#storeOf(part), label)
    return mapPath(found.terminal, [...siblings, ...found.siblings])
  }

  #storeOf(bucket: number): PageStore {
    const store = this.#buckets[bucket]
    if (!store) throw new RangeError('no such bucket')
    return store
  }
}
