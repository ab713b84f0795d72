import type { LogHead, OpenLog, SubmittedLeaf } from '@svc/log'
import type { ObjectStorage } from '@svc/objects'
import { DependencyFault } from '@svc/protocol/base/dependency-fault'
import type { Result } from '@svc/protocol/base/result'
import { type MapEntry, mapEntryOf, mapLeafId, mapLine } from '@svc/protocol/keys/account-map'
import { updateEntryOf } from '@svc/protocol/keys/account-updates'
import { bucketOf, type MapUpdate } from '@svc/protocol/keys/map-pages'
import { mapRootOf } from '@svc/protocol/keys/map-tree'
import { openEntrySchema, readEntry } from '@svc/protocol/merkle/entries'
import { type BucketHead, type CountCall, isSameHead, type Lost, subtreeOfHead } from './bucket.ts'
import { type LogPlace, type MapPlan, MapStore, NO_HEADS, type SignedMap } from './map-store.ts'
import { ACCOUNT_MAP } from './schema.ts'

/** Between two maps. */
export const MAP_MS = 10_000
/** Leaves that are counted per step: 16 bundles, and at most 2 MB for one bucket. */
export const STEP_LEAVES = 4_096
/** Buckets that count at a time. */
const PARALLEL = 16

/** The logs, as the publisher reads and writes them. */
export interface MapLogs {
  /** The log that takes leaves now. */
  readonly open: () => Promise<OpenLog>
  readonly head: (log: string) => Promise<LogHead>
  readonly entries: (log: string, head: LogHead, from: number, to: number) => Promise<string[]>
  /** Idempotent: where the log has the leaf. */
  readonly submit: (log: string, leaf: SubmittedLeaf) => Promise<number>
  readonly acknowledge: (log: string, index: number) => Promise<void>
}

export interface MapBuckets {
  readonly count: (bucket: number, call: CountCall) => Promise<Result<BucketHead, Lost>>
  readonly reset: (bucket: number) => Promise<void>
  readonly refill: (
    bucket: number,
    from: BucketHead,
    updates: readonly MapUpdate[],
  ) => Promise<Result<BucketHead, Lost>>
}

export interface PublisherParts {
  readonly stored: ObjectStorage
  readonly logs: MapLogs
  readonly buckets: MapBuckets
  readonly now: () => number
}

/** What the log has after the newest signed map. */
interface Outlook {
  readonly to: LogPlace
  readonly hasUpdates: boolean
  /** A map that the log has and this object does not know: it was restored, or died before it learned the place. */
  readonly map: { readonly entry: MapEntry; readonly log: string; readonly index: number } | null
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
 */
export class MapPublisher {
  readonly #parts: PublisherParts
  readonly #store: MapStore
  #hasLooked = false
  #found: Outlook['map'] = null

  constructor(parts: PublisherParts) {
    this.#parts = parts
    this.#store = new MapStore(parts.stored.sql)
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

  /** Publishes a map if there are updates after the newest one, or the open log has none. Idempotent at every step. */
  async turn(): Promise<void> {
    try {
      await this.#begin()
      const plan = await this.#plan()
      if (plan) await this.#publish(await this.#count(plan))
      if (!this.#store.plan()) await this.#repair()
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
  async #plan(): Promise<MapPlan | null> {
    const { logs, now, stored } = this.#parts
    const signed = this.#store.signed()
    const plan = this.#store.plan()
    const from = signed?.counted ?? { log: this.#store.logs()[0]?.log ?? (await logs.open()).log, size: 0 }
    if (plan && this.#hasLooked) return this.#extended(plan)
    const { map, hasUpdates, to } = await this.#look(from, signed)
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

  async #look(from: LogPlace, signed: SignedMap | null): Promise<Outlook> {
    const { logs } = this.#parts
    let hasUpdates = false
    let map: Outlook['map'] = null
    for (let { log, size } = from; ; size = 0) {
      const head = await logs.head(log)
      for (let at = size; at < head.size; at += STEP_LEAVES) {
        const lines = await logs.entries(log, head, at, Math.min(at + STEP_LEAVES, head.size))
        for (const [i, line] of lines.entries()) {
          hasUpdates ||= updateEntryOf(line) !== null
          const isNew = signed?.counted.log !== log || at + i > signed.index
          const entry = isNew ? mapEntryOf(line) : null
          if (entry) map = { entry, log, index: at + i }
        }
      }
      if (!head.ending) return { to: { log, size: head.size }, hasUpdates, map }
      log = head.ending.next
    }
  }

  async #count(from: MapPlan): Promise<MapPlan> {
    const { logs, stored } = this.#parts
    let plan = from
    while (plan.counted.log !== plan.to.log || plan.counted.size !== plan.to.size) {
      const { log, size } = plan.counted
      const head = await logs.head(log)
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
      const until = Math.min(size + STEP_LEAVES, end)
      const lines = await logs.entries(log, head, size, until)
      plan = await this.#step(plan, { log, size: until }, lines)
      stored.transact(() => this.#store.keepPlan(plan))
    }
    return plan
  }

  /** Each bucket takes it once; one that has lost its pages gets them again first. */
  async #step(plan: MapPlan, counted: LogPlace, lines: readonly string[]): Promise<MapPlan> {
    const { epoch } = plan
    const step = plan.step + 1
    const heads = [...plan.heads]
    const until = `${counted.log}:${counted.size}`
    const perBucket = [...Map.groupBy(updatesOf(lines), ({ label }) => bucketOf(label))]
    for (let i = 0; i < perBucket.length; i += PARALLEL) {
      await Promise.all(
        perBucket.slice(i, i + PARALLEL).map(async ([bucket, updates]) => {
          const from = heads[bucket] ?? null
          const call = { epoch, step, until, from, updates }
          const { count } = this.#parts.buckets
          let after = await count(bucket, call)
          if (!after.ok) {
            await this.#refill(bucket, plan.counted, from)
            after = await count(bucket, call)
          }
          if (!after.ok) throw new DependencyFault('account map')
          heads[bucket] = after.value
        }),
      )
    }
    return { ...plan, counted, step, heads }
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

  /** Recomputes what readers have found missing. */
  async #repair(): Promise<void> {
    const signed = this.#store.signed()
    if (!signed) return
    for (const bucket of this.#store.repairs()) {
      await this.#refill(bucket, signed.counted, signed.heads[bucket] ?? null)
      this.#parts.stored.transact(() => this.#store.repaired(bucket))
    }
  }

  /** Counts all entries of a bucket again. A crash leaves a bucket that is found lost again. */
  async #refill(bucket: number, until: LogPlace, expected: BucketHead): Promise<void> {
    const { buckets, logs } = this.#parts
    await buckets.reset(bucket)
    let filled: BucketHead = null
    for (const { log } of this.#store.logs()) {
      const head = await logs.head(log)
      const end = log === until.log ? until.size : head.size
      for (let at = 0; at < end; at += STEP_LEAVES) {
        const lines = await logs.entries(log, head, at, Math.min(at + STEP_LEAVES, end))
        const updates = updatesOf(lines).filter(({ label }) => bucketOf(label) === bucket)
        if (updates.length === 0) continue
        const after = await buckets.refill(bucket, filled, updates)
        if (!after.ok) throw new DependencyFault('account map')
        filled = after.value
      }
      if (log === until.log) break
    }
    if (!isSameHead(filled, expected)) throw new Error(`bucket ${bucket} does not follow from the entries`)
  }
}

export function rootOf({ heads }: Pick<MapPlan, 'heads'>): string {
  return mapRootOf(heads.map(subtreeOfHead))
}

function updatesOf(lines: readonly string[]): MapUpdate[] {
  return lines.flatMap((line) => updateEntryOf(line) ?? [])
}
