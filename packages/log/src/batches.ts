import type { ObjectStorage } from '@svc/objects'
import { DependencyFault } from '@svc/protocol/base/dependency-fault'
import { toHex } from '@svc/protocol/base/hash'
import type { LogCheckpoint } from '@svc/protocol/merkle/checkpoint'
import { entryHash, openEntry } from '@svc/protocol/merkle/entries'
import type { LogOpening, NextLog } from '@svc/protocol/merkle/roll'
import { appendLeaves, edgeFrontier, frontierRoot, type LogEdge, TILE_WIDTH } from '@svc/protocol/merkle/tiles'
import type { HeadFile, LogFiles } from './files.ts'
import { LOG_SCHEMA } from './schema.ts'
import type { LogStore } from './store.ts'

/** A batch of 8,192 takes a third of a second of CPU. */
export const MAX_BATCH_LEAVES = 8_192
/** Heads that are read at a time by an object that lacks many; they are taken as one step up to a full batch. */
const MAX_READ_AHEAD = 16

export interface BatchParts {
  readonly stored: ObjectStorage
  readonly store: LogStore
  readonly files: LogFiles
  /** For the log that is the first of its series; null for one that a roll opens. */
  readonly founding: Pick<LogOpening, 'keyVersion'> | null
  /** The id of a line; null for a line that nobody submits. */
  readonly leafIdOf: (line: string) => string | null
  /** Null without the key of the log. */
  readonly sign: (
    head: { readonly size: number; readonly root: string; readonly keyVersion: number },
    now: number,
  ) => Promise<LogCheckpoint | null>
  readonly onCommit: () => void
  readonly now: () => number
}

/** Decides the batches of one log in R2, and writes what follows from them: tiles, bundles, the next log, SQLite. */
export class Batches {
  readonly #parts: BatchParts
  /** Of the head; computed for another size. */
  #edge: LogEdge = { size: 0, frontier: new Uint8Array() }

  constructor(parts: BatchParts) {
    this.#parts = parts
  }

  edge(): LogEdge {
    const { store } = this.#parts
    const { size } = store.head()
    if (this.#edge.size !== size) this.#edge = { size, frontier: edgeFrontier(store.edge()) }
    return this.#edge
  }

  /** Takes the batches that were decided and that SQLite lacks, and opens a log that has none. `onTaken` is called after each step. */
  async takeDecided(onTaken: () => void): Promise<void> {
    const { files, stored, store } = this.#parts
    if (stored.exists) store.requireName(files.log)
    // Before the tables: asking for a log that was not opened leaves nothing.
    const opening = await this.#opening()
    stored.transact(() => {
      stored.create(LOG_SCHEMA)
      store.begin(files.log, opening.keyVersion)
    })
    for (;;) {
      const { batch } = store.head()
      const [isThere, decided] = await Promise.all([batch === 0 || files.hasHead(batch), this.#headsAfter(batch)])
      // The heads after it may be gone too: a head that was removed must not be decided again.
      if (!isThere) throw new DependencyFault('log', { cause: new Error('the log is behind its oldest head') })
      if (decided.length === 0) break
      await this.#publish(decided)
      onTaken()
    }
    if (store.head().batch > 0) return
    if (await files.hasHeads()) throw new DependencyFault('log', { cause: new Error('the log has lost its object') })
    if (!(await this.decide([opening.entry], null))) await this.takeDecided(onTaken)
  }

  /** False if another object has decided this batch. */
  async decide(entries: readonly string[], next: NextLog | null): Promise<boolean> {
    const { files, store, sign, now } = this.#parts
    const batch = store.head().batch + 1
    const { edge, root } = this.#grown(entries)
    const checkpoint = await sign({ size: edge.size, root, keyVersion: store.keyVersion() }, now())
    if (!checkpoint) throw new DependencyFault('log key')
    const file = { batch, checkpoint, entries, next }
    if (!(await files.putHead(file))) return false
    await this.#publish([file])
    return true
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

  #grown(entries: readonly string[]) {
    const { tiles, ...edge } = appendLeaves(this.#parts.store.edge(), entries.map(entryHash))
    const frontier = edgeFrontier(edge)
    return { tiles, edge, frontier, root: toHex(frontierRoot({ size: edge.size, frontier })) }
  }

  /** Writes the tiles of batches that are decided, then SQLite: all of them at once. */
  async #publish(decided: readonly HeadFile[]): Promise<void> {
    const { files, stored, store, leafIdOf, now, onCommit } = this.#parts
    const before = { ...store.edge(), batch: store.head().batch }
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
      if (store.head().batch !== before.batch || store.ending()) throw new Error('the log has moved under its batch')
      if (last?.next) store.close({ next: last.next.log, final: last.checkpoint })
      const [first] = decided
      if (first?.batch === 1) store.opened(first.checkpoint.statement.issuedAt)
      store.commit({ batch, sizes, edge, root, tail, leafIds: entries.map(leafIdOf) }, now())
    })
    this.#edge = { size: edge.size, frontier }
    onCommit()
  }
}
