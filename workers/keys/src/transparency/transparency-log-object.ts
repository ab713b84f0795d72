import { DurableObject } from 'cloudflare:workers'
import { toHex } from '@svc/protocol/hash'
import { appendLeaves, edgeFrontier, frontierRoot, type LogEdge, TILE_WIDTH } from '@svc/protocol/merkle-tiles'
import { directoryLeafHash, type SignedCosignature } from '@svc/protocol/transparency'
import { LogStore } from './log-store.ts'
import { TileStore } from './tile-store.ts'
import { BATCH_MS, edgeKeys, GRACE_MS, MAX_BATCH_LEAVES } from './transparency.ts'

const RETRY_MS = 2_000
/** What R2 deletes in one call. */
const MAX_REMOVED = 1_000

/** With the right edge of the log, so that a reader needs no unfinished tile but those above its own leaf. */
export interface LogHead extends LogEdge {
  readonly root: string
}

export interface Located extends LogHead {
  /** Null when the log does not have the leaf yet. */
  readonly index: number | null
}

/**
 * The transparency log: one object, the only writer of its order. A leaf is durable when `submit` has answered; about
 * once a second those that wait become a batch. Its tiles are written first and the head last, in one transaction: a
 * crash anywhere before it leaves the old head over the old tiles, and the batch is made again from the same leaves in
 * the same order.
 */
export class TransparencyLogObject extends DurableObject<Env> {
  readonly #log: LogStore
  readonly #tiles: TileStore
  /** What the alarm is known to be set to; a restarted object sets it again. */
  #alarmAt: number | null = null
  /** As the head says; computed from the stored edge where it is of another size. */
  #edge: LogEdge = { size: 0, frontier: new Uint8Array() }

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.#log = new LogStore(ctx.storage.sql)
    this.#log.createTables()
    this.#tiles = new TileStore(env.TILES)
  }

  /** Idempotent: a leaf that the log has or waits for is taken once. */
  submit(leaves: readonly { readonly leafId: string; readonly entry: string }[]): void {
    this.ctx.storage.transactionSync(() => {
      for (const { leafId, entry } of leaves) this.#log.enqueue(leafId, entry)
    })
    // A leaf that came again makes no batch.
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

  /** Its signature, its witness and that the log had this root were decided before this call. */
  cosign(cosignature: SignedCosignature): void {
    this.#log.cosign(cosignature)
  }

  cosignatures(): SignedCosignature[] {
    return this.#log.cosignatures()
  }

  /** Idempotent at every step. A failure leaves everything as it was, but for tiles that nothing points to yet. */
  override async alarm(): Promise<void> {
    this.#alarmAt = null
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
      batch.map(({ entry }) => directoryLeafHash(entry)),
    )
    const edge = { size: after.size, frontier: edgeFrontier(after) }
    const root = toHex(frontierRoot(edge))
    const entries = [...this.#log.tail(), ...batch.map(({ entry }) => entry)]
    const from = before.size - (before.size % TILE_WIDTH)
    const bundles = Array.from({ length: Math.ceil(entries.length / TILE_WIDTH) }, (_, i) => ({
      index: from / TILE_WIDTH + i,
      entries: entries.slice(i * TILE_WIDTH, (i + 1) * TILE_WIDTH),
    }))
    await Promise.all([
      ...tiles.map((tile) => this.#tiles.putTile(tile, after.size)),
      ...bundles.map((bundle) => this.#tiles.putBundle(bundle.index, bundle.entries, after.size)),
    ])
    const tail = after.size % TILE_WIDTH === 0 ? [] : (bundles.at(-1)?.entries ?? [])
    this.ctx.storage.transactionSync(() => {
      // Nobody else writes; were it otherwise, this batch would be another log's.
      if (this.head().size !== before.size) throw new Error('the log has moved under its batch')
      this.#log.commit(batch, after, root, tail)
      const kept = new Set(edgeKeys(after.size))
      this.#log.retire(
        edgeKeys(before.size).filter((key) => !kept.has(key)),
        Date.now(),
      )
    })
    this.#edge = edge
  }

  /** Removes unfinished tiles that a longer one has replaced and that no reader can still be about to read. */
  async #tidy(): Promise<void> {
    const keys = this.#log.obsolete(Date.now() - GRACE_MS, MAX_REMOVED)
    if (keys.length === 0) return
    await this.#tiles.remove(keys)
    this.ctx.storage.transactionSync(() => this.#log.removed(keys))
  }

  /** Not awaited: the output gate holds the answer until the alarm is as durable as the rest. */
  #alarmBy(at: number): void {
    if (this.#alarmAt !== null && this.#alarmAt <= at) return
    this.#alarmAt = at
    void this.ctx.storage.setAlarm(at)
  }
}
