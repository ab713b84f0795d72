import type { ObjectStorage } from '@svc/objects'
import { DependencyFault } from '@svc/protocol/base/dependency-fault'
import { err, ok, type Result } from '@svc/protocol/base/result'
import type { SignedCosignature } from '@svc/protocol/keys/cosignature'
import { closeEntry } from '@svc/protocol/merkle/entries'
import type { LogEnding, NextLog } from '@svc/protocol/merkle/roll'
import type { CloseRefusal, LogHead, PlacedLeaf, SubmitRefusal } from './answers.ts'
import { Batches, type BatchParts, MAX_BATCH_LEAVES } from './batches.ts'
import { Pace } from './pace.ts'
import { LogStore, type SubmittedLeaf } from './store.ts'
import { LogUpkeep, type UpkeepParts } from './upkeep.ts'

/** Some eight seconds of the fastest log. Callers keep what is refused. */
const MAX_WAITING = 65_536
/** A call that took longer is refused: the ids of what it carries may be forgotten. */
export const MAX_CALL_MS = 60_000
/** A bundle has up to 255 lines beside the head in one row of at most 2 MB. A signed act takes 4.8 kB. */
const MAX_ENTRY_CHARS = 6_144

export interface SequencerParts extends Omit<BatchParts, 'store' | 'onCommit'>, Omit<UpkeepParts, 'store'> {
  readonly wait: (ms: number) => Promise<unknown>
}

/** Null if the log was closed without the leaf. */
interface Waiting extends PromiseWithResolvers<number | null> {
  readonly entry: string
}

/**
 * The only writer of the order of one log. Once a second, or sooner after a pause, what was submitted becomes a batch:
 *
 * 1. Its head, with the signed checkpoint and the entries, is created in R2 and never replaced. This decides the batch.
 * 2. Its tiles and bundles are written. They follow from the heads, so a repeated write has the same bytes.
 * 3. SQLite has the new head, and the callers learn the places of their leaves.
 *
 * A crash or a restore leaves SQLite behind the heads. The object then takes the batches that it lacks before it does
 * anything else, so it never signs two histories.
 *
 * Leaves wait in the memory of the object: their owners keep them until they know the place, and submit them again.
 */
export class Sequencer {
  readonly #parts: SequencerParts
  readonly #store: LogStore
  readonly #upkeep: LogUpkeep
  readonly #batches: Batches
  readonly #pace = new Pace()
  readonly #waiting = new Map<string, Waiting>()
  readonly #acknowledged: { readonly indexes: readonly number[]; readonly done: PromiseWithResolvers<void> }[] = []
  #closing: { readonly next: NextLog; readonly done: PromiseWithResolvers<void> } | null = null
  #ready: Promise<void> | null = null
  #isRunning = false

  /** The name of its log. */
  get log(): string {
    return this.#parts.files.log
  }

  constructor(parts: SequencerParts) {
    this.#parts = parts
    this.#store = new LogStore(parts.stored.sql)
    this.#upkeep = new LogUpkeep({ ...parts, store: this.#store })
    this.#batches = new Batches({ ...parts, store: this.#store, onCommit: () => this.#upkeep.setAlarm(0) })
  }

  /** Idempotent: a leaf has one place. Returns once the log has all of them. */
  async submit(sentAt: number, leaves: readonly SubmittedLeaf[]): Promise<Result<PlacedLeaf[], SubmitRefusal>> {
    await this.#catchUp()
    // After the wait: the ids of the time that it took are kept.
    if (Math.abs(this.#parts.now() - sentAt) > MAX_CALL_MS) return err({ reason: 'stale_call' })
    if (leaves.some(({ entry }) => entry.length > MAX_ENTRY_CHARS || /[\n\r]/.test(entry)))
      throw new TypeError(`an entry is one line of at most ${MAX_ENTRY_CHARS} characters`)
    if (this.#waiting.size >= MAX_WAITING) return err({ reason: 'log_busy' })
    const asked = leaves.map((leaf) => this.#placeOf(leaf))
    void this.#run()
    const placed = (await Promise.all(asked)).filter((place) => place !== null)
    const { next = '' } = this.#store.ending() ?? {}
    return placed.length === leaves.length ? ok(placed) : err({ reason: 'log_closed', next, placed })
  }

  /**
   * Ends the log: takes what waits, then the leaf that names the next log, and opens that one. Returns once this is
   * durable. Idempotent: a log that ends in the next one already has ended.
   */
  async close(next: NextLog): Promise<Result<LogEnding, CloseRefusal>> {
    await this.#catchUp()
    if (!this.#store.ending()) {
      this.#closing ??= { next, done: Promise.withResolvers<void>() }
      void this.#run()
      await this.#closing.done.promise
    }
    const ending = this.#store.ending()
    return ending?.next === next.log ? ok(ending) : err({ reason: 'log_closed' })
  }

  /** The owners have stored the places of these leaves. Returns once this is durable. */
  async acknowledge(indexes: readonly number[]): Promise<void> {
    if (indexes.length === 0) return
    await this.#catchUp()
    if (this.#acknowledged.length >= MAX_WAITING) throw new DependencyFault('log')
    const done = Promise.withResolvers<void>()
    this.#acknowledged.push({ indexes, done })
    void this.#run()
    await done.promise
  }

  async head(): Promise<LogHead> {
    await this.#catchUp()
    return {
      ...this.#batches.edge(),
      root: this.#store.head().root,
      openedAt: this.#store.openedAt(),
      keyVersion: this.#store.keyVersion(),
      ending: this.#store.ending(),
    }
  }

  /** Where a leaf is that its owner may not know yet; null for any other. */
  async locate(leafId: string): Promise<number | null> {
    await this.#catchUp()
    return this.#store.ids.indexOf(leafId)
  }

  /** The caller has verified the signature, the witness, and that the log had this root. */
  cosign(cosignature: SignedCosignature): void {
    if (this.#parts.stored.exists) this.#store.cosign(cosignature)
  }

  cosignatures(): SignedCosignature[] {
    return this.#parts.stored.exists ? this.#store.cosignatures() : []
  }

  /** The work of the object's alarm. Idempotent at every step. */
  async tidy(): Promise<void> {
    // After a restore the catching up may take longer than any request waits; it goes on from where it was.
    await this.#upkeep.run(() => this.#catchUp())
  }

  async #placeOf({ leafId, entry }: SubmittedLeaf): Promise<PlacedLeaf | null> {
    const known = this.#store.ids.indexOf(leafId)
    if (known !== null) return { leafId, index: known }
    if (this.#store.ending()) return null
    const waiting = this.#waiting.get(leafId) ?? { entry, ...Promise.withResolvers<number | null>() }
    this.#waiting.set(leafId, waiting)
    const index = await waiting.promise
    return index === null ? null : { leafId, index }
  }

  /** Takes the batches that were decided and that SQLite lacks. Once per start, and after every failure. */
  #catchUp(): Promise<void> {
    this.#ready ??= this.#takeDecided().catch((error: unknown) => {
      this.#ready = null
      throw error
    })
    return this.#ready
  }

  #takeDecided(): Promise<void> {
    return this.#batches.takeDecided(() => this.#settle(this.#waiting.keys()))
  }

  /** Makes batches until nothing waits. Never rejects. */
  async #run(): Promise<void> {
    if (this.#isRunning) return
    this.#isRunning = true
    try {
      await this.#rounds()
    } finally {
      this.#isRunning = false
    }
  }

  async #rounds(): Promise<void> {
    while (this.#waiting.size > 0 || this.#acknowledged.length > 0 || this.#closing) {
      const pause = this.#pace.pause(this.#parts.now())
      // A full batch need not wait for more.
      if (this.#waiting.size < MAX_BATCH_LEAVES) await this.#parts.wait(pause)
      await this.#round()
    }
  }

  async #round(): Promise<void> {
    const acknowledged = this.#acknowledged.splice(0)
    try {
      await this.#catchUp()
      const { stored, now } = this.#parts
      stored.transact(() =>
        this.#store.ids.acknowledge(
          acknowledged.flatMap(({ indexes }) => [...indexes]),
          now(),
        ),
      )
      for (const { done } of acknowledged) done.resolve()
      await this.#batch()
      this.#release()
    } catch (error) {
      // What this attempt has decided, if anything, is taken first by the next one.
      this.#ready = null
      for (const { done } of acknowledged) done.reject(error)
      // All of them: an owner’s later leaves must not be logged before the earlier ones, which it submits again.
      for (const { reject } of this.#waiting.values()) reject(error)
      this.#waiting.clear()
      this.#closing?.done.reject(error)
      this.#closing = null
    }
  }

  async #batch(): Promise<void> {
    if (this.#store.ending()) return
    const batch = [...this.#waiting].slice(0, MAX_BATCH_LEAVES)
    const next = batch.length === this.#waiting.size ? (this.#closing?.next ?? null) : null
    const entries = batch.map(([, { entry }]) => entry)
    if (next) entries.push(closeEntry(next.log))
    if (entries.length === 0) return
    if (await this.#batches.decide(entries, next)) this.#settle(batch.map(([leafId]) => leafId))
    // Another object has decided this batch, perhaps with some of these leaves.
    else await this.#takeDecided()
  }

  /** A closed log takes nothing more. */
  #release(): void {
    if (!this.#store.ending()) return
    this.#settle(this.#waiting.keys())
    for (const { resolve } of this.#waiting.values()) resolve(null)
    this.#waiting.clear()
    this.#closing?.done.resolve()
    this.#closing = null
  }

  /** Tells the callers which of these leaves are in the log now. */
  #settle(leafIds: Iterable<string>): void {
    for (const leafId of leafIds) {
      const index = this.#store.ids.indexOf(leafId)
      if (index === null) continue
      this.#waiting.get(leafId)?.resolve(index)
      this.#waiting.delete(leafId)
    }
  }
}

/** The log that an object was made for; null for an object that does not exist. */
export function storedLogName(stored: ObjectStorage): string | null {
  return stored.exists ? new LogStore(stored.sql).name() : null
}
