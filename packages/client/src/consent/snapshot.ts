import * as z from 'zod'
import { pure } from '#protocol/base/pure'
import type { Realms } from '#protocol/base/realm'
import { bucketOfHash } from '#protocol/consent/buckets'
import type { BatchResult } from '#protocol/consent/consent'
import { creatorHash, identifierHash } from '#protocol/consent/identifiers'
import { usageOf } from '#protocol/consent/projection'
import {
  type SnapshotEntry,
  type SnapshotPage,
  snapshotPageSchema,
  verifySnapshotPage,
} from '#protocol/consent/snapshot'
import { checkCall } from '../arguments/check.ts'
import { type TrustedKeys, trustedKeyOf } from '../discovery/trusted-keys.ts'
import { readAnswer } from '../verification/read-answer.ts'
import { safely, type Verified } from '../verification/safe.ts'
import { unverified } from '../verification/verification-error.ts'

const pagesSchema = /* @__PURE__ */ pure(() => z.array(snapshotPageSchema))

/** What a snapshot says about an identifier, in the form of a batch answer. */
export type SnapshotAnswer =
  | (Pick<SnapshotEntry, 'creator_hash' | 'preferences'> & {
      readonly found: true
      readonly hash: string
      readonly source: 'declared'
      readonly usage: string
    })
  | Extract<BatchResult, { readonly source: 'default' }>

/** What was declared at one time in some buckets or in all of them, verified, for local lookups. */
export class ConsentSnapshot {
  /** Epoch milliseconds: a full hour. */
  readonly at: number
  /** The signed pages: JSON to store and reopen with `ConsentSnapshot.open`. */
  readonly pages: readonly SnapshotPage[]
  /** The buckets that it holds. */
  readonly buckets: ReadonlySet<number>
  readonly #entries: ReadonlyMap<string, SnapshotEntry>

  private constructor(
    at: number,
    pages: readonly SnapshotPage[],
    held: { readonly buckets: ReadonlySet<number>; readonly entries: ReadonlyMap<string, SnapshotEntry> },
  ) {
    this.at = at
    this.pages = pages
    this.buckets = held.buckets
    this.#entries = held.entries
  }

  /**
   * Reopens stored pages. Throws unless each is signed by the key for one of the realms, and they cover each of their buckets at one time without
   * a gap, from the beginning to the end: a missing page would read as nothing declared.
   */
  static async open(
    pages: readonly SnapshotPage[],
    expectedKeys: string | TrustedKeys,
    expectedRealms: Realms,
  ): Promise<ConsentSnapshot> {
    checkCall(
      'ConsentSnapshot.open',
      [pages, expectedKeys, expectedRealms],
      ['pages', 'expectedKeys', 'expectedRealms'],
    )
    const read = readAnswer(pagesSchema, pages)
    const [entries, buckets] = [new Map<string, SnapshotEntry>(), new Set<number>()]
    const [first] = read
    if (!first) throw unverified('snapshot', 'empty', 'A snapshot has at least one page')
    let { bucket } = first.statement
    let from: string | null = null
    for (const [position, page] of read.entries()) {
      const { statement } = page
      if (from === null) bucket = statement.bucket
      const meets = statement.bucket === bucket && statement.from === from && !buckets.has(bucket)
      if (!meets || statement.at !== first.statement.at)
        throw unverified('snapshot', 'left_out', 'The pages of the snapshot are not contiguous', {
          where: { position },
          evidence: statement,
        })
      const keys = typeof expectedKeys === 'string' ? () => [expectedKeys] : expectedKeys
      const key = await trustedKeyOf(page, keys, 'snapshot', { position })
      const isSigned = await verifySnapshotPage(page, key, expectedRealms)
      if (!isSigned)
        throw unverified('snapshot', 'invalid_signature', 'A page of the snapshot is invalid', {
          where: { position },
          evidence: page,
        })
      for (const entry of page.entries) entries.set(entry.identifier_hash, entry)
      from = statement.to
      if (from === null) buckets.add(bucket)
    }
    if (from !== null)
      throw unverified('snapshot', 'left_out', 'The snapshot is incomplete', { where: { position: read.length } })
    return new ConsentSnapshot(first.statement.at, read, { buckets, entries })
  }

  /** `open` as a result. */
  static safeOpen(...given: Parameters<typeof ConsentSnapshot.open>): Promise<Verified<ConsentSnapshot>> {
    return safely(() => ConsentSnapshot.open(...given))
  }

  /** When the service signed the oldest page, epoch milliseconds. */
  get signedAt(): number {
    return Math.min(...this.pages.map(({ statement }) => statement.issuedAt))
  }

  /** Number of records. */
  get size(): number {
    return this.#entries.size
  }

  /** What was declared for an identifier; `source` is `default` if nothing was. Throws if its bucket is not held. */
  lookUp(hash: string): SnapshotAnswer {
    checkCall('consentSnapshot.lookUp', [hash], ['hash'])
    const entry = this.entry(hash)
    if (!entry) return { found: false, hash, source: 'default' }
    const { creator_hash, preferences } = entry
    return { found: true, hash, source: 'declared', creator_hash, preferences, usage: usageOf(preferences) }
  }

  /**
   * Whether this identity declared it: a snapshot tells that to those who know both. False also if nothing was declared, or
   * if the record has no owner.
   */
  isDeclaredBy(hash: string, did: string): boolean {
    checkCall('consentSnapshot.isDeclaredBy', [hash, did], ['hash', 'did'])
    return this.entry(hash)?.creator_hash === creatorHash(hash, did)
  }

  /** The signed entry of an identifier; null if nothing was declared for it. Throws if its bucket is not held. */
  entry(hash: string): SnapshotEntry | null {
    checkCall('consentSnapshot.entry', [hash], ['hash'])
    const name = identifierHash(hash)
    const bucket = bucketOfHash(name)
    if (!this.buckets.has(bucket))
      throw new RangeError(`The snapshot does not hold bucket ${bucket} of this identifier`)
    return this.#entries.get(name) ?? null
  }
}
