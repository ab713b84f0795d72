import type { ObjectStorage } from '@svc/objects'
import { DependencyFault } from '@svc/protocol/base/dependency-fault'
import { toHex } from '@svc/protocol/base/hash'
import { err, ok, type Result } from '@svc/protocol/base/result'
import type { SignedCosignature } from '@svc/protocol/keys/transparency'
import type { LogCheckpoint } from '@svc/protocol/merkle/checkpoint'
import { closeEntry, entryHash, openEntry } from '@svc/protocol/merkle/entries'
import type { LogEnding, LogOpening, NextLog } from '@svc/protocol/merkle/roll'
import { appendLeaves, edgeFrontier, frontierRoot, type LogEdge, TILE_WIDTH } from '@svc/protocol/merkle/tiles'
import type { CloseRefusal, LogHead, PlacedLeaf, SubmitRefusal } from './answers.ts'
import type { HeadFile, LogFiles } from './files.ts'
import { LOG_SCHEMA } from './schema.ts'
import { LogStore, type SubmittedLeaf } from './store.ts'
import { LogUpkeep } from './upkeep.ts'

/** A batch of 8,192 takes a third of a second of CPU. */
export const MAX_BATCH_LEAVES = 8_192
/** Some eight seconds of the fastest log. Callers keep what is refused. */
const MAX_WAITING = 65_536
/** Between two batches, on average. */
export const BATCH_MS = 1_000
/** Batches that may follow each other at once after a pause, so that a caller who adds one leaf after another need not wait. */
const MAX_CREDIT = 30
/** Leaves that come in within this share the first batch after a pause. */
const GATHER_MS = 100
/** A call that took longer is refused: the ids of what it carries may be forgotten. */
export const MAX_CALL_MS = 60_000
/** A bundle has up to 255 lines beside the head in one row of at most 2 MB. */
const MAX_ENTRY_CHARS = 4_096
/** Heads that are read at a time by an object that lacks many; they are taken as one step up to a full batch. */
const MAX_READ_AHEAD = 16

export interface SequencerParts {
  readonly stored: ObjectStorage
  readonly files: LogFiles
  /** For the log that is the first of its series; null for one that a roll opens. */
  readonly founding: Pick<LogOpening, 'keyVersion'> | null
  /** The id of a line; null for a line that nobody submits. */
  readonly leafIdOf: (line: string) => string | null
  /** Whether the owner of a leaf stores its place. */
  readonly isKnown: (leafId: string) => Promise<boolean>
  /** Null without the key of the log. */
  readonly sign: (
    head: { readonly size: number; readonly root: string; readonly keyVersion: number },
    now: number,
  ) => Promise<LogCheckpoint | null>
  /** Told of a failure that delays the upkeep of the log. */
  readonly onFault: (error: unknown) => void
  readonly now: () => number
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
  readonly #waiting = new Map<string, Waiting>()
  readonly #acknowledged: { readonly indexes: readonly number[]; readonly done: PromiseWithResolvers<void> }[] = []
  #closing: { readonly next: NextLog; readonly done: PromiseWithResolvers<void> } | null = null
  #ready: Promise<void> | null = null
  #isRunning = false
  #credit = MAX_CREDIT
  #creditedAt = 0
  /** Of the head; computed for another size. */
  #edge: LogEdge = { size: 0, frontier: new Uint8Array() }

  /** The name of its log. */
  get log(): string {
    return this.#parts.files.log
  }

  constructor(parts: SequencerParts) {
    this.#parts = parts
    this.#store = new LogStore(parts.stored.sql)
    this.#upkeep = new LogUpkeep({ ...parts, store: this.#store })
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
    const { size, root } = this.#store.head()
    if (this.#edge.size !== size) this.#edge = { size, frontier: edgeFrontier(this.#store.edge()) }
    return {
      ...this.#edge,
      root,
      openedAt: this.#store.openedAt(),
      keyVersion: this.#store.keyVersion(),
      ending: this.#store.ending(),
    }
  }

  /** Where a leaf is that its owner may not know yet; null for any other. */
  async locate(leafId: string): Promise<number | null> {
    await this.#catchUp()
    return this.#store.indexOf(leafId)
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
    const known = this.#store.indexOf(leafId)
    if (known !== null) return { leafId, index: known }
    if (this.#store.ending()) return null
    const waiting = this.#waiting.get(leafId) ?? { entry, ...Promise.withResolvers<number | null>() }
    this.#waiting.set(leafId, waiting)
    const index = await waiting.promise
    return index === null ? null : { leafId, index }
  }

  /** Takes the batches that were decided and that SQLite lacks. Once per start, and after every failure. */
  #catchUp(): Promise<void> {
    this.#ready ??= this.#adopt().catch((error: unknown) => {
      this.#ready = null
      throw error
    })
    return this.#ready
  }

  async #adopt(): Promise<void> {
    const { files, stored } = this.#parts
    if (stored.exists) this.#store.requireName(files.log)
    // Before the tables: asking for a log that was not opened leaves nothing.
    const opening = await this.#opening()
    stored.transact(() => {
      stored.create(LOG_SCHEMA)
      this.#store.begin(files.log, opening.keyVersion)
    })
    for (;;) {
      const { batch } = this.#store.head()
      const [isThere, decided] = await Promise.all([batch === 0 || files.hasHead(batch), this.#headsAfter(batch)])
      // The heads after it may be gone too: a head that was removed must not be decided again.
      if (!isThere) throw new DependencyFault('log', { cause: new Error('the log is behind its oldest head') })
      if (decided.length === 0) break
      await this.#publish(decided)
      this.#settle(this.#waiting.keys())
    }
    if (this.#store.head().batch > 0) return
    if (await files.hasHeads()) throw new DependencyFault('log', { cause: new Error('the log has lost its object') })
    if (!(await this.#decide([opening.entry], null))) await this.#adopt()
  }

  /** The first log of a series founds itself; every other one was opened by the one before. */
  async #opening(): Promise<LogOpening> {
    const { files, founding } = this.#parts
    const found = await files.opening()
    if (found) return found
    if (founding === null || (await files.isSeriesBegun()))
      throw new DependencyFault('log', { cause: new Error(`${files.log} was not opened by the log before it`) })
    const opening = { entry: openEntry(files.log, null), keyVersion: founding.keyVersion }
    await files.open(files.log, opening)
    return opening
  }

  /** The next heads that were decided, of no more leaves than a batch may have unless it is one head. */
  async #headsAfter(batch: number): Promise<HeadFile[]> {
    const { files } = this.#parts
    const first = await files.head(batch + 1)
    if (!first) return []
    const others = await Promise.all(Array.from({ length: MAX_READ_AHEAD }, (_, i) => files.head(batch + 2 + i)))
    const decided = [first]
    let leaves = first.entries.length
    for (const next of others) {
      leaves += next?.entries.length ?? 0
      if (!next || leaves > MAX_BATCH_LEAVES) break
      decided.push(next)
    }
    return decided
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
      const pause = this.#pause()
      // A full batch need not wait for more.
      if (this.#waiting.size < MAX_BATCH_LEAVES) await this.#parts.wait(pause)
      await this.#round()
    }
  }

  /** How long the next batch waits, which uses up its credit. A clock that goes back gives none. */
  #pause(): number {
    const now = this.#parts.now()
    const gained = Math.max(0, now - this.#creditedAt) / BATCH_MS
    this.#creditedAt = now
    this.#credit = Math.min(MAX_CREDIT, this.#credit + gained) - 1
    const missing = Math.min(1, Math.max(0, -this.#credit))
    this.#credit = Math.max(-1, this.#credit)
    return Math.max(GATHER_MS, missing * BATCH_MS)
  }

  async #round(): Promise<void> {
    const acknowledged = this.#acknowledged.splice(0)
    try {
      await this.#catchUp()
      const { stored, now } = this.#parts
      stored.transact(() =>
        this.#store.acknowledge(
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
    if (await this.#decide(entries, next)) this.#settle(batch.map(([leafId]) => leafId))
    // Another object has decided this batch, perhaps with some of these leaves.
    else await this.#adopt()
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
      const index = this.#store.indexOf(leafId)
      if (index === null) continue
      this.#waiting.get(leafId)?.resolve(index)
      this.#waiting.delete(leafId)
    }
  }

  /** False if another object has decided this batch. */
  async #decide(entries: readonly string[], next: NextLog | null): Promise<boolean> {
    const { files, sign, now } = this.#parts
    const batch = this.#store.head().batch + 1
    const { edge, root } = this.#grown(entries)
    const checkpoint = await sign({ size: edge.size, root, keyVersion: this.#store.keyVersion() }, now())
    if (!checkpoint) throw new DependencyFault('log key')
    const file = { batch, checkpoint, entries, next }
    if (!(await files.putHead(file))) return false
    await this.#publish([file])
    return true
  }

  #grown(entries: readonly string[]) {
    const { tiles, ...edge } = appendLeaves(this.#store.edge(), entries.map(entryHash))
    const frontier = edgeFrontier(edge)
    return { tiles, edge, frontier, root: toHex(frontierRoot({ size: edge.size, frontier })) }
  }

  /** Writes the tiles of batches that are decided, then SQLite: all of them at once. */
  async #publish(decided: readonly HeadFile[]): Promise<void> {
    const { files, stored, leafIdOf, now } = this.#parts
    const before = { ...this.#store.edge(), batch: this.#store.head().batch }
    const entries = decided.flatMap((head) => head.entries)
    const last = decided.at(-1)
    const { tiles, edge, frontier, root } = this.#grown(entries)
    let { batch, size } = before
    for (const head of decided) {
      size += head.entries.length
      const { statement } = head.checkpoint
      const isLast = head === last
      const follows = head.batch === ++batch && statement.log === files.log && statement.size === size
      // Nothing follows the batch that closes the log.
      if (!follows || (isLast ? statement.root !== root : head.next !== null))
        throw new DependencyFault('log', { cause: new Error(`head ${batch} does not follow from the one before it`) })
    }
    const lines = [...before.tail, ...entries]
    const firstBundle = Math.floor(before.size / TILE_WIDTH)
    const bundles = Array.from({ length: Math.ceil(lines.length / TILE_WIDTH) }, (_, i) =>
      lines.slice(i * TILE_WIDTH, (i + 1) * TILE_WIDTH),
    )
    await Promise.all([
      ...tiles.map((tile) => files.putTile(tile, edge.size)),
      ...bundles.map((bundle, i) => files.putBundle(firstBundle + i, bundle, edge.size)),
    ])
    if (last?.next) {
      const { log, keyVersion } = last.next
      await files.open(log, { entry: openEntry(log, { log: files.log, size, root }), keyVersion })
    }
    const tail = edge.size % TILE_WIDTH === 0 ? [] : (bundles.at(-1) ?? [])
    const sizes = decided.map(({ checkpoint }) => checkpoint.statement.size)
    stored.transact(() => {
      if (this.#store.head().batch !== before.batch || this.#store.ending())
        throw new Error('the log has moved under its batch')
      if (last?.next) this.#store.close({ next: last.next.log, final: last.checkpoint })
      const [first] = decided
      if (first?.batch === 1) this.#store.opened(first.checkpoint.statement.issuedAt)
      this.#store.commit({ batch, sizes, edge, root, tail, leafIds: entries.map(leafIdOf) }, now())
    })
    this.#edge = { size: edge.size, frontier }
    this.#upkeep.setAlarm(0)
  }
}

/** The log that an object was made for; null for an object that does not exist. */
export function storedLogName(stored: ObjectStorage): string | null {
  return stored.exists ? new LogStore(stored.sql).name() : null
}
