import { bucketOf } from '@svc/protocol/base/buckets'
import { DependencyFault, reaching } from '@svc/protocol/base/dependency-fault'
import { CONSENT_BUCKETS } from '@svc/protocol/consent/buckets'
import { compareHashes } from '@svc/protocol/consent/identifiers'
import type { Dispute } from '@svc/protocol/operator/reads'
import type { Placements } from '../placement/placements.ts'
import type { NewClaim } from './claims.ts'
import type { ConsentStoreObject } from './object.ts'
import type { Misplaced } from './ownership.ts'
import type { HistoryQuery, KeptHistory } from './reading.ts'
import type { NewAct } from './records.ts'
import type { BriefRecord, KeptRecord, SnapshotRow } from './rows.ts'
import type { ImportedRecord, Placed, SettlementRequest } from './transaction.ts'

type Store = DurableObjectStub<ConsentStoreObject>

/** Together a second and a half: a bucket is nowhere for the moment between two calls of its move. */
const MAX_ATTEMPTS = 30
const WAIT_MS = 50
const RETRY_AFTER_SECONDS = 1

/** All stores as one. Each call goes to the store that has the bucket, and follows a bucket that has moved. */
export class Stores {
  readonly #objects: DurableObjectNamespace<ConsentStoreObject>
  readonly #placements: Placements

  constructor(objects: DurableObjectNamespace<ConsentStoreObject>, placements: Placements) {
    this.#objects = objects
    this.#placements = placements
  }

  find(hash: string, actHash: string | null = null): Promise<KeptRecord | null> {
    return this.#ask(hash, (store, bucket) => store.find(bucket, hash, actHash))
  }

  hasClaim(hash: string, creatorDid: string): Promise<boolean> {
    return this.#ask(hash, (store, bucket) => store.hasClaim(bucket, hash, creatorDid))
  }

  history(hash: string, query: HistoryQuery): Promise<KeptHistory | null> {
    return this.#ask(hash, (store, bucket) => store.history(bucket, hash, query))
  }

  write(act: NewAct, now: number): Promise<KeptRecord | null> {
    return this.#ask(act.hash, (store, bucket) => store.write(bucket, act, now))
  }

  settle(request: SettlementRequest, now: number): Promise<KeptRecord | null> {
    return this.#ask(request.statement.contentHash, (store, bucket) => store.settle(bucket, request, now))
  }

  keepClaim(claim: NewClaim, hasRoom: boolean, now: number): Promise<boolean> {
    return this.#ask(claim.hash, (store, bucket) => store.keepClaim(bucket, claim, hasRoom, now))
  }

  withdraw(claim: Pick<NewClaim, 'hash' | 'creatorDid' | 'actHash'>, now: number): Promise<boolean> {
    return this.#ask(claim.hash, (store, bucket) => store.withdraw(bucket, claim, now))
  }

  snapshot(bucket: number, at: number, after: string | null, limit: number): Promise<SnapshotRow[]> {
    return this.#askAt(bucket, (store) => store.snapshot(bucket, at, after, limit))
  }

  /** The published ones among these identifiers, in any order. */
  async findMany(hashes: Iterable<string>): Promise<BriefRecord[]> {
    const found: BriefRecord[] = []
    await this.#spread(Map.groupBy(hashes, bucketOf), async (store, wanted) => {
      const here = await store.findMany(wanted)
      for (const record of here.found) found.push(record)
      return here.misplaced
    })
    return found
  }

  async import(records: readonly ImportedRecord[], now: number): Promise<{ added: number; others: string[] }> {
    const done = { added: 0, others: [] as string[] }
    await this.#spread(
      Map.groupBy(records, ({ bucket }) => bucket),
      async (store, some) => {
        const here = await store.import(
          some.flatMap(([, ofBucket]) => ofBucket),
          now,
        )
        done.added += here.added.length
        done.others.push(...here.others)
        return here.misplaced
      },
    )
    return done
  }

  /** The first disputes after an identifier, over all stores, once each bucket was answered for exactly once. */
  async disputes(after: string | null, limit: number): Promise<Dispute[]> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const names = await this.#placements.stores()
      const pages = await Promise.all(
        names.map((name) => reaching('consent', () => this.#objects.getByName(name).disputes(after, limit))),
      )
      const buckets = pages.flatMap((page) => page.buckets)
      if (buckets.length === CONSENT_BUCKETS && new Set(buckets).size === CONSENT_BUCKETS) {
        return pages
          .flatMap((page) => page.disputes)
          .toSorted((a, b) => compareHashes(a.contentHash, b.contentHash))
          .slice(0, limit)
      }
      await pause()
    }
    throw moving('some buckets are on their way')
  }

  #ask<T>(hash: string, call: (store: Store, bucket: number) => Promise<Placed<T>>): Promise<T> {
    const bucket = bucketOf(hash)
    return this.#askAt(bucket, (store) => call(store, bucket))
  }

  async #askAt<T>(bucket: number, call: (store: Store) => Promise<Placed<T>>): Promise<T> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const answer = await reaching('consent', () => call(this.#storeOf(bucket)))
      if (answer.ok) return answer.value
      if (!(await this.#follow(answer.error))) await pause()
    }
    throw moving(`bucket ${bucket} is on its way`)
  }

  /** Calls each store with the buckets that it has, all at the same time, and again for those that have moved. */
  async #spread<T>(
    items: Map<number, T[]>,
    call: (store: Store, some: [bucket: number, items: T[]][]) => Promise<readonly Misplaced[]>,
  ): Promise<void> {
    let rest = items
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const byStore = Map.groupBy(rest, ([bucket]) => this.#placements.of(bucket).store)
      const refused = await Promise.all(
        [...byStore].map(([name, some]) => reaching('consent', () => call(this.#objects.getByName(name), some))),
      )
      const misplaced = refused.flat()
      if (misplaced.length === 0) return
      const hasNews = await Promise.all(misplaced.map((one) => this.#follow(one)))
      if (hasNews.includes(false)) await pause()
      rest = new Map(misplaced.map(({ bucket }) => [bucket, items.get(bucket) ?? []]))
    }
    throw moving(`${rest.size} buckets are on their way`)
  }

  /** Whether the bucket is known to be elsewhere now. A write to one that is about to move is for the caller to repeat. */
  async #follow(refusal: Misplaced): Promise<boolean> {
    if (refusal.reason === 'sealed') throw moving(`bucket ${refusal.bucket} is sealed`)
    return this.#placements.follow(refusal)
  }

  #storeOf(bucket: number): Store {
    return this.#objects.getByName(this.#placements.of(bucket).store)
  }
}

function moving(what: string): DependencyFault {
  return new DependencyFault('consent', { cause: new Error(what), retryAfterSeconds: RETRY_AFTER_SECONDS })
}

const pause = () => scheduler.wait(WAIT_MS)
