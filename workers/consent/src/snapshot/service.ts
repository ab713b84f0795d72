import type { DeploymentSigner } from '@svc/protocol/base/deployment-signer'
import { err, ok, type Result } from '@svc/protocol/base/result'
import { CONSENT_BUCKETS } from '@svc/protocol/consent/buckets'
import {
  entriesHash,
  isSnapshotTime,
  newestSnapshotTime,
  SNAPSHOT_PAGE,
  type SnapshotEntry,
  type SnapshotPage,
} from '@svc/protocol/consent/snapshot'
import type { Stores } from '../store/client.ts'
import type { PageStore } from './page-store.ts'

export type SnapshotRefusal = { readonly reason: 'snapshots_unavailable' | 'snapshot_unknown' }

/** Pages of what was declared at a full hour, each signed with the range for which it is complete. An hour is final when it can be read, so a page is made once. */
export class SnapshotService {
  readonly #stores: Pick<Stores, 'snapshot'>
  readonly #pages: Pick<PageStore, 'find' | 'keep'>
  readonly #signer: DeploymentSigner

  constructor(stores: Pick<Stores, 'snapshot'>, pages: Pick<PageStore, 'find' | 'keep'>, signer: DeploymentSigner) {
    this.#stores = stores
    this.#pages = pages
    this.#signer = signer
  }

  /** As base64url; null if the deployment has no snapshot key. */
  publicKey(at: number): Promise<string | null> {
    return this.#signer.publicKey(at)
  }

  async page(
    {
      bucket,
      at = null,
      from = null,
    }: {
      readonly bucket: number
      readonly at?: number | null | undefined
      readonly from?: string | null | undefined
    },
    now: number,
  ): Promise<Result<SnapshotPage, SnapshotRefusal>> {
    if (!this.#signer.isReady) return err({ reason: 'snapshots_unavailable' })
    const time = at ?? newestSnapshotTime(now)
    if (!isSnapshotTime(time, now)) return err({ reason: 'snapshot_unknown' })
    const keyB64u = (await this.#signer.publicKey(now)) ?? ''
    const name = { at: time, bucket, from, keyB64u }
    const kept = await this.#pages.find(name)
    if (kept) return ok(kept)
    const rows = await this.#stores.snapshot(bucket, time, from, SNAPSHOT_PAGE + 1)
    const mine = rows.slice(0, SNAPSHOT_PAGE)
    const entries = mine.flatMap(({ identifierHash, creatorHash, preferences }): SnapshotEntry[] =>
      preferences ? [{ identifier_hash: identifierHash, creator_hash: creatorHash, preferences }] : [],
    )
    const to = rows.length > SNAPSHOT_PAGE ? (mine.at(-1)?.identifierHash ?? null) : null
    const signed = await this.#signer.sign({
      type: 'svc/consent-snapshot/v1' as const,
      at: time,
      bucket,
      buckets: CONSENT_BUCKETS,
      from,
      to,
      count: entries.length,
      entriesHash: await entriesHash(entries),
      issuedAt: now,
    })
    return signed ? ok(await this.#pages.keep(name, { ...signed, entries })) : err({ reason: 'snapshots_unavailable' })
  }
}
