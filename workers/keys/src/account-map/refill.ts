import type { ObjectStorage } from '@svc/objects'
import { bucketOf } from '@svc/protocol/keys/map-pages'
import { type BucketHead, isSameHead } from './bucket.ts'
import type { CallBudget } from './calls.ts'
import { inParallel, updatesOf } from './entries-of-buckets.ts'
import type { LogWalk, WalkStep } from './log-walk.ts'
import { isSamePlace, type LogPlace, placeName } from './map-store.ts'
import type { MapBuckets } from './ports.ts'

/** Buckets that are counted again from the first entry on, and how far. */
interface Refilling {
  readonly until: LogPlace
  readonly counted: LogPlace
  readonly heads: Readonly<Record<number, BucketHead>>
}

/** What the buckets must come to again. */
export interface RefillTarget {
  /** The log that the entries begin in. */
  readonly first: string
  readonly until: LogPlace
  readonly heads: readonly BucketHead[]
}

interface RefillParts {
  readonly stored: ObjectStorage
  readonly buckets: MapBuckets
  readonly walk: LogWalk
  readonly budget: CallBudget
}

/** Counts all entries of buckets that lost their pages again: one reading of the logs for all of them. */
export class BucketRefill {
  readonly #parts: RefillParts

  constructor(parts: RefillParts) {
    this.#parts = parts
  }

  /**
   * Returns the buckets that are whole again; null if the turn is over first. Called again with the same place, it goes
   * on with those that it began with: others that are found meanwhile come after them, and delay nothing.
   */
  async run(lost: readonly number[], { first, until, heads }: RefillTarget): Promise<number[] | null> {
    const { walk, budget } = this.#parts
    let state = this.#kept(until)
    if (!state && budget.isSpent) return null
    state ??= await this.#begin(lost, first, until)
    while (!isSamePlace(state.counted, until)) {
      if (budget.isSpent) return null
      const head = await walk.head(state.counted.log)
      const end = state.counted.log === until.log ? until.size : head.size
      if (state.counted.size < end) {
        const next = await this.#step(state, await walk.step(state.counted, head, end))
        if (!next) return null
        state = next
      } else {
        state = { ...state, counted: { log: head.ending?.next ?? until.log, size: 0 } }
      }
    }
    this.#forget()
    const wrong = Object.entries(state.heads).find(([bucket, head]) => !isSameHead(head, heads[Number(bucket)] ?? null))
    if (wrong) throw new Error(`bucket ${wrong[0]} does not follow from the entries`)
    return Object.keys(state.heads).map(Number)
  }

  #kept(until: LogPlace): Refilling | null {
    const kept = this.#parts.stored.facts.get<Refilling>('refilling')
    return kept && isSamePlace(kept.until, until) ? kept : null
  }

  async #begin(lost: readonly number[], first: string, until: LogPlace): Promise<Refilling> {
    const { buckets, budget } = this.#parts
    budget.spend(lost.length)
    await inParallel(lost, (bucket) => buckets.reset(bucket))
    const heads = Object.fromEntries(lost.map((bucket) => [bucket, null]))
    return this.#keep({ until, counted: { log: first, size: 0 }, heads })
  }

  /** Null if a bucket is lost again: the next turn begins anew. */
  async #step(state: Refilling, { to, lines }: WalkStep): Promise<Refilling | null> {
    const { buckets, budget } = this.#parts
    const heads: Record<number, BucketHead> = { ...state.heads }
    const updates = Map.groupBy(updatesOf(lines), ({ label }) => bucketOf(label))
    const touched = [...updates].filter(([bucket]) => bucket in heads)
    let isLost = false
    budget.spend(touched.length)
    await inParallel(touched, async ([bucket, own]) => {
      const after = await buckets.refill(bucket, { from: heads[bucket] ?? null, until: placeName(to), updates: own })
      if (after.ok) heads[bucket] = after.value
      else isLost = true
    })
    if (!isLost) return this.#keep({ ...state, counted: to, heads })
    this.#forget()
    return null
  }

  #keep(state: Refilling): Refilling {
    const { stored } = this.#parts
    stored.transact(() => stored.facts.put('refilling', state))
    return state
  }

  #forget(): void {
    const { stored } = this.#parts
    stored.transact(() => stored.facts.delete('refilling'))
  }
}
