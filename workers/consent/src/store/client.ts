import { reaching } from '@svc/protocol/base/dependency-fault'
import { bucketOfHash } from '@svc/protocol/consent/buckets'
import { compareHashes, identifierHashAsync } from '@svc/protocol/consent/identifiers'
import type { Dispute } from '@svc/protocol/operator/reads'
import type { NewClaim } from './claims.ts'
import { STORE_NAMES, storeOf } from './names.ts'
import type { ConsentStoreObject } from './object.ts'
import type { KeptHistory } from './reading.ts'
import type { HistoryQuery, NewAct } from './records.ts'
import type { BriefRecord, KeptRecord, SnapshotRow } from './rows.ts'
import type { ImportedHere, ImportedRecord, SettlementRequest } from './transaction.ts'

type Store = DurableObjectStub<ConsentStoreObject>

/** All stores as one. Each call goes to the store of the bucket. */
export class Stores {
  readonly #objects: DurableObjectNamespace<ConsentStoreObject>

  constructor(objects: DurableObjectNamespace<ConsentStoreObject>) {
    this.#objects = objects
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
    return this.#askAt(storeOf(bucket), (store) => store.snapshot(bucket, at, after, limit))
  }

  /** The published ones among these identifiers, in any order. */
  async findMany(hashes: Iterable<string>): Promise<BriefRecord[]> {
    const byBucket = Map.groupBy(await Promise.all(Array.from(hashes, identifierHashAsync)), bucketOfHash)
    const byStore = Map.groupBy(byBucket, ([bucket]) => storeOf(bucket))
    const found = await Promise.all(
      [...byStore].map(([name, wanted]) => this.#askAt(name, (store) => store.findMany(wanted))),
    )
    return found.flat()
  }

  async import(records: readonly ImportedRecord[], now: number): Promise<ImportedHere> {
    const byStore = Map.groupBy(records, ({ bucket }) => storeOf(bucket))
    const done = await Promise.all(
      [...byStore].map(([name, some]) => this.#askAt(name, (store) => store.import(some, now))),
    )
    return { added: done.flatMap(({ added }) => added), others: done.flatMap(({ others }) => others) }
  }

  /** The first disputes after an identifier, over all stores. */
  async disputes(after: string | null, limit: number): Promise<Dispute[]> {
    const pages = await Promise.all(
      STORE_NAMES.map((name) => this.#askAt(name, (store) => store.disputes(after, limit))),
    )
    return pages
      .flat()
      .toSorted((a, b) => compareHashes(a.contentHash, b.contentHash))
      .slice(0, limit)
  }

  async #ask<T>(hash: string, call: (store: Store, bucket: number) => Promise<T>): Promise<T> {
    const bucket = bucketOfHash(await identifierHashAsync(hash))
    return this.#askAt(storeOf(bucket), (store) => call(store, bucket))
  }

  #askAt<T>(name: string, call: (store: Store) => Promise<T>): Promise<T> {
    return reaching('consent', () => call(this.#objects.getByName(name)))
  }
}
