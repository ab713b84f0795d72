import type { BatchResult } from '@svc/protocol/consent'
import { usageOf } from '@svc/protocol/consent-projection'
import { type SnapshotEntry, type SnapshotPage, verifySnapshotPage } from '@svc/protocol/consent-snapshot'

/** What a snapshot says of an identifier, in the words of a batch look-up. */
export type SnapshotAnswer =
  | (SnapshotEntry & { readonly found: true; readonly source: 'declared'; readonly usage: string })
  | Extract<BatchResult, { readonly source: 'default' }>

/** Everything that was declared at one time, verified, to be looked up without asking anybody. */
export class ConsentSnapshot {
  /** Epoch milliseconds: a full hour. */
  readonly at: number
  /** The pages as the service signed them: JSON that can be kept, and opened again by `ConsentSnapshot.open`. */
  readonly pages: readonly SnapshotPage[]
  readonly #entries: ReadonlyMap<string, SnapshotEntry>

  private constructor(at: number, pages: readonly SnapshotPage[], entries: ReadonlyMap<string, SnapshotEntry>) {
    this.at = at
    this.pages = pages
    this.#entries = entries
  }

  /**
   * Opens pages that were fetched before. Throws unless each is signed by the key and they meet, from the beginning to
   * the end, at one time: a page that was left out would read as nothing declared.
   */
  static async open(pages: readonly SnapshotPage[], expectedKeyB64u: string): Promise<ConsentSnapshot> {
    const entries = new Map<string, SnapshotEntry>()
    const [first] = pages
    if (!first) throw new Error('a snapshot has at least one page')
    let from: string | null = null
    for (const [i, page] of pages.entries()) {
      const { statement } = page
      const meets = statement.from === from && statement.at === first.statement.at && (from !== null || i === 0)
      if (!meets) throw new Error('the pages of the snapshot do not meet')
      if (!(await verifySnapshotPage(page, expectedKeyB64u))) throw new Error('a page of the snapshot does not hold')
      for (const entry of page.entries) entries.set(entry.hash, entry)
      from = statement.to
    }
    if (from !== null) throw new Error('the snapshot is not whole')
    return new ConsentSnapshot(first.statement.at, pages, entries)
  }

  /** Records in it. */
  get size(): number {
    return this.#entries.size
  }

  /** What was declared for an identifier; `source` is `default` where nothing was. */
  lookUp(hash: string): SnapshotAnswer {
    const entry = this.#entries.get(hash)
    if (!entry) return { found: false, hash, source: 'default' }
    return { ...entry, found: true, source: 'declared', usage: usageOf(entry.preferences) }
  }
}
