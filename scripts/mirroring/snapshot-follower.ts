import type { Realms } from '@svc/protocol/base/realm'
import { newestSnapshotTime, type SnapshotPage, verifySnapshotPage } from '@svc/protocol/consent/snapshot'
import { keysAt, type ServiceKey } from '@svc/protocol/http/service-keys'
import { Contradiction } from './contradiction.ts'
import type { MirrorStore } from './mirror-store.ts'

/** A snapshot can be read for a day. One that is this old is left unfinished for the next. */
const MAX_AGE_MS = 20 * 3_600_000
const SIGNER = { service: 'consent', use: 'snapshot' } as const

/** Asks for a page: of a bucket at a full hour, after a hash. */
export type ReadPage = (bucket: number, at: number, from: string | null) => Promise<SnapshotPage>

/**
 * Keeps the newest snapshot of consent that is complete in all of the mirror's buckets. The one before stays until then,
 * so that what is served was declared at one time.
 */
export class SnapshotFollower {
  readonly #store: MirrorStore
  readonly #read: ReadPage
  readonly #parts: {
    readonly realms: Realms
    readonly keys: readonly ServiceKey[]
    readonly buckets: readonly number[]
  }

  constructor(
    store: MirrorStore,
    read: ReadPage,
    parts: { readonly realms: Realms; readonly keys: readonly ServiceKey[]; readonly buckets: readonly number[] },
  ) {
    this.#store = store
    this.#read = read
    this.#parts = parts
  }

  /** The time of the snapshot that is served now, epoch ms. */
  async follow(now: number, isStopping: () => boolean): Promise<number | null> {
    const served = servedSnapshot(this.#store)
    const started = Number(this.#store.fact('snapshot started') ?? 0)
    const isUnfinished = started > (served ?? 0) && now - started < MAX_AGE_MS
    const at = isUnfinished ? started : newestSnapshotTime(now)
    if (at === served) return served
    this.#store.setFact('snapshot started', at)
    for (const bucket of this.#parts.buckets) {
      if (isStopping()) return served
      await this.#bucket(at, bucket)
    }
    this.#store.transact(() => {
      this.#store.setFact('snapshot', at)
      this.#store.run('DELETE FROM pages WHERE at <> ?', at)
    })
    return at
  }

  async #bucket(at: number, bucket: number): Promise<void> {
    for (;;) {
      const last = this.#store.get(
        'SELECT number, page, is_last FROM pages WHERE at = ? AND bucket = ? ORDER BY number DESC LIMIT 1',
        at,
        bucket,
      )
      if (last?.['is_last'] === 1) return
      const before = last && (JSON.parse(String(last['page'])) as SnapshotPage).statement
      const from = before?.to ?? null
      const page = await this.#read(bucket, at, from)
      await this.#verify(page, { at, bucket, from })
      this.#store.run(
        'INSERT INTO pages (at, bucket, number, start, page, is_last) VALUES (?, ?, ?, ?, ?, ?)',
        at,
        bucket,
        last ? Number(last['number']) + 1 : 0,
        from,
        JSON.stringify(page),
        page.statement.to === null ? 1 : 0,
      )
    }
  }

  async #verify(page: SnapshotPage, asked: { at: number; bucket: number; from: string | null }): Promise<void> {
    const { statement, publicKeyB64u } = page
    const isAsked = statement.at === asked.at && statement.bucket === asked.bucket && statement.from === asked.from
    // A page that ends where it starts would never end.
    if (!isAsked || (statement.to !== null && statement.to === asked.from))
      throw new Contradiction('left_out', { known: asked, shown: statement })
    const isKnown = keysAt(this.#parts.keys, SIGNER, statement.issuedAt).some(
      (key) => key.publicKeyB64u === publicKeyB64u,
    )
    if (!isKnown || !(await verifySnapshotPage(page, publicKeyB64u, this.#parts.realms)))
      throw new Contradiction('invalid_signature', { shown: page })
  }
}

/** Of the snapshot that is served: its full hour, epoch ms. */
export function servedSnapshot(store: MirrorStore): number | null {
  const at = store.fact('snapshot')
  return typeof at === 'number' ? at : null
}
