import type { ObjectStorage } from '@svc/objects'
import { mapLeafId, mapLine } from '@svc/protocol/keys/account-map'
import { bucketOf } from '@svc/protocol/keys/map-pages'
import { mapRootOf } from '@svc/protocol/keys/map-tree'
import { openEntrySchema, readEntry } from '@svc/protocol/merkle/entries'
import { subtreeOfHead } from './bucket.ts'
import { CallBudget } from './calls.ts'
import { inParallel, updatesOf } from './entries-of-buckets.ts'
import { LogWalk, type WalkStep } from './log-walk.ts'
import { isSamePlace, type MapPlan, MapStore, NO_HEADS, placeName, type SignedMap } from './map-store.ts'
import { lookAhead, type Outlook } from './outlook.ts'
import type { MapBuckets, MapLogs } from './ports.ts'
import { BucketRefill, type RefillTarget } from './refill.ts'
import { ACCOUNT_MAP } from './schema.ts'

/** Between two maps. */
export const MAP_MS = 10_000

export interface PublisherParts {
  readonly stored: ObjectStorage
  readonly logs: MapLogs
  readonly buckets: MapBuckets
  readonly now: () => number
}

/**
 * Makes maps: counts the entries after the newest map into the buckets, and has the root of all buckets logged.
 *
 * 1. A plan says up to where the log is counted. It is stored first.
 * 2. Each step hands entries to the buckets, then stores what they come to. A bucket takes a step once.
 * 3. The log takes the leaf of the map once, by its epoch.
 * 4. The map becomes the newest one. Until then proofs are made from the one before.
 *
 * A crash between any two repeats what was not stored. After a start and after a failure, the log is read again: what it
 * has is the truth, and a map that it has already is not made a second time.
 *
 * However much there is to read after a loss, a turn makes a bounded number of calls, and the next one goes on.
 */
export class MapPublisher {
  readonly #parts: PublisherParts
  readonly #store: MapStore
  readonly #budget = new CallBudget()
  readonly #walk: LogWalk
  readonly #refill: BucketRefill
  #hasLooked = false
  #found: Outlook['map'] = null

  constructor(parts: PublisherParts) {
    this.#parts = parts
    this.#store = new MapStore(parts.stored.sql)
    this.#walk = new LogWalk(parts.logs, this.#budget)
    const { stored, buckets } = parts
    this.#refill = new BucketRefill({ stored, buckets, walk: this.#walk, budget: this.#budget })
  }

  signed(): SignedMap | null {
    return this.#parts.stored.exists ? this.#store.signed() : null
  }

  /** Has a bucket recomputed by the next turn. */
  askRepair(bucket: number): void {
    this.#parts.stored.transact(() => {
      this.#parts.stored.create(ACCOUNT_MAP)
      this.#store.askRepair(bucket)
    })
  }

  /**
   * Publishes a map if there are updates after the newest one, or the open log has none. Idempotent at every step.
   * `unfinished` means that another turn has to follow at once.
   */
  async turn(): Promise<'done' | 'unfinished'> {
    this.#budget.renew()
    try {
      await this.#begin()
      const plan = await this.#plan()
      if (plan === 'unfinished') return plan
      if (plan) {
        const counted = await this.#count(plan)
        if (!counted) return 'unfinished'
        await this.#publish(counted)
      }
      return (await this.#repair()) ? 'done' : 'unfinished'
    } catch (error) {
      // A log may have taken a map whose place was lost, and be closed by the next turn.
      this.#hasLooked = false
      throw error
    }
  }

  /** Learns which logs there are: the open one, and those that it goes back to. */
  async #begin(): Promise<void> {
    const { stored, logs } = this.#parts
    if (stored.exists && this.#store.logs().length > 0) return
    const names: string[] = []
    for (let { log }: { log: string | null } = await logs.open(); log !== null; ) {
      names.unshift(log)
      const [line = ''] = await logs.entries(log, await logs.head(log), 0, 1)
      log = openEntrySchema.loose().parse(readEntry(line).value).previous?.log ?? null
    }
    stored.transact(() => {
      stored.create(ACCOUNT_MAP)
      for (const log of names) this.#store.addLog(log)
    })
  }

  /** The plan to go on with; null if there is nothing to do. */
  async #plan(): Promise<MapPlan | 'unfinished' | null> {
    const { logs, now, stored } = this.#parts
    const signed = this.#store.signed()
    const plan = this.#store.plan()
    const from = signed?.counted ?? { log: this.#store.logs()[0]?.log ?? (await logs.open()).log, size: 0 }
    if (plan && this.#hasLooked) return this.#extended(plan)
    const outlook = await lookAhead({ stored, walk: this.#walk, budget: this.#budget }, from, signed)
    if (!outlook) return 'unfinished'
    const { map, hasUpdates, to } = outlook
    this.#hasLooked = true
    this.#found = map
    const fresh = { counted: from, step: 0, heads: signed?.heads ?? NO_HEADS }
    let made: MapPlan
    if (map) {
      const { epoch, at, size } = map.entry
      const isPlan = plan?.epoch === epoch && plan.to.log === map.log && plan.to.size === size
      made = isPlan ? plan : { ...fresh, epoch, at, to: { log: map.log, size } }
    } else if (plan) {
      return this.#extended(plan)
    } else {
      if (!hasUpdates && signed?.counted.log === to.log) return null
      made = { ...fresh, epoch: (signed?.epoch ?? 0) + 1, at: now(), to }
    }
    stored.transact(() => this.#store.keepPlan(made))
    return made
  }

  /** A plan for a log that was closed goes on into the open one. */
  async #extended(plan: MapPlan): Promise<MapPlan> {
    const { log, head } = await this.#parts.logs.open()
    // A map that the closed log has already is finished there.
    if (this.#found || plan.to.log === log) return plan
    const extended = { ...plan, to: { log, size: head.size } }
    this.#parts.stored.transact(() => this.#store.keepPlan(extended))
    return extended
  }

  /** Null if the turn is over first. */
  async #count(from: MapPlan): Promise<MapPlan | null> {
    const { stored } = this.#parts
    let plan = from
    while (!isSamePlace(plan.counted, plan.to)) {
      if (this.#budget.isSpent) return null
      const { log, size } = plan.counted
      const head = await this.#walk.head(log)
      const end = log === plan.to.log ? plan.to.size : head.size
      if (size >= end) {
        const next = head.ending?.next ?? plan.to.log
        const [done, root] = [plan.counted, rootOf(plan)]
        plan = { ...plan, counted: { log: next, size: 0 } }
        stored.transact(() => {
          this.#store.endLog(done, root)
          this.#store.addLog(next)
          this.#store.keepPlan(plan)
        })
        continue
      }
      const counted = await this.#step(plan, await this.#walk.step(plan.counted, head, end))
      if (!counted) return null
      plan = counted
      stored.transact(() => this.#store.keepPlan(counted))
    }
    return plan
  }

  /** Each bucket takes it once; those that have lost their pages get them again first. Null if the turn is over first. */
  async #step(plan: MapPlan, { to, lines }: WalkStep): Promise<MapPlan | null> {
    const { epoch } = plan
    const step = plan.step + 1
    const until = placeName(to)
    const perBucket = [...Map.groupBy(updatesOf(lines), ({ label }) => bucketOf(label))]
    for (;;) {
      const heads = [...plan.heads]
      const lost: number[] = []
      this.#budget.spend(perBucket.length)
      await inParallel(perBucket, async ([bucket, updates]) => {
        const from = plan.heads[bucket] ?? null
        const after = await this.#parts.buckets.count(bucket, { epoch, step, until, from, updates })
        if (after.ok) heads[bucket] = after.value
        else lost.push(bucket)
      })
      if (lost.length === 0) return { ...plan, counted: to, step, heads }
      const whole = await this.#refill.run(lost, this.#target(plan))
      if (!whole || this.#budget.isSpent) return null
    }
  }

  async #publish(plan: MapPlan): Promise<void> {
    const { logs, stored } = this.#parts
    const { epoch, at, to } = plan
    const root = rootOf(plan)
    const found = this.#found
    if (found && found.entry.root !== root) throw new Error('the log has another map of these entries')
    const leaf = { leafId: mapLeafId(epoch), entry: mapLine({ size: to.size, root, epoch, at }) }
    const index = found?.index ?? (await logs.submit(to.log, leaf))
    stored.transact(() => this.#store.sign(epoch, index))
    this.#found = null
    // If this is lost, the log asks.
    await logs.acknowledge(to.log, index)
  }

  /** Recomputes what readers have found missing. False if the turn is over first. */
  async #repair(): Promise<boolean> {
    const signed = this.#store.signed()
    const lost = this.#store.repairs()
    if (!signed || lost.length === 0) return true
    const whole = await this.#refill.run(lost, this.#target(signed))
    if (!whole) return false
    this.#parts.stored.transact(() => {
      for (const bucket of whole) this.#store.repaired(bucket)
    })
    return this.#store.repairs().length === 0
  }

  #target({ counted, heads }: Pick<MapPlan, 'counted' | 'heads'>): RefillTarget {
    return { first: this.#store.logs()[0]?.log ?? counted.log, until: counted, heads }
  }
}

export function rootOf({ heads }: Pick<MapPlan, 'heads'>): string {
  return mapRootOf(heads.map(subtreeOfHead))
}
