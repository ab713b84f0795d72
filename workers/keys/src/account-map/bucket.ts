import type { ObjectStorage } from '@svc/objects'
import { fromHex, toHex } from '@svc/protocol/base/hash'
import { err, ok, type Result } from '@svc/protocol/base/result'
import type { MapAccount, Subtree } from '@svc/protocol/keys/account-map'
import { bucketPath, countUpdates, type MapUpdate } from '@svc/protocol/keys/map-pages'
import { BucketStore } from './bucket-store.ts'
import { MAP_BUCKET } from './schema.ts'

/** What a bucket comes to; null without accounts. */
export type BucketHead = { readonly hash: string; readonly isLone: boolean } | null

export function subtreeOfHead(head: BucketHead): Subtree {
  return head && { hash: fromHex(head.hash), isLone: head.isLone }
}

function headOf(subtree: Subtree): BucketHead {
  return subtree && { hash: toHex(subtree.hash), isLone: subtree.isLone }
}

export function isSameHead(a: BucketHead, b: BucketHead): boolean {
  return a?.hash === b?.hash && a?.isLone === b?.isLone
}

/** The head after a step of an epoch, and the head before that epoch. */
interface Counted {
  readonly epoch: number
  readonly step: number
  readonly until: string
  readonly head: BucketHead
  readonly before: BucketHead
}
const NOTHING: Counted = { epoch: 0, step: 0, until: '', head: null, before: null }

export interface CountCall {
  readonly epoch: number
  /** Steps of an epoch are counted from 1. */
  readonly step: number
  /** Which entries are counted after it. */
  readonly until: string
  /** What the bucket came to before this step. */
  readonly from: BucketHead
  readonly updates: readonly MapUpdate[]
}

export interface RefillCall extends Pick<CountCall, 'from' | 'until' | 'updates'> {}

/** The bucket is not where its caller has left it: it lost its storage, or one of the two was restored. */
export type Lost = { readonly reason: 'lost' }

/** The path of a label below the top of the bucket; siblings as hex, null for an empty one. */
export interface FoundPath {
  readonly terminal: MapAccount | null
  readonly siblings: readonly (string | null)[]
}

/** One bucket of the map. Each step is a transaction; its repetition changes nothing. */
export class Bucket {
  readonly #stored: ObjectStorage
  readonly #store: BucketStore

  constructor(stored: ObjectStorage) {
    this.#stored = stored
    this.#store = new BucketStore(stored.sql)
  }

  count({ epoch, step, until, from, updates }: CountCall): Result<BucketHead, Lost> {
    const known = this.#known
    if (known.epoch === epoch && known.step === step && known.until === until) return ok(known.head)
    const isNext = known.epoch < epoch || (known.epoch === epoch && known.step < step)
    if (!isNext || !isSameHead(known.head, from)) return err({ reason: 'lost' })
    const before = known.epoch === epoch ? known.before : known.head
    return ok(this.#write(epoch, updates, (head) => ({ epoch, step, until, head, before })))
  }

  /** Forgets everything, so that all entries are counted again. */
  reset(): void {
    if (!this.#stored.exists) return
    this.#stored.transact(() => {
      this.#store.clear()
      this.#stored.facts.put('head', NOTHING)
    })
  }

  /** Counts entries again after a reset, in order. */
  refill({ from, until, updates }: RefillCall): Result<BucketHead, Lost> {
    const known = this.#known
    if (known.epoch === 0 && until !== '' && known.until === until) return ok(known.head)
    if (known.epoch !== 0 || !isSameHead(known.head, from)) return err({ reason: 'lost' })
    return ok(this.#write(0, updates, (head) => ({ ...NOTHING, until, head })))
  }

  /** In the bucket as it was when it came to `head`: now, or before its newest epoch. */
  path(label: string, head: BucketHead): Result<FoundPath, Lost> {
    if (head === null) return ok({ terminal: null, siblings: [] })
    const known = this.#known
    const isNow = isSameHead(known.head, head)
    if (!isNow && !isSameHead(known.before, head)) return err({ reason: 'lost' })
    const pages = isNow ? this.#store.at(known.epoch) : this.#store.before(known.epoch)
    const { terminal, siblings } = bucketPath(pages, label)
    return ok({ terminal, siblings: siblings.map((sibling) => sibling && toHex(sibling)) })
  }

  /** What the bucket has of an account now; null if it does not have it. */
  account(label: string): MapAccount | null {
    const { head, epoch } = this.#known
    if (head === null) return null
    const { terminal } = bucketPath(this.#store.at(epoch), label)
    return terminal?.label === label ? terminal : null
  }

  get #known(): Counted {
    return this.#stored.facts.get<Counted>('head') ?? NOTHING
  }

  #write(epoch: number, updates: readonly MapUpdate[], countedAs: (head: BucketHead) => Counted): BucketHead {
    return this.#stored.transact(() => {
      this.#stored.create(MAP_BUCKET)
      const head = headOf(countUpdates(this.#store.at(epoch), updates))
      this.#stored.facts.put('head', countedAs(head))
      return head
    })
  }
}
