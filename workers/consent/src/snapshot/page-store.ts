import { reaching } from '@svc/protocol/base/dependency-fault'
import { hashTextHex } from '@svc/protocol/base/hash'
import { SNAPSHOT_STEP_MS, type SnapshotPage } from '@svc/protocol/consent/snapshot'
import { OBJECT_PREFIXES, snapshotBeginKey, snapshotKey, snapshotPlaceKey, snapshotPrefix } from '../object-keys.ts'

/** A snapshot can be asked for during a day, and its pages may be on their way for an hour more. */
const KEPT_MS = 25 * SNAPSHOT_STEP_MS
/** The most that R2 lists or deletes in one call. */
const MAX_KEYS = 1_000
const SHORT = 32

export interface PageName {
  readonly at: number
  readonly bucket: number
  readonly from: string | null
  /** Who signed it: after a change of the key, pages are signed anew. */
  readonly keyB64u: string
}

/** The page of a snapshot that is made next; bucket 1,024 when all are made. */
export interface PagePlace {
  readonly bucket: number
  readonly from: string | null
}

/** Signed pages in R2, from the first of each bucket on. Each is created once, and is the same for everybody. */
export class PageStore {
  readonly #bucket: R2Bucket

  constructor(bucket: R2Bucket) {
    this.#bucket = bucket
  }

  async find(name: PageName): Promise<SnapshotPage | null> {
    return reaching('consent snapshots', async () => {
      const object = await this.#bucket.get(keyOf(name))
      return object && (await object.json<SnapshotPage>())
    })
  }

  /**
   * The page that is kept: this one, or that of a faster request. Anybody can ask for a page that begins anywhere: one that
   * does not follow a page that is kept is not kept either.
   */
  async keep(name: PageName, page: SnapshotPage): Promise<SnapshotPage> {
    if (!(await this.#isBegin(name))) return page
    const { to } = page.statement
    if (to !== null) await reaching('consent snapshots', () => this.#bucket.put(beginKeyOf(name, to), ''))
    const put = () => this.#bucket.put(keyOf(name), JSON.stringify(page), { onlyIf: { etagDoesNotMatch: '*' } })
    const written = await reaching('consent snapshots', put)
    return written ? page : ((await this.find(name)) ?? page)
  }

  /** How far the snapshot of an hour was made in advance. */
  async place(at: number, keyB64u: string): Promise<PagePlace> {
    return reaching('consent snapshots', async () => {
      const object = await this.#bucket.get(snapshotPlaceKey(at, signerOf(keyB64u)))
      return object === null ? { bucket: 0, from: null } : object.json<PagePlace>()
    })
  }

  async keepPlace(at: number, keyB64u: string, place: PagePlace): Promise<void> {
    const key = snapshotPlaceKey(at, signerOf(keyB64u))
    await reaching('consent snapshots', () => this.#bucket.put(key, JSON.stringify(place)))
  }

  /** Deletes the pages of hours that nobody can ask for any more. Idempotent. */
  async sweep(now: number): Promise<void> {
    const prefix = OBJECT_PREFIXES.snapshots
    const { delimitedPrefixes } = await reaching('consent snapshots', () =>
      this.#bucket.list({ prefix, delimiter: '/' }),
    )
    const hours = delimitedPrefixes.map((folder) => Number(folder.slice(prefix.length, -1)))
    for (const at of hours) if (at < now - KEPT_MS) await this.#delete(snapshotPrefix(at))
  }

  async #isBegin(name: PageName): Promise<boolean> {
    const { from } = name
    if (from === null) return true
    return (await reaching('consent snapshots', () => this.#bucket.head(beginKeyOf(name, from)))) !== null
  }

  async #delete(prefix: string): Promise<void> {
    for (;;) {
      const { objects } = await reaching('consent snapshots', () => this.#bucket.list({ prefix, limit: MAX_KEYS }))
      if (objects.length === 0) return
      await reaching('consent snapshots', () => this.#bucket.delete(objects.map(({ key }) => key)))
    }
  }
}

function keyOf({ at, bucket, from, keyB64u }: PageName): string {
  return snapshotKey(at, bucket, `${signerOf(keyB64u)}-${from === null ? 'first' : shortOf(from)}`)
}

const beginKeyOf = ({ at, bucket }: PageName, from: string) => snapshotBeginKey(at, bucket, shortOf(from))
const shortOf = (hash: string) => hash.slice(0, SHORT)
const signerOf = (keyB64u: string) => shortOf(hashTextHex(keyB64u))
