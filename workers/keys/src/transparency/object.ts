import { VersionedObject } from '@svc/objects'
import { toHex } from '@svc/protocol/base/hash'
import type { SignedCosignature } from '@svc/protocol/keys/transparency'
import { entryHash, openEntry } from '@svc/protocol/merkle/entries'
import { appendLeaves, edgeFrontier, frontierRoot, type LogEdge, TILE_WIDTH } from '@svc/protocol/merkle/tiles'
import { openLog } from './open-log.ts'
import { BATCH_MS, edgeKeys, GRACE_MS, MAX_BATCH_LEAVES, type SubmittedLeaf } from './rules.ts'
import { TRANSPARENCY_LOG } from './schema.ts'
import { LogStore } from './store.ts'
import { TileStore } from './tile-store.ts'

const RETRY_MS = 2_000
/** The most keys that R2 deletes per call. */
const MAX_REMOVED = 1_000

/** The head and the log's right edge, so that a reader needs no partial tile except those above its own leaf. */
export interface LogHead extends LogEdge {
  readonly root: string
}

export interface Located extends LogHead {
  /** Null if the log does not have the leaf yet. */
  readonly index: number | null
}

/**
 * One transparency log, named by the log's name: the only writer of its order. Its first leaf opens it. A leaf is durable once `submit` has returned. About
 * once a second the pending leaves become a batch. Its tiles are written first and the head last, in one transaction: a
 * crash before that leaves the old head over the old tiles, and the batch is rebuilt from the same leaves in the same
 * order.
 */
export class TransparencyLogObject extends VersionedObject<Env> {
  static override readonly schemas = [TRANSPARENCY_LOG]
  readonly #log: LogStore
  readonly #tiles: TileStore
  readonly #name: string
  /** The root of the head; computed from the stored edge for another size. */
  #edge: LogEdge = { size: 0, frontier: new Uint8Array() }

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.#log = new LogStore(this.stored.sql)
    this.#name = openLog(env)
    // The log is named by the Worker and not by a caller, so it exists from its first start, with the leaf that opens it.
    this.stored.transact(() => {
      this.stored.create(TRANSPARENCY_LOG)
      if (this.#log.isNew()) this.#log.enqueue(this.#name, openEntry(this.#name, null))
    })
    this.#tiles = new TileStore(env.TILES, this.#name)
  }

  /** Idempotent: a leaf that the log has, or that is pending, is taken once. */
  submit(leaves: readonly SubmittedLeaf[]): void {
    this.stored.transact(() => {
      for (const { leafId, entry } of leaves) this.#log.enqueue(leafId, entry)
    })
    // A repeated leaf starts no batch.
    if (this.#log.isWaiting()) this.#alarmBy(Date.now() + BATCH_MS)
  }

  head(): LogHead {
    const stored = this.#log.head()
    const size = stored?.size ?? 0
    if (this.#edge.size !== size) this.#edge = { size, frontier: edgeFrontier(this.#log.edge()) }
    return { ...this.#edge, root: stored?.root ?? toHex(frontierRoot(this.#edge)) }
  }

  locate(leafId: string): Located {
    return { ...this.head(), index: this.#log.indexOf(leafId) }
  }

  /** The caller has verified the signature, the witness, and that the log had this root. */
  cosign(cosignature: SignedCosignature): void {
    this.#log.cosign(cosignature)
  }

  cosignatures(): SignedCosignature[] {
    return this.#log.cosignatures()
  }

  /** Idempotent at every step. A failure changes nothing, except for tiles that nothing refers to yet. */
  override async alarm(): Promise<void> {
    this.stored.alarm.wentOff()
    const startedAt = Date.now()
    const isDone = await this.#batch().then(
      () => true,
      () => false,
    )
    await this.#tidy().catch(() => {})
    const waiting = this.#log.pending(MAX_BATCH_LEAVES).length
    if (!isDone) this.#alarmBy(startedAt + RETRY_MS)
    else if (waiting === MAX_BATCH_LEAVES) this.#alarmBy(Date.now())
    else if (waiting > 0) this.#alarmBy(startedAt + BATCH_MS)
    const oldest = this.#log.oldestObsolete()
    if (oldest !== null) this.#alarmBy(Math.max(oldest + GRACE_MS, Date.now() + RETRY_MS))
  }

  async #batch(): Promise<void> {
    const batch = this.#log.pending(MAX_BATCH_LEAVES)
    if (batch.length === 0) return
    const before = this.#log.edge()
    const { tiles, ...after } = appendLeaves(
      before,
      batch.map(({ entry }) => entryHash(entry)),
    )
    const edge = { size: after.size, frontier: edgeFrontier(after) }
    const root = toHex(frontierRoot(edge))
    const entries = [...this.#log.tail(), ...batch.map(({ entry }) => entry)]
    const from = before.size - (before.size % TILE_WIDTH)
    const bundles = Array.from({ length: Math.ceil(entries.length / TILE_WIDTH) }, (_, i) => ({
      index: from / TILE_WIDTH + i,
      entries: entries.slice(i * TILE_WIDTH, (i + 1) * TILE_WIDTH),
    }))
    const kept = edgeKeys(this.#name, after.size)
    const replaced = without(edgeKeys(this.#name, before.size), kept)
    // What a crash leaves of an attempt is pointed to by nobody.
    this.stored.transact(() => this.#log.retire(without(kept, edgeKeys(this.#name, before.size)), Date.now()))
    await Promise.all([
      ...tiles.map((tile) => this.#tiles.putTile(tile, after.size)),
      ...bundles.map((bundle) => this.#tiles.putBundle(bundle.index, bundle.entries, after.size)),
    ])
    const tail = after.size % TILE_WIDTH === 0 ? [] : (bundles.at(-1)?.entries ?? [])
    this.stored.transact(() => {
      // This object is the only writer; a different size would mean that another log wrote here.
      if (this.head().size !== before.size) throw new Error('the log has moved under its batch')
      this.#log.commit(batch, after, root, tail)
      this.#log.removed(kept)
      this.#log.retire(replaced, Date.now())
    })
    this.#edge = edge
  }

  /** Deletes partial tiles that a fuller one has replaced and that no reader can still be about to read. */
  async #tidy(): Promise<void> {
    const keys = this.#log.obsolete(Date.now() - GRACE_MS, MAX_REMOVED)
    if (keys.length === 0) return
    await this.#tiles.remove(keys)
    this.stored.transact(() => this.#log.removed(keys))
  }

  /** Not awaited: the output gate holds the response until the alarm is durable too. */
  #alarmBy(at: number): void {
    void this.stored.alarm.by(at)
  }
}

function without(keys: readonly string[], others: readonly string[]): string[] {
  return keys.filter((key) => !others.includes(key))
}
