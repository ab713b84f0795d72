import { CONSENT_BUCKETS } from '@svc/protocol/consent/buckets'
import { newestSnapshotTime } from '@svc/protocol/consent/snapshot'
import type { PageStore } from './page-store.ts'
import type { SnapshotService } from './service.ts'

/**
 * A page takes five calls at most, and an invocation has 1,000. Twelve runs an hour make 2,304 pages: 1,024 buckets of two
 * pages, some ten million records. What is missing then is made by the first who asks for it.
 */
const MAX_PAGES = 192
/** A run that is killed has this many pages looked up again. */
const KEPT_EVERY = 64

/**
 * Makes the snapshot of the last full hour before anybody asks for it, in the order of its pages, a few per run of the
 * cron trigger. A page is created once. The place only says where to go on, so two runs at the same time, or a place that
 * was lost, repeat reads and change nothing.
 */
export class SnapshotMaker {
  readonly #snapshots: Pick<SnapshotService, 'page' | 'publicKey'>
  readonly #pages: Pick<PageStore, 'place' | 'keepPlace'>
  readonly #maxPages: number

  constructor(
    snapshots: Pick<SnapshotService, 'page' | 'publicKey'>,
    pages: Pick<PageStore, 'place' | 'keepPlace'>,
    maxPages = MAX_PAGES,
  ) {
    this.#snapshots = snapshots
    this.#pages = pages
    this.#maxPages = maxPages
  }

  /** Throws a fault if a page cannot be made; the next run begins with that page. */
  async run(now: number): Promise<void> {
    const keyB64u = await this.#snapshots.publicKey(now)
    if (keyB64u === null) return
    const at = newestSnapshotTime(now)
    const begun = await this.#pages.place(at, keyB64u)
    let place = begun
    try {
      for (let made = 1; made <= this.#maxPages && place.bucket < CONSENT_BUCKETS; made++) {
        const page = await this.#snapshots.page({ ...place, at }, now)
        if (!page.ok) return
        const { to } = page.value.statement
        place = to === null ? { bucket: place.bucket + 1, from: null } : { bucket: place.bucket, from: to }
        if (made % KEPT_EVERY === 0) await this.#pages.keepPlace(at, keyB64u, place)
      }
    } finally {
      if (place !== begun) await this.#pages.keepPlace(at, keyB64u, place)
    }
  }
}
